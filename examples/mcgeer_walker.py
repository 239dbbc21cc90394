"""McGeer's passive walker with round feet: its cycle on a slope, and the three modes of its steps. Run it with

    python examples/mcgeer_walker.py

Two straight legs with mass, hinged at the hip, with circular arcs as feet that roll on the slope (McGeer 1990, Int.
J. Robotics Research 9(2):62-82). Units are the length of a leg, its mass and gravity. Numbers are those of his
parameter studies (figures 8 to 10): feet of radius 0.3, centre of mass 0.63 above the sole, radius of gyration 0.32,
no mass at the hip. The swing foot passes through the ground, as it does in his analysis; his machine lifted it.

A step begins after a foot strike: with the angle of the stance leg, its speed, and that of the swing leg. At the
strike the legs swap, and two angular momenta are kept: that of the walker about the new contact, and that of the new
swing leg about the hip. Newton's method finds the state that a step reproduces. The eigenvalues of the derivative of
a step show whether neighbours come closer. The script prints them for several feet, at several slopes, and for walkers
near the test machine of his table 1, and writes ``mcgeer_walker.png`` into the current folder.
It takes about a minute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

# McGeer 1990, figure 8, read from the curves to about 10 %: slope (rad) and period of a step at an angle of 0.3 rad.
PUBLISHED_SLOPE, PUBLISHED_PERIOD = 0.030, 2.5
SCHEME = my.DOP853(relative=1e-11, absolute=1e-12)
LONGEST_STEP = 6.0  # in units of sqrt(length / gravity), like all times here


@dataclass(frozen=True)
class Walker:
    """A walker: radius of its feet, height of a leg's centre of mass, radius of gyration about it; the slope (rad).

    ``hip`` is the mass at the hip, in masses of a leg.
    """

    radius: float = 0.3
    centre: float = 0.63
    gyration: float = 0.32
    slope: float = 0.03
    hip: float = 0.0

    def model(self) -> my.Model:
        """Return the walker on its stance foot.

        ``stance`` is the angle of the stance leg from the normal of the slope (rad), positive while the hip is behind
        the foot. The angle between the legs is ``2 stance + opening``: both feet are on the ground at no ``opening``.
        """
        foot = my.Joint(
            parent=my.Placement(body="ground", at=(0.0, self.radius, 0.0)),
            child=my.Placement(body="stance_leg"),
            coordinates={"stance": my.Coordinate()},
            # The centre of the arc stays at the height of its radius and moves as the arc rolls.
            axes=[
                my.Axis(
                    motion="translation", direction="x", function=my.Linear(coordinate="stance", slope=-self.radius)
                ),
                my.Axis(motion="rotation", direction="z", function=my.Linear(coordinate="stance")),
            ],
        )
        between = my.Polynomial(
            of=("stance", "opening"),
            terms=(my.Term(coefficient=2.0, powers=(1, 0)), my.Term(coefficient=1.0, powers=(0, 1))),
        )
        hip = my.Joint(
            parent=my.Placement(body="stance_leg", at=(0.0, 1.0 - self.radius, 0.0)),
            child=my.Placement(body="swing_leg"),
            coordinates={"opening": my.Coordinate()},
            axes=[my.Axis(motion="rotation", direction="-z", function=between)],
        )
        inertia, share = self.gyration**2, self.hip / (1 + self.hip)
        # The mass at the hip moves with the stance leg.
        lower, upper = self.centre - self.radius, 1.0 - self.radius
        stance = my.Body(
            mass=1.0 + self.hip,
            centre_of_mass=(0.0, lower + share * (upper - lower), 0.0),
            inertia=inertia + share * (upper - lower) ** 2,
        )
        return my.Model(
            name="mcgeer_walker",
            gravity=(math.sin(self.slope), -math.cos(self.slope), 0.0),
            bodies={
                "stance_leg": stance,
                "swing_leg": my.Body(mass=1.0, centre_of_mass=(0.0, self.centre - 1.0, 0.0), inertia=inertia),
            },
            joints={"foot": foot, "hip": hip},
        )

    def momenta(self, angle: float, *, rolling: str) -> np.ndarray:
        """Return the momenta that a strike keeps, as a matrix times the speeds of front and rear leg.

        ``angle`` is that of the front leg, the rear one leans as far the other way; ``rolling`` is the foot that rolls.
        Rows: angular momentum of both legs about the front contact, of the rear leg about the hip.
        """
        up = {
            "front": np.array([-math.sin(angle), math.cos(angle)]),
            "rear": np.array([math.sin(angle), math.cos(angle)]),
        }
        hip = np.array([0.0, self.radius]) + (1 - self.radius) * up["front"]
        places = {leg: hip - (1 - self.centre) * up[leg] for leg in up}
        columns = []
        for turning in up:
            moves = turned(up[rolling]) * (1 - self.radius) - [self.radius, 0.0] if turning == rolling else np.zeros(2)
            speeds = {leg: moves - (turned(up[leg]) * (1 - self.centre) if leg == turning else 0.0) for leg in up}
            about_contact = sum(cross(places[leg], speeds[leg]) for leg in up) + self.gyration**2
            about_contact += self.hip * cross(hip, moves)
            own = self.gyration**2 if turning == "rear" else 0.0
            columns.append([about_contact, cross(places["rear"] - hip, speeds["rear"]) + own])
        return np.array(columns).T

    def struck(self, before: Mapping[str, float]) -> dict[str, float]:
        """Return the state after a strike: legs swapped, angular momenta kept."""
        rear = before["stance.speed"]
        front = -rear - before["opening.speed"]
        angle = -before["stance"]
        kept = self.momenta(angle, rolling="rear") @ [front, rear]
        return after_strike(angle, *np.linalg.solve(self.momenta(angle, rolling="front"), kept))


def turned(vector: np.ndarray) -> np.ndarray:
    """Return a vector turned by a right angle: the velocity of its end at unit speed."""
    return np.array([-vector[1], vector[0]])


def cross(first: np.ndarray, second: np.ndarray) -> float:
    """Return the moment of the second vector at the first."""
    return float(first[0] * second[1] - first[1] * second[0])


def after_strike(angle: float, stance: float, swing: float) -> dict[str, float]:
    """Return the state in which a step begins: angle (rad) and speeds of stance and swing leg."""
    return {"stance": angle, "stance.speed": stance, "opening": 0.0, "opening.speed": -stance - swing}


# The swing leg comes back from beyond its place, so the opening rises through zero when the foot strikes.
STRIKE = my.rises_through_zero("opening")


def step(walker: Walker, state: np.ndarray) -> np.ndarray:
    """Return angle and speeds after the next strike from those after this one."""
    start = after_strike(*state)
    run = my.simulate(walker.model(), LONGEST_STEP, start=start, until=STRIKE, scheme=SCHEME, every=LONGEST_STEP)
    if not run.report.events:
        raise ValueError(f"the walker falls from {state}: no foot strikes within {LONGEST_STEP:g}")
    after = walker.struck(run.final)
    return np.array([after["stance"], after["stance.speed"], -after["stance.speed"] - after["opening.speed"]])


def derivative(walker: Walker, state: np.ndarray, change: float = 1e-5) -> np.ndarray:
    """Return the derivative of a step, by central differences."""
    changes = change * np.eye(3)
    return np.column_stack([(step(walker, state + d) - step(walker, state - d)) / (2 * change) for d in changes])


def cycle(walker: Walker, guess: tuple[float, ...] = (0.308, -0.403, -0.281)) -> np.ndarray:
    """Return the state that a step reproduces, by Newton's method."""
    state = np.array(guess)
    for _ in range(20):
        missing = step(walker, state) - state
        if np.abs(missing).max() < 1e-11:
            return state
        state = state - np.linalg.solve(derivative(walker, state) - np.eye(3), missing)
    raise ValueError(f"no cycle near {guess}: after 20 iterations a step still misses by {np.abs(missing).max():.1g}")


def at_angle(walker: Walker, state: np.ndarray, angle: float = 0.3) -> tuple[Walker, np.ndarray]:
    """Return the walker on the slope where its legs strike at an angle (rad), and its cycle there."""

    def missing(unknowns: np.ndarray) -> np.ndarray:
        begin = np.array([angle, *unknowns[1:]])
        return step(replace(walker, slope=float(unknowns[0])), begin) - begin

    unknowns = np.array([walker.slope, *state[1:]])
    for _ in range(20):
        missed = missing(unknowns)
        if np.abs(missed).max() < 1e-10:
            break
        columns = [(missing(unknowns + d) - missing(unknowns - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
        unknowns = unknowns - np.linalg.solve(np.column_stack(columns), missed)
    return replace(walker, slope=float(unknowns[0])), np.array([angle, *unknowns[1:]])


def printed_modes(walker: Walker, state: np.ndarray) -> str:
    """Return the eigenvalues of a step as text."""
    return ", ".join(f"{value:.3f}" for value in modes(walker, state))


def modes(walker: Walker, state: np.ndarray) -> np.ndarray:
    """Return the eigenvalues of a step, largest first."""
    return np.array(sorted(np.linalg.eigvals(derivative(walker, state)), key=lambda value: -value.real))


def walk(walker: Walker, state: np.ndarray, duration: float) -> my.Result:
    """Return a simulation over many steps."""
    model = walker.model()
    strike = my.Switch(STRIKE, to=model, carry=walker.struck)
    falls = my.Crossing("stance", "falling", level=-1.0)
    return my.simulate(model, duration, start=after_strike(*state), until=[strike, falls], scheme=SCHEME, every=0.02)


def draw(runs: Mapping[str, my.Result]) -> None:
    """Draw the speeds of both legs over their angles: a strike is a jump."""
    figure, axes = plt.subplots(1, len(runs), figsize=(9.0, 3.2), sharey=True, layout="constrained")
    for place, (name, run) in zip(axes, runs.items(), strict=True):
        stance, speed = run.values("stance"), run.values("stance.speed")
        place.plot(stance, speed, linewidth=0.8, label="stance leg")
        place.plot(
            -stance - run.values("opening"), -speed - run.values("opening.speed"), linewidth=0.8, label="swing leg"
        )
        place.set(title=name, xlabel="angle from the slope's normal (rad)")
    axes[0].set_ylabel("speed (rad/s)")
    axes[0].legend()
    figure.savefig("mcgeer_walker.png", dpi=90)


def main() -> None:
    """Print the cycle and its modes for several feet, then walk from a disturbed state back to the cycle."""
    print(f"{'foot':>6}{'angle rad':>11}{'period':>9}   eigenvalues")
    state = np.array([0.308, -0.403, -0.281])
    for radius in (0.3, 0.2, 0.4):
        walker = Walker(radius=radius)
        found = cycle(walker, tuple(state * [1 - 0.5 * (0.3 - radius), 1.0, 1.0]))
        period = walk(walker, found, LONGEST_STEP).report.events[0][0]
        print(f"{radius:6g}{found[0]:11.4f}{period:9.3f}   {printed_modes(walker, found)}")
        state = found if radius == 0.3 else state
    print(f"\nMcGeer's figure 8 at an angle of 0.3 rad: slope {PUBLISHED_SLOPE:g} rad, period {PUBLISHED_PERIOD:g}")
    print(f"\n{'foot':>6}{'slope rad':>11}   eigenvalues where legs strike at 0.3 rad")
    for radii in ((0.3, 0.2, 0.1, 1e-9), (0.3, 0.4, 0.5, 0.6, 0.8)):
        walker, found = Walker(), state
        for radius in radii:
            walker, found = at_angle(replace(walker, radius=radius), found)
            print(f"{radius:6g}{walker.slope:11.4f}   {printed_modes(walker, found)}")
    print("\nNear the test machine of McGeer's table 1, whose modes are 0.70, -0.05 and -0.83:")
    machine = Walker(centre=0.645, slope=0.025)
    begin = cycle(machine, (0.292, -0.383, -0.278))
    for change in ({}, {"hip": 0.1}, {"hip": 0.2}, {"centre": 0.63}, {"centre": 0.66}, {"gyration": 0.3}):
        walker = replace(machine, **change)
        print(f"  {change or 'as quoted'!s:20}{printed_modes(walker, cycle(walker, tuple(begin)))}")
    walker = Walker()
    begun = {"on the cycle": 1.0, "5 % faster": 1.05, "5 % slower": 0.95}
    draw({name: walk(walker, state * [1.0, factor, 1.0], 30.0) for name, factor in begun.items()})


if __name__ == "__main__":
    main()
