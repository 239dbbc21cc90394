"""A leg that hops by a reflex: the extensor is excited by its own force. Run it with

    python examples/force_reflex.py

The model of Geyer, Seyfarth and Blickhan (2003, Proc. R. Soc. Lond. B 270:2173-2183): a point mass on a leg of two
massless segments with one extensor muscle at the knee. Excitation is a constant 0.01 plus the muscle's own force of
15 ms ago times a gain: positive feedback. Masses, lengths and the numbers of the muscle follow the
paper as later programs quote it, and were not checked against its print; the curves are those of van den Bogert (2011).

In stance the knee's angle moves the mass; in flight the leg keeps its length at touch-down. Both are models of one
coordinate, and the muscle's states pass from one to the other. The script hops from several heights and with several
gains, prints what the hops come to beside the paper's, and writes ``force_reflex.png`` into the current folder.
It takes about a minute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

MASS, SEGMENT, TOUCH_DOWN = 80.0, 0.5, 0.99  # kg, m, leg length in flight (m)
ARM, REFERENCE, LENGTH = 0.04, my.degrees(110), 0.5  # m, knee angle where the muscle has its reference length (m)
STRENGTH, PRESTIMULATION, DELAY = 22000.0, 0.01, 0.015  # N, -, s
GAIN = 2.4  # excitation for each maximal force
PERIOD = 0.002  # s between the answers of the reflex
# The abstract of the paper: largest height of hops (m); frequency (Hz) and stiffness (N/m) of hops up to 8.8 cm.
PUBLISHED_HEIGHT, PUBLISHED_FREQUENCY, PUBLISHED_STIFFNESS = 0.163, (1.4, 3.0), (9000.0, 27000.0)


def knee_angle(leg: float) -> float:
    """Return the angle between the segments (rad), a half turn where straight, from the length of the leg (m)."""
    return 2 * math.asin(leg / (2 * SEGMENT))


def extensor(path: my.Linear) -> my.Muscle:
    """Return the muscle of the knee along a path."""
    return my.Muscle(
        max_force=STRENGTH,
        optimal_fibre_length=0.1,
        tendon_slack_length=0.4,
        max_velocity=12.0,
        curves=my.VanDenBogert2011(hill_a=0.2, eccentric_force=1.5, tendon_strain=0.04),
        activation=my.HeActivation(activation_time=0.01, deactivation_time=0.01),
        default_activation=PRESTIMULATION,
        path=my.FunctionPath(length=path),
    )


def hopper() -> tuple[my.Model, my.Model]:
    """Return the hopper in flight and in stance."""
    landing = knee_angle(TOUCH_DOWN)
    flight = my.Model(
        name="flight",
        gravity=(0.0, -9.81, 0.0),
        bodies={"mass": my.Body(mass=MASS)},
        joints={"air": my.slider("ground", "mass", "height", axis="y", default=1.05)},
        muscles={
            "extensor": extensor(my.Linear(coordinate="height", slope=0.0, offset=LENGTH - ARM * (landing - REFERENCE)))
        },
    )
    # The mass is two segments times the sine of half the knee's angle above the foot.
    leg = my.Joint(
        parent=my.Placement(body="ground"),
        child=my.Placement(body="mass"),
        coordinates={"knee": my.Coordinate(default=landing)},
        axes=[
            my.Axis(
                motion="translation",
                direction="y",
                function=my.Fourier(coordinate="knee", period=4 * math.pi, sines=(2 * SEGMENT,)),
            )
        ],
    )
    stance = my.Model(
        name="stance",
        gravity=(0.0, -9.81, 0.0),
        bodies={"mass": my.Body(mass=MASS)},
        joints={"leg": leg},
        muscles={"extensor": extensor(my.Linear(coordinate="knee", slope=-ARM, offset=LENGTH + ARM * REFERENCE))},
    )
    return flight, stance


def lands(before: Mapping[str, float]) -> dict[str, float]:
    """Return the state of stance that begins with a touch-down."""
    angle = knee_angle(TOUCH_DOWN)
    speed = before["height.speed"] / (SEGMENT * math.cos(angle / 2))
    return {"knee": angle, "knee.speed": speed, **muscle(before)}


def leaves(before: Mapping[str, float]) -> dict[str, float]:
    """Return the state of flight that begins with a take-off."""
    speed = before["knee.speed"] * SEGMENT * math.cos(before["knee"] / 2)
    return {"height": 2 * SEGMENT * math.sin(before["knee"] / 2), "height.speed": speed, **muscle(before)}


def muscle(before: Mapping[str, float]) -> dict[str, float]:
    """Return the muscle's own states, which pass from phase to phase."""
    return {
        name: value for name, value in before.items() if name in ("extensor.projected_length", "extensor.activation")
    }


def hop(duration: float = 8.0, gain: float = GAIN, height: float = 1.05, delay: float = DELAY) -> my.Result:
    """Return hops that begin with a fall from a height (m) of the mass."""
    flight, stance = hopper()

    def answer(at: Mapping[str, float]) -> dict[str, float]:
        # In flight the leg waits for the ground with its constant excitation.
        felt = at["extensor.force"] / STRENGTH if at["mass.position_y"] < TOUCH_DOWN else 0.0
        return {"extensor": min(1.0, PRESTIMULATION + gain * felt)}

    reflex = my.Sampled(answer, period=PERIOD, delay=delay)
    events = [
        my.Switch(my.Crossing("height", "falling", level=TOUCH_DOWN), to=stance, carry=lands),
        my.Switch(my.Crossing("knee", "rising", level=knee_angle(TOUCH_DOWN)), to=flight, carry=leaves),
        my.Crossing("knee", "falling", level=my.degrees(60)),
    ]
    start = {"height": height, "height.speed": 0.0}
    return my.simulate(flight, duration, start=start, feedback=reflex, until=events, every=0.005)


def apexes(run: my.Result) -> np.ndarray:
    """Return the largest height of the mass (m) in each whole flight."""
    times = [time for time, _ in run.report.events]
    flights = zip(times[1::2], times[2::2], strict=False)
    height = run.values("mass.position_y")
    return np.array([height[(run.time >= begin) & (run.time <= end)].max() for begin, end in flights])


def measures(run: my.Result) -> tuple[float, float, float]:
    """Return height (m) and frequency (Hz) of the last hop, and stiffness of the leg (N/m): most force over way."""
    landings = [time for time, name in run.report.events if name.startswith("height")]
    last = (run.time >= landings[-2]) & (run.time <= landings[-1]) & ~np.isnan(run.values("knee"))
    leg, force = run.values("mass.position_y")[last], run.values("extensor.force")[last]
    pushes = ARM * force / np.sqrt(SEGMENT**2 - (leg / 2) ** 2)
    stiffness = float(pushes.max() / (TOUCH_DOWN - leg.min()))
    return float(apexes(run)[-1]) - TOUCH_DOWN, float(1 / (landings[-1] - landings[-2])), stiffness


def draw(runs: Mapping[str, my.Result]) -> None:
    """Draw the height of the mass over time."""
    figure, axes = plt.subplots(figsize=(7.0, 3.2), layout="constrained")
    for name, run in runs.items():
        axes.plot(run.time, run.values("mass.position_y"), label=name, linewidth=0.9)
    axes.axhline(TOUCH_DOWN, color="black", linewidth=0.6)
    axes.set(xlabel="time (s)", ylabel="height of the mass (m)")
    axes.legend(ncols=3)
    figure.savefig("force_reflex.png", dpi=90)


def main() -> None:
    """Hop from three heights, then with other gains; print the apexes; draw."""
    runs = {f"from {height:g} m": hop(5.0, height=height) for height in (1.05, 1.25)}
    runs["gain 1.8"] = hop(5.0, gain=1.8)
    runs["no feedback"] = hop(1.0, gain=0.0)
    for name, run in runs.items():
        print(f"{name:>15}   {run.report.status}, {', '.join(f'{apex:.3f}' for apex in apexes(run))}")
    draw(runs)
    print(f"\n{'gain':>6}{'height cm':>11}{'Hz':>7}{'kN/m':>7}")
    for gain in (1.4, 1.6, 2.0, 2.4, 2.8, 3.2):
        height, frequency, stiffness = measures(hop(6.0, gain=gain))
        print(f"{gain:6.1f}{100 * height:11.1f}{frequency:7.2f}{stiffness / 1000:7.1f}")
    low, high = (f"{value / 1000:g}" for value in PUBLISHED_STIFFNESS)
    print(f"The paper: at most {100 * PUBLISHED_HEIGHT:g} cm; low hops {PUBLISHED_FREQUENCY} Hz, {low} to {high} kN/m")


if __name__ == "__main__":
    main()
