"""A walker without motors, on a slope: its cycle, whether that is stable, and how it returns to it. Run it with

    python examples/passive_walker.py

Two straight legs without mass, a point mass at the hip and a small one at each foot: the simplest walking model of
Garcia, Chatterjee, Ruina and Coleman (1998, J. Biomech. Eng. 120:281-288), after McGeer's passive walkers (1990). In
units of leg length, body mass and gravity, on a slope of 0.009 rad. The swing leg passes through the ground when both
legs are upright, as in the paper.

A step begins after the foot strike. The strike is an event; there the legs swap roles and speeds jump, so that
angular momentum is kept: that of the whole walker about the new foot, and that of the new swing leg about the hip.
Newton's method finds the state that a step reproduces, and the eigenvalues of the derivative of a step show whether
neighbours come closer. The script prints the cycle for smaller and smaller feet beside the published one, and writes
``passive_walker.png`` into the current folder.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

SLOPE = 0.009  # rad
FOOT = 1e-9  # mass of a foot, in masses of the hip: the paper's limit of zero, without its singular equations
# Leg angle (rad) and its speed after the strike, in the longer of two cycles; from Bhounsule's program (2013).
PUBLISHED = (0.200310900563820, -0.199832473025474)
SCHEME = my.DOP853(relative=1e-12, absolute=1e-13)
LONGEST_STEP = 10.0  # in units of sqrt(length / gravity), like all times here; a cycle takes 3.88


def walker(slope: float = SLOPE, foot: float = FOOT) -> my.Model:
    """Return the walker on its stance foot.

    ``stance`` is the angle of the stance leg from the normal of the slope (rad), positive while the hip is behind the
    foot. The angle between the legs is ``2 stance + opening``: both feet are on the ground where ``opening`` is zero.
    """
    between = my.Polynomial(
        of=("stance", "opening"),
        terms=(my.Term(coefficient=2.0, powers=(1, 0)), my.Term(coefficient=1.0, powers=(0, 1))),
    )
    hip = my.Joint(
        parent=my.Placement(body="stance_leg", at=(0.0, 1.0, 0.0)),
        child=my.Placement(body="swing_leg"),
        coordinates={"opening": my.Coordinate()},
        axes=[my.Axis(motion="rotation", direction="-z", function=between)],
    )
    model = my.Model(
        name="passive_walker",
        gravity=(math.sin(slope), -math.cos(slope), 0.0),
        bodies={
            "stance_leg": my.Body(mass=1.0, centre_of_mass=(0.0, 1.0, 0.0)),
            "swing_leg": my.Body(mass=foot, centre_of_mass=(0.0, -1.0, 0.0)),
        },
        joints={"foot": my.pin("ground", "stance_leg", "stance"), "hip": hip},
    )
    return model.free("swing_leg.mass")  # other feet need no new equations


# The swing leg comes back from beyond its place, so the opening rises through zero when the foot strikes. It falls when
# the legs pass each other.
STRIKE = my.rises_through_zero("opening")


def struck(before: Mapping[str, float], foot: float = FOOT) -> dict[str, float]:
    """Return the state after a strike: legs swapped, angular momenta kept."""
    angle, apart = before["stance"], math.cos(2 * before["stance"])
    speed = before["stance.speed"] * apart / (1 + foot * math.sin(2 * angle) ** 2)
    return after_strike(-angle, speed)


def after_strike(angle: float, speed: float) -> dict[str, float]:
    """Return the state that a leg angle (rad) and its speed determine: the rear foot leaves along its leg."""
    between_speed = speed * (1 - math.cos(2 * angle))
    return {"stance": angle, "stance.speed": speed, "opening": 0.0, "opening.speed": between_speed - 2 * speed}


def step(model: my.Model, state: np.ndarray) -> np.ndarray:
    """Return leg angle and speed after the next strike from those after this one."""
    run = my.simulate(model, LONGEST_STEP, start=after_strike(*state), until=STRIKE, scheme=SCHEME, every=LONGEST_STEP)
    if not run.report.events:
        raise ValueError(f"the walker falls from {state}: no foot strikes within {LONGEST_STEP:g}")
    after = struck(run.final, model.bodies["swing_leg"].mass)
    return np.array([after["stance"], after["stance.speed"]])


def derivative(model: my.Model, state: np.ndarray, change: float = 1e-5) -> np.ndarray:
    """Return the derivative of a step, by central differences."""
    changes = change * np.eye(2)
    return np.column_stack([(step(model, state + d) - step(model, state - d)) / (2 * change) for d in changes])


def cycle(model: my.Model, guess: tuple[float, float] = (0.2, -0.2)) -> np.ndarray:
    """Return the leg angle and speed that a step reproduces, by Newton's method."""
    state = np.array(guess)
    for _ in range(20):
        missing = step(model, state) - state
        if np.abs(missing).max() < 1e-12:
            return state
        state = state - np.linalg.solve(derivative(model, state) - np.eye(2), missing)
    raise ValueError(f"no cycle near {guess}: after 20 iterations a step still misses by {np.abs(missing).max():.1g}")


def walk(model: my.Model, state: np.ndarray, duration: float) -> my.Result:
    """Return a simulation over many steps."""
    foot = model.bodies["swing_leg"].mass
    strike = my.Switch(STRIKE, to=model, carry=lambda before: struck(before, foot))
    falls = my.Crossing("stance", "falling", level=-1.0)
    return my.simulate(model, duration, start=after_strike(*state), until=[strike, falls], scheme=SCHEME, every=0.02)


def draw(runs: Mapping[str, my.Result]) -> None:
    """Draw speed over angle of the stance leg: a strike is a jump back to the right."""
    figure, axes = plt.subplots(1, len(runs), figsize=(9.0, 3.0), sharey=True, layout="constrained")
    for place, (name, run) in zip(axes, runs.items(), strict=True):
        place.plot(run.values("stance"), run.values("stance.speed"), linewidth=0.8)
        place.plot(run.values("stance")[0], run.values("stance.speed")[0], "o")
        place.set(title=name, xlabel="stance (rad)", xlim=(-0.35, 0.25), ylim=(-0.35, 0.0))
    axes[0].set_ylabel("stance.speed (rad/s)")
    figure.savefig("passive_walker.png", dpi=90)


def main() -> None:
    """Print the cycles, then walk from a disturbed state back to the cycle, and plot that."""
    print(f"{'foot mass':>12}{'leg angle rad':>18}{'speed rad/s':>18}   eigenvalues")
    for foot in (1e-2, 1e-4, FOOT):
        model = walker(foot=foot)
        found = cycle(model)
        values = ", ".join(f"{value:.4f}" for value in np.linalg.eigvals(derivative(model, found)))
        print(f"{foot:12.0e}{found[0]:18.12f}{found[1]:18.12f}   {values}")
    print(f"{'published':>12}{PUBLISHED[0]:18.12f}{PUBLISHED[1]:18.12f}")
    print()
    runs = {}
    for factor in (0.98, 1.01, 1.02):
        runs[f"{factor:g} × the angle of the cycle"] = run = walk(model, found * [factor, 1.0], 60.0)
        times = [time for time, event in run.report.events if event.startswith("opening")]
        end = "walks on" if run.report.status == "completed" else "falls"
        print(
            f"begun at {factor:g} of the angle: {len(times)} steps, the last takes {np.diff(times)[-1]:.4f}; it {end}"
        )
    draw(runs)


if __name__ == "__main__":
    main()
