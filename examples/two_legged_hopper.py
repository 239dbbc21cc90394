"""A runner on two springy legs, one at a time, by the laws of the hopper on one. Run it with

    python examples/two_legged_hopper.py

Raibert (1986, Legged Robots That Balance) runs a planar biped as a hopper on one leg: the leg that stands or comes to
stand obeys the three laws of ``examples/hopper.py``, the idle one is shortened and mirrors its angle. At lift-off the
legs exchange their roles. The tree begins at the foot of the active leg, so the exchange is a new tree of the same
body: the ``carry`` of the switch works out the other foot and its velocity. Both legs are alike; the idle one is
shortened by a motor that shifts the rest length of its spring. The script prints the speeds reached and the clearance
of the idle foot, and writes ``two_legged_hopper.png`` into the current folder. Masses, lengths and gains are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np
from hopper import (
    DURATION,
    GAINS,
    LEG,
    LENGTH,
    STIFFNESS,
    TARGETS,
    hop_speeds,
    hopper,
    in_flight,
    in_stance,
    lift_offs,
    pitch,
    reached,
    standing,
)

import myodyne as my

SHORTER = 0.2  # m, of the idle leg
# N s/m: critical for a leg of its mass on its spring.
LEG_DAMPING = 2 * math.sqrt(LEG * STIFFNESS)


def runner() -> tuple[my.Model, my.Model]:
    """Return the runner in flight and in stance."""
    one = hopper()[0]
    push, motor, spring = (one.forces[name] for name in ("push", "hip_motor", "spring"))
    flight = one.with_parts(
        bodies={"idle_thigh": one.bodies["thigh"], "idle_leg": one.bodies["leg"]},
        joints={
            "idle_hip": my.pin("body", "idle_thigh", "idle_hip"),
            "idle_shaft": my.slider("idle_thigh", "idle_leg", "idle_length", axis="-y", default=LENGTH - SHORTER),
        },
        forces={
            "idle_spring": spring.model_copy(update={"coordinate": "idle_length"}),
            "idle_push": push.model_copy(update={"coordinate": "idle_length"}),
            "idle_motor": motor.model_copy(update={"coordinate": "idle_hip"}),
        },
    )
    return flight, standing(flight)


def idle(at: Any) -> dict[str, ca.SX]:
    """Shorten the idle leg, and turn it to the mirrored angle of the active one."""
    angle = at["lean"] + at["hip"] + at["idle_hip"]
    turning = at["lean.speed"] + at["hip.speed"] + at["idle_hip.speed"]
    return {
        "idle_push": -STIFFNESS * SHORTER - LEG_DAMPING * at["idle_length.speed"],
        "idle_motor": -at["swing"] * (angle + at["lean"]) - at["swing_damping"] * (turning + at["lean.speed"]),
    }


def flying(at: Any) -> dict[str, ca.SX]:
    """Place the active foot; let the leg grow to its length without vibrating."""
    return in_flight(at) | {"push": -LEG_DAMPING * at["length.speed"]} | idle(at)


def exchanged(before: Mapping[str, float]) -> dict[str, float]:
    """Return the states of the same body with the tree begun at the other foot."""
    hip = before["foot_x"] - math.sin(before["lean"]) * before["length"]
    height = before["foot_y"] + math.cos(before["lean"]) * before["length"]
    angle = before["lean"] + before["hip"] + before["idle_hip"]
    turning = before["lean.speed"] + before["hip.speed"] + before["idle_hip.speed"]
    forwards, upwards = _velocity(before["lean"], before["lean.speed"], before["length"], before["length.speed"])
    back, down = _velocity(angle, turning, before["idle_length"], before["idle_length.speed"])
    return {
        "foot_x": hip + math.sin(angle) * before["idle_length"],
        "foot_y": height - math.cos(angle) * before["idle_length"],
        "lean": angle,
        "foot_x.speed": before["foot_x.speed"] + forwards - back,
        "foot_y.speed": before["foot_y.speed"] + upwards - down,
        "lean.speed": turning,
        "length": before["idle_length"],
        "length.speed": before["idle_length.speed"],
        "idle_length": before["length"],
        "idle_length.speed": before["length.speed"],
        "hip": -before["idle_hip"],
        "hip.speed": -before["idle_hip.speed"],
        "idle_hip": -before["hip"],
        "idle_hip.speed": -before["hip.speed"],
    }


def _velocity(angle: float, turning: float, length: float, growing: float) -> tuple[float, float]:
    """Return the velocity of the hip from the foot (m/s), along x and y."""
    return (
        -math.cos(angle) * turning * length - math.sin(angle) * growing,
        -math.sin(angle) * turning * length + math.cos(angle) * growing,
    )


def run_on_two_legs(duration: float = DURATION) -> my.Result:
    """Return the run."""
    flight, stance = runner()
    placing = ("stance_time", "place", "swing", "swing_damping")
    balancing = ("thrust", "upright", "upright_damping", "swing", "swing_damping")
    laws = {
        "flight": my.Feedback(flying, gains={name: GAINS[name] for name in placing}),
        "stance": my.Feedback(lambda at: in_stance(at) | idle(at), gains={name: GAINS[name] for name in balancing}),
    }
    events = [
        my.Switch(my.falls_through_zero("foot_y"), to=stance),
        my.Switch(my.falls_through_zero("hold_foot_y.torque"), to=flight, carry=exchanged),
        my.falls_through_zero("body.position_y"),
    ]
    start = {"foot_x.speed": TARGETS[0][1]}
    return my.simulate(flight, duration, start=start, feedback=laws, until=events, every=0.01)


def idle_foot(run: my.Result) -> np.ndarray:
    """Return the height of the idle foot (m); at lift-off it is the one that leaves the ground."""
    hip = run.values("foot_y") + np.cos(run.values("lean")) * run.values("length")
    return hip - np.cos(pitch(run) + run.values("idle_hip")) * run.values("idle_length")


def draw(run: my.Result) -> None:
    """Draw speed of each step with its target, the feet over two seconds, and pitch of the body."""
    figure, (speed, feet, angle) = plt.subplots(3, 1, figsize=(7.0, 5.5), layout="constrained")
    speed.plot(lift_offs(run)[:-1], hop_speeds(run), ".", label="mean of a step")
    speed.step(*np.transpose([*TARGETS, (DURATION, TARGETS[-1][1])]), where="post", color="black", label="target")
    speed.set(ylabel="speed (m/s)", ylim=(0.5, 1.5))
    speed.legend(ncols=2)
    shown = (run.time > 8.0) & (run.time < 10.0)
    # Roles are exchanged at lift-off, so each leg is the active one in every second step.
    second = np.searchsorted(lift_offs(run), run.time[shown]) % 2 == 1
    active, other = run.values("foot_y")[shown], idle_foot(run)[shown]
    feet.plot(run.time[shown], np.where(second, other, active), label="one foot")
    feet.plot(run.time[shown], np.where(second, active, other), label="the other")
    feet.set(ylabel="height (m)", xlabel="time (s)", ylim=(-0.02, 0.55))
    feet.legend(ncols=2)
    angle.plot(run.time, np.degrees(pitch(run)), linewidth=0.6)
    angle.set(ylabel="pitch (°)", xlabel="time (s)")
    figure.savefig("two_legged_hopper.png", dpi=90)


def main() -> None:
    """Run for a minute; print what was reached; draw it."""
    run = run_on_two_legs()
    print(f"{run.report.status}: {len(lift_offs(run))} steps, energy error {run.report.energy_error:.0e}\n")
    print(f"{'target m/s':>12}{'reached m/s':>13}{'spread of the last ten steps m/s':>34}")
    for value, speeds in reached(run):
        print(f"{value:12.2f}{speeds.mean():13.3f}{np.ptp(speeds):34.5f}")
    print(f"\nThe body pitches by at most {np.degrees(np.abs(pitch(run)).max()):.1f} degrees;")
    stands = ~np.isnan(run.values("hold_foot_y.torque"))
    print(f"in stance the idle foot stays {1000 * idle_foot(run)[stands].min():.0f} mm above the ground.")
    draw(run)


if __name__ == "__main__":
    main()
