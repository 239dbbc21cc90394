"""The jump of ``myodyne demo``: from a crouch to the landing, driven by motors in ankle, knee and hip.

The forefoot is held on the ground by a constraint, and let go when the ground would have to pull.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from myodyne.data import Result
    from myodyne.model import Model
    from myodyne.simulate import Crossing, Signal

CONTACT = "ground_contact"
# On the ground the heel carries weight, so that the foot is pressed into it by half a degree.
START = {"toe": 0.008}
# Controls of the motors during the push-off, as control values of B-splines from 0 to PUSH_OFF (s): shares of
# their largest torque. The first two of each hold the crouch. The rest was found by an evolution strategy that
# looked for smooth torques, a ground reaction below 1700 N, an extended body at take-off, and no spin or drift.
PUSH_OFF = 0.374
_CONTROLS = {
    "ankle_motor": (-0.089, -0.089, 0.13, 0.088, -0.284, -0.653, -0.661, -0.407, 0.0),
    "knee_motor": (0.266, 0.266, 0.168, 0.4, 0.674, 0.735, 0.566, 0.372, 0.0),
    "hip_motor": (-0.228, -0.228, -0.364, -0.553, -0.428, -0.061, 0.175, 0.155, 0.0),
}
# In the air springs and dampers bring the body into a pose to land in: stiffness (N m/rad), angle (rad), damping
# (N m s/rad).
_TONE = {"ankle": (25.0, -0.35, 2.0), "knee": (60.0, -0.45, 8.0), "hip": (80.0, 0.35, 10.0)}
# The toes have left the ground for good, and are back, when they are this high (m).
_TOUCH_DOWN = 0.001


def jumper() -> tuple[Model, Model]:
    """Return the jumper on the ground, and in the air."""
    from myodyne.files import load_model
    from myodyne.model import Marker, PointConstraint, TorsionSpring, planar

    pinned = load_model("jumper_skeleton").model_copy(update={"name": "jump"})
    turn = pinned.coordinates["toe"].model_dump()
    loose = pinned.with_parts(joints={"toe": planar("ground", "foot", ("toe_x", "toe_y", "toe"), toe=turn)})
    contact = PointConstraint(first=Marker(body="foot"), second=Marker(body="ground"), axes="xy")
    tone = {
        f"{joint}_tone": TorsionSpring(coordinate=joint, stiffness=stiffness, rest=rest, damping=damping)
        for joint, (stiffness, rest, damping) in _TONE.items()
    }
    # The limit of the toe is the ground below the heel: there is none in the air.
    return loose.with_parts(constraints={CONTACT: contact}), loose.without("toe_limit").with_parts(forces=tone)


def controls() -> dict[str, Signal]:
    """Return the controls of the motors."""
    from myodyne.simulate import bspline

    return {motor: bspline(values, start=0.0, end=PUSH_OFF) for motor, values in _CONTROLS.items()}


def touch_down() -> Crossing:
    """Return the event that the toes come back to the ground."""
    from myodyne.simulate import Crossing

    return Crossing("ball_of_foot.position_y", "falling", _TOUCH_DOWN)


def jump() -> Result:
    """Return the whole jump, until the toes touch the ground again."""
    from myodyne.simulate import Switch, falls_through_zero, simulate

    on_ground, in_air = jumper()
    take_off = Switch(falls_through_zero(f"{CONTACT}.force_y"), to=in_air)
    return simulate(
        on_ground, duration=2.0, start=START, controls=controls(), until=[take_off, touch_down()], every=0.001
    )
