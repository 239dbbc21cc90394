"""Freewheeling: a crank that drives a wheel and never brakes it. Run it with

    python examples/freewheel.py

The built-in cyclist ``cyclist_one_crank`` pedals for a second, then for another with half the moments, then lets the
legs hang. A heavy wheel on the crank axis represents the inertia of the bicycle. The clutch between crank and wheel is
a constraint on their relative rotation (``overrun``). It releases as soon as the wheel would have to pull the crank,
and engages again when the crank catches up with the wheel. With half the moments this happens in every half revolution,
because the legs are too slow around the dead points.

Casius, Bobbert and van Soest (2004) suggest this at the end of their paper: model freewheeling by a second crank that
is coupled to the first by a constraint, and released.
"""

from __future__ import annotations

import numpy as np
from sprint_cycling import REVOLUTION, two_legs

import myodyne as my

# Rider and bicycle, and the distance (m) they travel per radian of the crank: a wheel of 0.335 m, 52 teeth
# in front and 17 behind.
MASS, WAY = 85.0, 0.335 * 52 / 17
# Fraction of the leg moments over time (s, fraction), linear in between.
EFFORT = ((0.0, 1.0), (1.0, 1.0), (1.1, 0.5), (2.0, 0.5), (2.1, 0.0))
POWER = 500.0  # W for each leg, on average
# Resistance of road and air (N m at the crank): equal to what the legs supply while they pedal.
RESISTANCE = 2 * POWER * REVOLUTION / (2 * np.pi)
# Friction of the hanging legs (N m s/rad).
JOINT_DAMPING = 1.0


def cyclist() -> tuple[my.Model, my.Model, dict[str, float], dict[str, my.Signal]]:
    """Return the cyclist with the clutch engaged and released, the initial state, and the motor controls."""
    pedalling = two_legs(my.load_model("cyclist_one_crank"), POWER)
    inertia = MASS * WAY**2
    gripping = pedalling.model.without("drive").with_parts(
        bodies={"wheel": my.Body(mass=1.0, inertia=inertia)},
        # Clockwise is negative: a wheel that overruns the crank has a negative relative speed.
        joints={"hub": my.pin("crank_set", "wheel", "overrun")},
        forces={
            "road": my.BodyTorque(body="wheel", torque=(0.0, 0.0, RESISTANCE)),
            **{
                f"{name}_friction": my.TorsionSpring(coordinate=name, damping=JOINT_DAMPING)
                for name in ("knee_r", "hip_r", "knee_l", "hip_l")
            },
        },
        constraints={"clutch": my.SpeedConstraint(coordinate="overrun", speed=0.0)},
    )
    controls = {name: with_effort(signal) for name, signal in pedalling.controls.items()}
    return gripping, gripping.without("clutch"), dict(pedalling.start), controls


def with_effort(signal: my.Signal) -> my.Signal:
    """Return a signal scaled by the effort at each time."""
    times = np.arange(0.0, EFFORT[-1][0] + REVOLUTION, REVOLUTION / 40)
    given = signal(times) * np.interp(times, *np.transpose(EFFORT))
    return my.recorded(my.Trajectory(times, {"given": given}), "given", smooth=True)


def ride(duration: float = 4.0) -> my.Result:
    """Return the simulation."""
    gripping, open_clutch, start, controls = cyclist()
    events = [
        my.Switch(my.rises_through_zero("clutch.torque"), to=open_clutch),
        my.Switch(my.rises_through_zero("overrun.speed"), to=gripping),
    ]
    return my.simulate(gripping, duration, start=start, controls=controls, until=events, every=0.005)


def main() -> None:
    """Print when the clutch released and engaged, and the speeds of crank and wheel."""
    run = ride()
    for moment, name in run.report.events:
        print(f"{moment:8.4f} s  {'the clutch lets go' if name.startswith('clutch') else 'the clutch grips'}")
    crank, wheel = run.values("crank.speed"), run.values("crank.speed") + run.values("overrun.speed")
    print(f"\n{'time s':>8}{'crank rad/s':>13}{'wheel rad/s':>13}{'km/h':>8}{'clutch N m':>12}")
    for row in range(0, len(run.time), 40):
        torque = run.values("clutch.torque")[row]
        shown = "open" if np.isnan(torque) else f"{-torque:.1f}"
        print(f"{run.time[row]:8.2f}{crank[row]:13.3f}{wheel[row]:13.3f}{-3.6 * WAY * wheel[row]:8.1f}{shown:>12}")


if __name__ == "__main__":
    main()
