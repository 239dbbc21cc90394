"""A planar person that jumps with six muscle groups, as van Soest and Bobbert 1993 modelled it."""

from __future__ import annotations

import math
from typing import NamedTuple

from myodyne.library.leg_muscles import LEG_TURNS, leg_limits, leg_muscles
from myodyne.library.mobility import tidy
from myodyne.library.muscle_pictures import with_leg_pictures
from myodyne.model.bodies import Body, Marker
from myodyne.model.constraints import PointConstraint
from myodyne.model.forces import JointLimit
from myodyne.model.joints import Joint, pin, planar
from myodyne.model.model import Model
from myodyne.model.part import Vector

_SOURCE = (
    "The jumper of van Soest and Bobbert 1993 (Biol. Cybern. 69, 195-204) with the segments, muscles and start of "
    "Wong, Bobbert, van Soest, Gribble and Kistemaker 2016 (PLoS ONE 11, e0150019) and Bobbert's parameter files: "
    "feet, shanks, thighs, and head, arms and trunk, 82.25 kg; both legs as one. The toes are held on the ground by a "
    "constraint. The heel is stopped by the ground at 2.743 rad with 30 kN m/rad and 300 N m s/rad, numbers of J. D. "
    "Wong's program jumper_2017, which leaves this torque out. Chosen: limits of the joints, which no published jump "
    "reaches before take-off."
)


class _Segment(NamedTuple):
    """Length, distance of the centre of mass from the lower end (m), mass (kg), inertia about it (kg m²), direction."""

    length: float
    centre: float
    mass: float
    inertia: float
    start: float

    def body(self, direction: float) -> Body:
        """Return the body; ``direction`` (rad) is that of the segment in its own frame."""
        return Body(mass=self.mass, centre_of_mass=_along(self.centre, direction), inertia=self.inertia)


# Directions at the start are angles from straight forwards to the line from the lower to the upper end (rad).
_FOOT = _Segment(0.165, 0.12, 2.46767, 0.02, 2.5277)
_SHANK = _Segment(0.4449, 0.2523, 7.07369, 0.135978, 0.8295)
_THIGH = _Segment(0.4451, 0.2524, 16.944, 0.418042, 2.5385)
_HAT = _Segment(0.5, 0.292168, 55.767, 3.90151, 0.7504)
# The direction of a foot that stands flat.
FLAT_FOOT = 2.743
_UP = math.pi / 2
# The excitations that hold the crouch, as Wong et al. have them.
_REST = {
    "soleus": 0.0535111,
    "gastrocnemius": 0.0708447,
    "vasti": 0.0559828,
    "rectus_femoris": 0.136135,
    "glutei": 0.0777029,
    "hamstrings": 0.0611843,
}


def jumper() -> Model:
    """Return a planar person with six muscle groups in a deep crouch, the toes held on the ground.

    Angles are those of `jumper_skeleton`: zero upright with flat feet; hip flexion and ankle dorsiflexion are positive,
    knee flexion is negative. ``toe`` turns the feet about the toes, negative when the heels rise, and ``toe_x``,
    ``toe_y`` are where the toes are. Muscles: ``soleus``, ``gastrocnemius``, ``vasti``, ``rectus_femoris``, ``glutei``
    and ``hamstrings``. The constraint ``stance`` holds the toes; the jumper takes off where ``stance.force_y`` falls
    through zero, and flies without it and without ``heel_stop``.

    Examples
    --------
    >>> list(jumper().coordinates)
    ['toe_x', 'toe_y', 'toe', 'ankle', 'knee', 'hip']
    """
    person = Model(
        name="jumper",
        source=_SOURCE,
        # The value with which the published jumps were computed.
        gravity=(0.0, -9.81, 0.0),
        bodies={
            "foot": _FOOT.body(FLAT_FOOT),
            "shank": _SHANK.body(_UP),
            "thigh": _THIGH.body(_UP),
            "hat": _HAT.body(_UP),
        },
        joints=_joints(),
        markers={
            "toes": Marker(body="foot"),
            "ankle_centre": Marker(body="shank"),
            "knee_centre": Marker(body="thigh"),
            "hip_centre": Marker(body="hat"),
            "hat_top": Marker(body="hat", at=_along(_HAT.length, _UP)),
        },
        muscles=leg_muscles(FLAT_FOOT, legs=2, rest=_REST),
        forces={
            "heel_stop": JointLimit(coordinate="toe", lower=tidy(-math.pi), upper=0.0, stiffness=30e3, damping=300.0),
            **leg_limits(legs=2),
        },
        constraints={"stance": PointConstraint(first=Marker(body="foot"), second=Marker(body="ground"), axes="xy")},
    )
    return with_leg_pictures(person, trunk="hat")


def _joints() -> dict[str, Joint]:
    """Return the joints from the ground to the trunk."""
    turns = {
        "toe": _FOOT.start - FLAT_FOOT,
        "shank": _SHANK.start - _UP,
        "thigh": _THIGH.start - _UP,
        "hat": _HAT.start - _UP,
    }
    angles = (turns["toe"] - turns["shank"], turns["shank"] - turns["thigh"], turns["thigh"] - turns["hat"])
    joints: dict[str, Joint] = {
        "toe": planar("ground", "foot", ("toe_x", "toe_y", "toe"), toe={"default": tidy(turns["toe"])})
    }
    # The tree grows from the ground, so the distal segment is the parent: the axis -z keeps the sense of the angles.
    places = (
        ("foot", _along(_FOOT.length, FLAT_FOOT), "shank"),
        ("shank", _along(_SHANK.length, _UP), "thigh"),
        ("thigh", _along(_THIGH.length, _UP), "hat"),
    )
    for turn, (parent, at, child), angle in zip(LEG_TURNS, places, angles, strict=True):
        joints[turn.coordinate] = pin(
            {"body": parent, "at": at},
            child,
            turn.coordinate,
            turn.axis,
            default=tidy(angle),
            range=turn.options["range"],
        )
    return joints


def _along(distance: float, direction: float) -> Vector:
    # To a billionth of a millimetre: straight up is straight up.
    return (round(distance * math.cos(direction), 12), round(distance * math.sin(direction), 12), 0.0)
