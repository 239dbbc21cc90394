"""Planar skeletons of a person: one that jumps, one that runs.

x points forward, y up, z to the right. An angle counts the turn of the distal segment against the proximal one
about +z, counter-clockwise as seen from the right side: hip flexion, ankle dorsiflexion, shoulder and elbow flexion
are positive, knee flexion is negative. All angles are zero when the person stands upright.
"""

from __future__ import annotations

from collections.abc import Mapping

from myodyne.library import anthropometry, mobility
from myodyne.library.anthropometry import PlanarSegment, winter_segments
from myodyne.library.mobility import Turn, radians, tidy
from myodyne.model.bodies import Body, Marker
from myodyne.model.forces import JointLimit
from myodyne.model.joints import Joint, pin, planar
from myodyne.model.model import Model
from myodyne.model.part import Vector

_SOURCE = (
    "Masses, centres of mass and radii of gyration: Winter 2009, table 4.1 (after Dempster); lengths: Drillis and "
    "Contini 1966 (Winter 2009, figure 4.1); ranges: American Academy of Orthopaedic Surgeons 1965; body mass "
    "{mass:g} kg, height {height:g} m. "
)


def _point(x: float, y: float) -> Vector:
    return (tidy(x), tidy(y), 0.0)


def _segment(segment: PlanarSegment, centre: Vector, count: int = 1) -> Body:
    """Return ``count`` equal segments side by side as one body."""
    # One number for all axes: a planar model never turns about the others.
    return Body(mass=tidy(count * segment.mass), centre_of_mass=centre, inertia=tidy(count * segment.inertia))


def flat_foot(height: float) -> tuple[Vector, Vector, Vector, Vector]:
    """Return heel, metatarsal heads, tip of the toes and centre of mass of a flat foot, seen from the ankle."""
    length, sole = anthropometry.FOOT_LENGTH * height, -anthropometry.ANKLE_HEIGHT * height
    heel = -anthropometry.ANKLE_ALONG_FOOT * length
    ball = heel + anthropometry.BALL_ALONG_FOOT * length
    # Winter's foot has its centre of mass midway between malleolus and metatarsal head.
    middle = anthropometry.WINTER["foot"].centre
    return _point(heel, sole), _point(ball, sole), _point(heel + length, sole), _point(middle * ball, middle * sole)


_JUMPER_TURNS = (
    # Under the weight of the body an ankle bends further than the 20 degrees of an examination.
    Turn("ankle", "-z", -50, 40, 320, default=30),
    Turn("knee", "-z", -135, 5, 440, default=-90),
    Turn("hip", "-z", -30, 120, 440, default=100),
)
# The heel rises to the tip of the toes; the few degrees below the ground are the give of the heel.
_TOE = Turn("toe", "z", -85, 5, 0)


def jumper_skeleton(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a planar person of four segments whose forefoot is pinned to the ground, in a deep crouch.

    Both legs move as one. ``toe`` is the turn of the foot about the metatarsal heads: negative when the heel
    rises, held at zero by a stiff limit in the place of the ground below the heel.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> list(jumper_skeleton().coordinates)
    ['toe', 'ankle', 'knee', 'hip']
    """
    sized = winter_segments(mass, height)
    shank, thigh, hat = sized["shank"], sized["thigh"], sized["hat"]
    heel, ball, _, foot_centre = flat_foot(height)
    ankle = _point(-ball[0], -ball[1])
    head_top = _point(0.0, height * (1 - anthropometry.HIP_HEIGHT))
    ankle_turn, knee_turn, hip_turn = _JUMPER_TURNS
    return Model(
        name="jumper_skeleton",
        source=_SOURCE.format(mass=mass, height=height) + "Four planar segments as in the jumpers of van Soest and "
        "Bobbert 1993, both legs as one; feet turn about the metatarsal heads, which are pinned to the ground. Pose, "
        "motors and limits are chosen, not measured.",
        bodies={
            "foot": _segment(sized["foot"], _point(foot_centre[0] - ball[0], foot_centre[1] - ball[1]), 2),
            "shank": _segment(shank, _point(0.0, shank.length - shank.centre), 2),
            "thigh": _segment(thigh, _point(0.0, thigh.length - thigh.centre), 2),
            "hat": _segment(hat, _point(0.0, hat.centre)),
        },
        # The tree grows from the ground, so the distal segment is the parent: the axis -z keeps the sense of the
        # angles.
        joints={
            "toe": pin("ground", "foot", "toe", "z", **_TOE.options),
            "ankle": pin({"body": "foot", "at": ankle}, "shank", "ankle", "-z", **ankle_turn.options),
            "knee": pin({"body": "shank", "at": _point(0.0, shank.length)}, "thigh", "knee", "-z", **knee_turn.options),
            "hip": pin({"body": "thigh", "at": _point(0.0, thigh.length)}, "hat", "hip", "-z", **hip_turn.options),
        },
        markers={
            "ball_of_foot": Marker(body="foot"),
            "heel": Marker(body="foot", at=_point(heel[0] - ball[0], heel[1] - ball[1])),
            "ankle_centre": Marker(body="shank"),
            "knee_centre": Marker(body="thigh"),
            "hip_centre": Marker(body="hat"),
            "shoulder_centre": Marker(body="hat", at=_point(0.0, hat.length)),
            "head_top": Marker(body="hat", at=head_top),
        },
        forces={**mobility.motors(_JUMPER_TURNS, mass, height), **_jumper_limits(mass, height)},
    )


def _jumper_limits(mass: float, height: float) -> dict[str, JointLimit]:
    size = mass * height / (75.0 * 1.75)

    def limit(turn: Turn, upper: float, stiffness: float, transition: float) -> JointLimit:
        return JointLimit(
            coordinate=turn.coordinate,
            lower=radians(turn.lowest),
            upper=upper,
            stiffness=tidy(stiffness * size),
            damping=tidy(0.02 * stiffness * size),
            transition=transition,
        )

    # The ground gives 0.01 rad, 2 mm at the heel, under the torque of the crouching body; ligaments give more.
    limits = {"toe_limit": limit(_TOE, 0.0, 8000.0, 0.005)}
    limits.update(
        {f"{turn.coordinate}_limit": limit(turn, radians(turn.highest), 1500.0, 0.03) for turn in _JUMPER_TURNS}
    )
    return limits


_RUNNER_NECK = mobility.NECK[0]._replace(coordinate="neck")
_RUNNER_LIMBS = (
    mobility.HIP[0]._replace(coordinate="hip"),
    mobility.KNEE[0],
    # Under load an ankle bends further than the 20 degrees of an examination, and a runner swings the elbow behind the
    # back, 72 degrees in the recorded run of the tests, where 60 are the examination's.
    mobility.ANKLE[0]._replace(highest=40),
    mobility.SHOULDER[0]._replace(coordinate="shoulder", lowest=-90),
    mobility.ELBOW[0],
)


def runner_skeleton(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a planar person of twelve segments and fourteen degrees of freedom, standing on the ground.

    ``pelvis_x`` and ``pelvis_y`` are where the hips are, ``pelvis_tilt`` turns the trunk (positive backwards).
    Nothing holds the body up: there is no contact with the ground in this model. `runner` has feet and muscles.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> runner = runner_skeleton(mass=60.0, height=1.65)
    >>> len(runner.bodies), len(runner.coordinates)
    (12, 14)
    """
    sized = winter_segments(mass, height)
    trunk, head = sized["trunk"], sized["head_neck"]
    shoulder = _point(0.0, trunk.length)
    bodies = {
        "trunk": _segment(trunk, _point(0.0, trunk.centre)),
        "head": _segment(head, _point(0.0, head.centre)),
    }
    joints = {
        "pelvis": planar(
            "ground",
            "trunk",
            ("pelvis_x", "pelvis_y", "pelvis_tilt"),
            pelvis_y={"default": tidy(height * anthropometry.HIP_HEIGHT)},
        ),
        "neck": pin({"body": "trunk", "at": shoulder}, "head", "neck", "z", **_RUNNER_NECK.options),
    }
    markers = {"head_top": Marker(body="head", at=_point(0.0, height * (1 - anthropometry.SHOULDER_HEIGHT)))}
    turns = [_RUNNER_NECK]
    for side in ("r", "l"):
        bodies.update(_runner_bodies(sized, height, side))
        joints.update(_runner_joints(sized, shoulder, side))
        markers.update(_runner_markers(sized, height, side))
        turns += [turn.on(side) for turn in _RUNNER_LIMBS]
    return Model(
        name="runner_skeleton",
        source=_SOURCE.format(mass=mass, height=height) + "Twelve planar segments and fourteen degrees of freedom as "
        "in the runner of Selbie 1989; the trunk's moment of inertia is that of trunk, head and neck less the head "
        "and neck. Motors and limits are chosen, not measured.",
        bodies=bodies,
        joints=joints,
        markers=markers,
        forces={**mobility.motors(turns, mass, height), **mobility.limits(turns, mass, height)},
    )


def _runner_bodies(sized: Mapping[str, PlanarSegment], height: float, side: str) -> dict[str, Body]:
    hanging = {"thigh": "thigh", "shank": "shank", "upper_arm": "upper_arm", "forearm": "forearm_hand"}
    bodies = {f"{body}_{side}": _segment(sized[row], _point(0.0, -sized[row].centre)) for body, row in hanging.items()}
    return bodies | {f"foot_{side}": _segment(sized["foot"], flat_foot(height)[3])}


def _runner_joints(sized: Mapping[str, PlanarSegment], shoulder: Vector, side: str) -> dict[str, Joint]:
    def below(row: str) -> Vector:
        return _point(0.0, -sized[row].length)

    places = (
        ("trunk", (0.0, 0.0, 0.0), f"thigh_{side}"),
        (f"thigh_{side}", below("thigh"), f"shank_{side}"),
        (f"shank_{side}", below("shank"), f"foot_{side}"),
        ("trunk", shoulder, f"upper_arm_{side}"),
        (f"upper_arm_{side}", below("upper_arm"), f"forearm_{side}"),
    )
    joints = {}
    for (parent, at, child), turn in zip(places, _RUNNER_LIMBS, strict=True):
        turn = turn.on(side)
        joints[turn.coordinate] = pin({"body": parent, "at": at}, child, turn.coordinate, "z", **turn.options)
    return joints


def _runner_markers(sized: Mapping[str, PlanarSegment], height: float, side: str) -> dict[str, Marker]:
    heel, ball, toe_tip, _ = flat_foot(height)
    fingertip = _point(0.0, -(sized["forearm"].length + sized["hand"].length))
    return {
        f"heel_{side}": Marker(body=f"foot_{side}", at=heel),
        f"ball_of_foot_{side}": Marker(body=f"foot_{side}", at=ball),
        f"toe_tip_{side}": Marker(body=f"foot_{side}", at=toe_tip),
        f"fingertip_{side}": Marker(body=f"forearm_{side}", at=fingertip),
    }
