"""A skeleton of the whole body in space.

x points forward, y up, z to the right. All angles are zero in the anatomical position: upright, arms hanging, palms
forward. Every segment has its origin in its proximal joint and hangs along -y from it, the foot lies along +x; head
and torso stand on theirs. Left joints are the mirror images of the right ones, so that a positive angle is the
same motion of the body on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from myodyne.library import anthropometry, mobility
from myodyne.library.anthropometry import Sex, SpatialSegment, de_leva_segments
from myodyne.library.mobility import Turn, tidy
from myodyne.model.bodies import Body, Inertia, Marker, Placement
from myodyne.model.joints import Joint, free
from myodyne.model.model import Model
from myodyne.model.part import Vector

_SIDES = {"r": 1.0, "l": -1.0}


def full_body(mass: float = 75.0, height: float = 1.75, sex: Sex = "male") -> Model:
    """Return a person of fifteen segments and 38 degrees of freedom in space, standing on the ground.

    The pelvis is free: its turns are tilt (z), list (x) and rotation (y), singular only when it lies on its side.
    Nothing holds the body up: there is no contact with the ground in this model.

    De Leva's mean lengths from vertex to ankle and the height of the ankle make together 1.020 (men) or 0.999
    (women) of the stature; all lengths are divided by that number, so that the person is as tall as asked for.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).
    sex : {"male", "female"}
        The sample of de Leva's table.

    Examples
    --------
    >>> person = full_body(mass=62.0, height=1.68, sex="female")
    >>> len(person.bodies), len(person.coordinates)
    (15, 38)
    """
    sized = de_leva_segments(mass, height, sex)
    factor = height / _stacked_height(sized, height)
    sized = {name: _resized(segment, factor) for name, segment in sized.items()}
    ankle_height = factor * anthropometry.ANKLE_HEIGHT * height
    bodies = {"pelvis": _pelvis(sized), "torso": _torso(sized), "head": _head(sized)}
    joints = _middle_joints(sized, ankle_height)
    turns = [*mobility.BACK, *mobility.NECK]
    markers = {"head_top": Marker(body="head", at=_point(0.0, sized["head_2"].length, 0.0))}
    for side in _SIDES:
        bodies.update(_limb_bodies(sized, ankle_height, side))
        limb_joints, limb_turns = _limb_joints(sized, height, side)
        joints.update(limb_joints)
        turns += limb_turns
        markers.update(_limb_markers(sized, ankle_height, side))
    return Model(
        name="full_body",
        source=f"Masses, centres of mass, radii of gyration and lengths: de Leva 1996, table 4 ({sex}); height of the "
        "ankle: Drillis and Contini 1966; widths of hips and shoulders: Rajagopal et al. 2016; ranges: American "
        f"Academy of Orthopaedic Surgeons 1965; body mass {mass:g} kg, height {height:g} m. Lengths are multiplied by "
        f"{factor:.4f}, so that they add up to the height. Motors are chosen, not measured.",
        bodies=bodies,
        joints=joints,
        markers=markers,
        forces=mobility.motors(turns, mass, height),
    )


def _stacked_height(sized: Mapping[str, SpatialSegment], height: float) -> float:
    """Return the height (m) of the table's segments, put one upon the other from sole to vertex."""
    rows = ("shank", "thigh", "lower_trunk", "middle_trunk", "upper_trunk_2", "head_2")
    return anthropometry.ANKLE_HEIGHT * height + sum(sized[row].length for row in rows)


def _resized(segment: SpatialSegment, factor: float) -> SpatialSegment:
    """Return a segment of the same mass and shape with all its lengths multiplied."""
    mass, length, centre, *moments = segment
    sagittal, transverse, longitudinal = (factor**2 * moment for moment in moments)
    return SpatialSegment(mass, factor * length, factor * centre, sagittal, transverse, longitudinal)


def _point(x: float, y: float, z: float) -> Vector:
    return (tidy(x), tidy(y), tidy(z))


def _upright(segment: SpatialSegment, centre_height: float) -> Body:
    """Return a segment whose long axis is y."""
    return Body(
        mass=tidy(segment.mass),
        centre_of_mass=_point(0.0, centre_height, 0.0),
        inertia=Inertia(xx=tidy(segment.sagittal), yy=tidy(segment.longitudinal), zz=tidy(segment.transverse)),
    )


def _pelvis(sized: Mapping[str, SpatialSegment]) -> Body:
    segment = sized["lower_trunk"]
    return _upright(segment, segment.length - segment.centre)


def _head(sized: Mapping[str, SpatialSegment]) -> Body:
    segment = sized["head_2"]
    return _upright(segment, segment.length - segment.centre)


def _torso(sized: Mapping[str, SpatialSegment]) -> Body:
    """Return the middle and the upper trunk as one body, from the navel up to the seventh cervical vertebra."""
    middle, upper = sized["middle_trunk"], sized["upper_trunk_2"]
    centres = (middle.length - middle.centre, middle.length + upper.length - upper.centre)
    mass = middle.mass + upper.mass
    centre = (middle.mass * centres[0] + upper.mass * centres[1]) / mass
    # The centres lie above one another: moving the axis adds to the moments about x and z, not about y.
    shifted = middle.mass * (centres[0] - centre) ** 2 + upper.mass * (centres[1] - centre) ** 2
    together = SpatialSegment(
        mass,
        middle.length + upper.length,
        centre,
        middle.sagittal + upper.sagittal + shifted,
        middle.transverse + upper.transverse + shifted,
        middle.longitudinal + upper.longitudinal,
    )
    return _upright(together, centre)


def _limb_bodies(sized: Mapping[str, SpatialSegment], ankle_height: float, side: str) -> dict[str, Body]:
    rows = {"thigh": "thigh", "shank": "shank", "upper_arm": "upper_arm", "forearm": "forearm", "hand": "hand_2"}
    bodies = {f"{body}_{side}": _upright(sized[row], -sized[row].centre) for body, row in rows.items()}
    foot = sized["foot"]
    # Heel to toe is the long axis of the foot, x here; the table's sagittal axis is then the vertical one. The
    # table gives no height of the centre: half that of the ankle, as in Winter 2009.
    bodies[f"foot_{side}"] = Body(
        mass=tidy(foot.mass),
        centre_of_mass=_point(foot.centre - anthropometry.ANKLE_ALONG_FOOT * foot.length, -ankle_height / 2, 0.0),
        inertia=Inertia(xx=tidy(foot.longitudinal), yy=tidy(foot.sagittal), zz=tidy(foot.transverse)),
    )
    return bodies


def _turning(parent: str, at: Vector, child: str, turns: Iterable[Turn]) -> Joint:
    turns = tuple(turns)
    return Joint(
        parent=Placement(body=parent, at=at),
        child=Placement(body=child),
        coordinates={turn.coordinate: turn.part for turn in turns},
        axes=[{"motion": "rotation", "direction": turn.axis, "function": turn.coordinate} for turn in turns],
    )


def _middle_joints(sized: Mapping[str, SpatialSegment], ankle_height: float) -> dict[str, Joint]:
    hip_height = sized["thigh"].length + sized["shank"].length + ankle_height
    navel = _point(0.0, sized["lower_trunk"].length, 0.0)
    neck = _point(0.0, sized["middle_trunk"].length + sized["upper_trunk_2"].length, 0.0)
    places = ("pelvis_x", "pelvis_y", "pelvis_z", "pelvis_tilt", "pelvis_list", "pelvis_rotation")
    return {
        "pelvis_joint": free("ground", "pelvis", places, "zxy", pelvis_y={"default": tidy(hip_height)}),
        "lumbar": _turning("pelvis", navel, "torso", mobility.BACK),
        "neck": _turning("torso", neck, "head", mobility.NECK),
    }


def _limb_joints(sized: Mapping[str, SpatialSegment], height: float, side: str) -> tuple[dict[str, Joint], list[Turn]]:
    outwards = _SIDES[side]

    def below(row: str) -> Vector:
        return _point(0.0, -sized[row].length, 0.0)

    hip = _point(0.0, 0.0, outwards * anthropometry.HALF_HIP_WIDTH * height)
    # Hips to shoulders, less the pelvis, on which the torso stands.
    shoulder_height = sized["trunk_3"].length - sized["lower_trunk"].length
    shoulder = _point(0.0, shoulder_height, outwards * anthropometry.HALF_SHOULDER_WIDTH * height)
    plan: Sequence[tuple[str, str, Vector, str, Sequence[Turn]]] = (
        ("hip", "pelvis", hip, f"thigh_{side}", mobility.HIP),
        ("knee", f"thigh_{side}", below("thigh"), f"shank_{side}", mobility.KNEE),
        ("ankle", f"shank_{side}", below("shank"), f"foot_{side}", mobility.ANKLE),
        ("shoulder", "torso", shoulder, f"upper_arm_{side}", mobility.SHOULDER),
        ("elbow", f"upper_arm_{side}", below("upper_arm"), f"forearm_{side}", mobility.ELBOW),
        ("wrist", f"forearm_{side}", below("forearm"), f"hand_{side}", mobility.WRIST),
    )
    joints, turned = {}, []
    for name, parent, at, child, turns in plan:
        sided = [turn.on(side) for turn in turns]
        joints[f"{name}_{side}"] = _turning(parent, at, child, sided)
        turned += sided
    return joints, turned


def _limb_markers(sized: Mapping[str, SpatialSegment], ankle_height: float, side: str) -> dict[str, Marker]:
    length = sized["foot"].length
    heel = -anthropometry.ANKLE_ALONG_FOOT * length
    along = {"heel": heel, "ball_of_foot": heel + anthropometry.BALL_ALONG_FOOT * length, "toe_tip": heel + length}
    markers = {
        f"{name}_{side}": Marker(body=f"foot_{side}", at=_point(x, -ankle_height, 0.0)) for name, x in along.items()
    }
    markers[f"fingertip_{side}"] = Marker(body=f"hand_{side}", at=_point(0.0, -sized["hand_2"].length, 0.0))
    return markers
