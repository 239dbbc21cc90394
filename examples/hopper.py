"""A hopper on one leg that keeps its speed, its height and its attitude for a hundred hops. Run it with

    python examples/hopper.py

Raibert's planar hopper (1984, J. Dyn. Syst. Meas. Control 106:75-81; 1986, Legged Robots That Balance): a body, a leg
with a spring, a motor at the hip and one along the leg. Three laws that know nothing of each other control it:

- speed: in flight the hip moves the foot to where the coming stance will end as fast as it begins, and further
  forwards by an amount proportional to the error of speed;
- height: in stance the leg pushes with a constant force while it extends, which replaces what impact and friction
  cost;
- attitude: in stance, where the foot can transmit a moment, the hip turns the body upright.

Flight and stance are two models with a law each; touch-down and lift-off are events that switch between them. The
target speed changes by 30 % up and down during the run. The script prints the speeds reached and the steadiness of
the hops, and writes ``hopper.png`` into the current folder. Masses, lengths and gains are ours.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

BODY, LEG = 10.0, 0.5  # kg
LENGTH, STIFFNESS, FRICTION = 0.7, 4000.0, 8.0  # m, N/m, N s/m of the leg
# Targets of speed (m/s), each from its time (s) on.
TARGETS = ((0.0, 1.0), (15.0, 1.3), (30.0, 0.7), (45.0, 1.0))
DURATION = 60.0  # s

GAINS = {
    "stance_time": 0.165,  # s, from touch-down to lift-off
    "place": 0.06,  # s, how much further the foot goes for an error of speed
    "swing": 150.0,  # N m/rad and N m s/rad in flight, leg against its target
    "swing_damping": 10.0,
    "thrust": 45.0,  # N
    "upright": 200.0,  # N m/rad and N m s/rad in stance, body against the vertical
    "upright_damping": 30.0,
}
# Gains that switch off one law each.
WITHOUT = {
    "thrust": {"thrust": 0.0},
    "attitude control": {"upright": 0.0, "upright_damping": 0.0},
    "an answer to speed": {"place": 0.0},
}


def hopper() -> tuple[my.Model, my.Model]:
    """Return the hopper in flight and in stance.

    The tree begins at the foot, so that stance is flight with a foot that does not move, wherever it landed.
    """
    flight = my.Model(
        name="flight",
        bodies={
            "leg": my.Body(mass=LEG, centre_of_mass=(0.0, 0.1, 0.0), inertia=0.01),
            "thigh": my.Body(mass=0.1, inertia=0.001),
            "body": my.Body(mass=BODY, inertia=1.0),
        },
        joints={
            "foot": my.planar("ground", "leg", ("foot_x", "foot_y", "lean"), foot_y={"default": 0.3}),
            "shaft": my.slider("leg", "thigh", "length", axis="y", default=LENGTH),
            "hip": my.pin("thigh", "body", "hip"),
        },
        forces={
            "spring": my.TorsionSpring(coordinate="length", stiffness=STIFFNESS, damping=FRICTION, rest=LENGTH),
            "push": my.CoordinateActuator(coordinate="length"),
            "hip_motor": my.CoordinateActuator(coordinate="hip"),
        },
    )
    return flight, standing(flight)


def standing(flight: my.Model) -> my.Model:
    """Return a hopper whose foot does not move."""
    held = {f"hold_{name}": my.SpeedConstraint(coordinate=name, speed=0.0) for name in ("foot_x", "foot_y")}
    return flight.with_parts(constraints=held).model_copy(update={"name": "stance"})


def target(time: ca.SX) -> ca.SX:
    """Return the target of speed (m/s) at a time."""
    speed = ca.SX(TARGETS[0][1])
    for begin, value in TARGETS[1:]:
        speed = ca.if_else(time < begin, speed, value)
    return speed


def in_flight(at: Any) -> dict[str, ca.SX]:
    """Place the foot; damp the vibration of the leg."""
    speed = at["body.velocity_x"]
    ahead = speed * at["stance_time"] / 2 + at["place"] * (speed - target(at.time))
    error = at["lean"] - ca.asin(ca.fmin(ca.fmax(ahead / LENGTH, -0.6), 0.6))
    # The motor turns the leg by its reaction.
    return {
        "hip_motor": at["swing"] * error + at["swing_damping"] * at["lean.speed"],
        "push": -40.0 * at["length.speed"],
    }


def in_stance(at: Any) -> dict[str, ca.SX]:
    """Turn the body upright; push while the leg extends."""
    pitch, turning = at["lean"] + at["hip"], at["lean.speed"] + at["hip.speed"]
    extends = (1 + ca.tanh(at["length.speed"] / 0.1)) / 2
    return {
        "hip_motor": -at["upright"] * pitch - at["upright_damping"] * turning,
        "push": at["thrust"] * extends,
    }


def hop(duration: float = DURATION, **gains: float) -> my.Result:
    """Return the run; gains replace those above."""
    flight, stance = hopper()
    chosen = GAINS | gains
    laws = {
        "flight": my.Feedback(
            in_flight, gains={n: chosen[n] for n in ("stance_time", "place", "swing", "swing_damping")}
        ),
        "stance": my.Feedback(in_stance, gains={n: chosen[n] for n in ("thrust", "upright", "upright_damping")}),
    }
    events = [
        my.Switch(my.falls_through_zero("foot_y"), to=stance),
        my.Switch(my.falls_through_zero("hold_foot_y.torque"), to=flight),
        my.falls_through_zero("body.position_y"),
    ]
    start = {"foot_x.speed": TARGETS[0][1]}
    return my.simulate(flight, duration, start=start, feedback=laws, until=events, every=0.01)


def lift_offs(run: my.Result) -> np.ndarray:
    """Return the times of the lift-offs (s)."""
    return np.array([time for time, name in run.report.events if name.startswith("hold_foot_y")])


def pitch(run: my.Result) -> np.ndarray:
    """Return the angle of the body from upright (rad)."""
    return run.values("lean") + run.values("hip")


def hop_speeds(run: my.Result) -> np.ndarray:
    """Return the mean speed of each hop (m/s), from lift-off to lift-off."""
    times = lift_offs(run)
    return np.diff(np.interp(times, run.time, run.values("body.position_x"))) / np.diff(times)


def reached(run: my.Result) -> list[tuple[float, np.ndarray]]:
    """Return each target (m/s) with the speeds of the last ten hops before the next."""
    ends = [begin for begin, _ in TARGETS[1:]] + [DURATION]
    begins, speeds = lift_offs(run)[:-1], hop_speeds(run)
    return [(value, speeds[begins < end - 0.7][-10:]) for (_, value), end in zip(TARGETS, ends, strict=True)]


def draw(run: my.Result) -> None:
    """Draw speed of each hop with its target, height and pitch of the body over time."""
    figure, (speed, height, angle) = plt.subplots(3, 1, figsize=(7.0, 5.0), sharex=True, layout="constrained")
    speed.plot(lift_offs(run)[:-1], hop_speeds(run), ".", label="mean of a hop")
    speed.step(*np.transpose([*TARGETS, (DURATION, TARGETS[-1][1])]), where="post", color="black", label="target")
    speed.set(ylabel="speed (m/s)", ylim=(0.5, 1.5))
    speed.legend(ncols=2)
    height.plot(run.time, run.values("body.position_y"), linewidth=0.6)
    height.set_ylabel("height (m)")
    angle.plot(run.time, np.degrees(pitch(run)), linewidth=0.6)
    angle.set(ylabel="pitch (°)", xlabel="time (s)")
    figure.savefig("hopper.png", dpi=90)


def main() -> None:
    """Hop for a minute; print what was reached; draw it."""
    run = hop()
    print(f"{run.report.status}: {len(lift_offs(run))} hops, energy error {run.report.energy_error:.0e}\n")
    print(f"{'target m/s':>12}{'reached m/s':>13}{'spread of the last ten hops m/s':>34}")
    for value, speeds in reached(run):
        print(f"{value:12.2f}{speeds.mean():13.3f}{np.ptp(speeds):34.5f}")
    print(f"\nThe body pitches by at most {np.degrees(np.abs(pitch(run)).max()):.1f} degrees.")
    print(f"\nAfter {TARGETS[1][0]:g} s without one of the laws, target {TARGETS[0][1]:g} m/s:")
    for name, gains in WITHOUT.items():
        other = hop(TARGETS[1][0], **gains)
        end = f"falls after {other.time[-1]:.1f} s" if other.report.status != "completed" else "hops"
        turned = np.degrees(np.abs(pitch(other)).max())
        print(f"without {name} it {end}, {hop_speeds(other)[-1]:.2f} m/s, pitch up to {turned:.0f} degrees")
    draw(run)


if __name__ == "__main__":
    main()
