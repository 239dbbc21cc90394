"""The Dynamic Arm Simulator (DAS3): its published numbers, exported as JSON, as a model.

The file holds joints, segments, muscles and contact of the release of 2015 (simtk.org/home/das). It does not hold
the constants of that release's equations; they stand here. All of them together give the published equilibrium,
eigenvalues and moment arms back (`tests/golden/test_das3.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from myodyne.errors import FileError, ModelError, listed
from myodyne.files.models.json_reader import as_row, json_table, refused
from myodyne.model import (
    Axis,
    Body,
    Coordinate,
    EllipsoidContact,
    FunctionPath,
    HeActivation,
    Inertia,
    Joint,
    JointLimit,
    Ligament,
    Marker,
    Model,
    Muscle,
    Placement,
    PointForce,
    PointPath,
    Polynomial,
    Term,
    TorsionSpring,
    VanDenBogert2011,
)
from myodyne.model.bodies import GROUND
from myodyne.model.part import Name, NonNegative, Number, Positive, Vector, problems_of

KEYS = ("dofs", "segments", "joints", "muscles", "conoid", "scap_thorax", "gravity")
# Passive moments of every joint: N m/rad about the middle of its range, N m s/rad, N m/rad² beyond its ends.
_STIFFNESS, _DAMPING, _CURVATURE = 1.0, 1.0, 5000.0
# Along the tendon, in maximal forces per optimal length per second.
_DAMPING_OF_FIBRES = 0.001
# A pose in which the arm hangs down (rad).
_HANGING = {
    "SCy": -0.38,
    "SCz": 0.19,
    "SCx": 0.23,
    "ACy": 0.64,
    "ACz": -0.38,
    "ACx": -0.29,
    "GHy": 0.42,
    "GHz": 0.30,
    "GHyy": 0.27,
    "ELx": 0.39,
    "PSy": 1.49,
}
_CHEST, _COLLAR_BONE, _SHOULDER_BLADE, _HAND = "thorax", "clavicler", "scapular", "handr"
_SOURCE = (
    "Dynamic Arm Simulator (DAS3), release 2 of 2015, simtk.org/home/das: van den Bogert, Blana and Heinrich, "
    "Procedia IUTAM 2 (2011); Chadwick, Blana, Kirsch and van den Bogert, IEEE Trans Biomed Eng 61 (2014). As there, "
    "the hand has inertia but no weight: the force 'hand_support' bears it."
)


Pennation = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, lt=1.55)]
Power = Annotated[int, Field(strict=True, ge=0, le=20)]


class _Entry(BaseModel):
    # What else the export holds (muscle masses, curves that its equations do not read) is left alone.
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Angle(_Entry):
    name: Name
    osim: Name
    range: tuple[Number, Number]


class _Segment(_Entry):
    name: Name
    mass: NonNegative
    com: Vector
    inertia: tuple[Vector, Vector, Vector]


class _Joint(_Entry):
    model_config = ConfigDict(extra="allow", frozen=True)
    name: Name
    location: Vector
    orientation: Vector
    parent_segment: Name
    segment: Name


class _Turn(_Entry):
    axis: Vector
    coefs: tuple[Number, Number]
    coordinates: Name | None = None


class _Muscle(_Entry):
    osim_name: Name
    fmax: Positive
    lceopt: Positive
    lslack: Positive
    pennopt: Pennation
    vmax: Positive
    tact: Positive
    tdeact: Positive
    slack: Positive = Field(alias="PEEslack")
    dof_names: Annotated[tuple[Name, ...], BeforeValidator(as_row)]
    lparams: Annotated[tuple[Annotated[tuple[Power, ...], BeforeValidator(as_row)], ...], BeforeValidator(as_row)]
    lcoefs: Annotated[tuple[Number, ...], BeforeValidator(as_row)]


class _Conoid(_Entry):
    eps: Positive
    stiffness: NonNegative
    length: NonNegative
    origin: Vector
    insertion: Vector


class _Contact(_Entry):
    eps: Positive
    k: NonNegative
    TS: Vector
    AI: Vector
    radii: tuple[Positive, Positive, Positive]
    center: Vector


class _Export(_Entry):
    dofs: tuple[_Angle, ...] = Field(min_length=1)
    segments: tuple[_Segment, ...] = Field(min_length=1)
    joints: tuple[_Joint, ...] = Field(min_length=1)
    muscles: tuple[_Muscle, ...]
    conoid: _Conoid
    scap_thorax: _Contact
    gravity: Vector


def das3_model(content: bytes, file: str) -> Model:
    """Return the model that the bytes of an export of the Dynamic Arm Simulator describe.

    Examples
    --------
    >>> das3_model(b'{"dofs": []}', "arm.json")
    Traceback (most recent call last):
    myodyne.errors.FileError: arm.json: is JSON, but not an export of the Dynamic Arm Simulator: it lacks 'segments', \
'joints', 'muscles', 'conoid', 'scap_thorax', 'gravity'. Other models are read from .yaml files
    """
    tree = json_table(content, file)
    missing = [key for key in KEYS if key not in tree]
    if missing:
        raise FileError(
            f"{file}: is JSON, but not an export of the Dynamic Arm Simulator: it lacks "
            f"{listed(missing)}. Other models are read from .yaml files"
        )
    try:
        export = _Export.model_validate(tree)
    except ValidationError as error:
        raise refused(file, problems_of(error)) from None
    try:
        return _model(export)
    except ModelError as error:
        raise ModelError(f"{file}: {error}", error.problems) from None


# --- the model ----------------------------------------------------------------------------------------------


def _model(export: _Export) -> Model:
    segments = {segment.name: segment for segment in export.segments if segment.name != GROUND}
    names = {angle.name: angle.osim for angle in export.dofs}
    _once("muscle", [muscle.osim_name for muscle in export.muscles])
    _once("coordinate", [angle.osim for angle in export.dofs])
    inertias = {name: _inertia(segment) for name, segment in segments.items() if segment.mass > 0}
    bodies = {
        name: Body(mass=segments[name].mass, centre_of_mass=segments[name].com, inertia=inertia)
        for name, (inertia, _) in inertias.items()
    }
    return Model(
        name="das3",
        source=" ".join([_SOURCE, *(note for _, note in inertias.values() if note)]),
        gravity=export.gravity,
        bodies=bodies,
        joints=_joints(export, segments),
        muscles={muscle.osim_name: _muscle(muscle, names) for muscle in export.muscles},
        forces={
            **_passive(export.dofs),
            **_ligament(export.conoid),
            **_contact(export.scap_thorax),
            **_support(segments, export.gravity),
        },
    )


def _once(kind: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"{kind} '{name}' appears in the export {names.count(name)} times")


def _inertia(segment: _Segment) -> tuple[Inertia, str]:
    """Return the inertia of a segment, and what was mended in it.

    The published clavicle has moments that no body has: one exceeds the sum of the others. With the other sign of its
    yz product it is a thin rod, as it should be.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = segment.inertia
    published: dict[str, Any] = {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}
    try:
        return Inertia(**published), ""
    except ModelError as error:
        for product in ("yz", "xz", "xy"):
            try:
                mended = Inertia(**{**published, product: -published[product]})
            except ModelError:
                continue
            return mended, (
                f"The {product} product of inertia of '{segment.name}' has the other sign here: "
                "no body can have the published moments."
            )
        raise ModelError(f"segment '{segment.name}': {error}") from None


def _joints(export: _Export, segments: Mapping[str, _Segment]) -> dict[str, Joint]:
    """Return the joints; a row of them through segments without mass becomes one joint of several axes."""
    angles = {angle.name: angle for angle in export.dofs}
    above: dict[str, _Joint] = {}
    for joint in export.joints:
        if joint.segment not in segments:
            raise ModelError(f"joint '{joint.name}' moves '{joint.segment}', which is not a segment of the export")
        if joint.segment in above:
            raise ModelError(f"joints '{above[joint.segment].name}' and '{joint.name}' both move '{joint.segment}'")
        above[joint.segment] = joint
    joints = {}
    for joint in export.joints:
        if segments[joint.segment].mass == 0:
            continue
        row = [joint]
        while row[0].parent_segment in segments and segments[row[0].parent_segment].mass == 0:
            row.insert(0, _next_above(above, row))
        turns = [turn for part in row for turn in _turns(part)]
        moved = [turn.coordinates for turn in turns if turn.coordinates is not None]
        unknown = [name for name in moved if name not in angles]
        if unknown:
            raise ModelError(f"joint '{joint.name}' turns by '{unknown[0]}', which is not one of the dofs")
        joints[_row_name(row)] = Joint(
            parent=Placement(body=row[0].parent_segment, at=row[0].location, orientation=row[0].orientation),
            child=Placement(body=joint.segment),
            coordinates={angles[name].osim: _coordinate(angles[name]) for name in moved},
            axes=[_axis(turn, angles) for turn in turns],
        )
    return joints


def _next_above(above: Mapping[str, _Joint], row: Sequence[_Joint]) -> _Joint:
    first = row[0]
    joint = above.get(first.parent_segment)
    if joint is None or joint in row:
        raise ModelError(
            f"joint '{first.name}' is attached to '{first.parent_segment}', which no joint connects to the ground"
        )
    if any(first.location) or any(first.orientation):
        raise ModelError(
            f"joint '{first.name}' is offset from '{first.parent_segment}', which has no mass; "
            "only joints through one point can be taken as one"
        )
    return joint


def _row_name(row: Sequence[_Joint]) -> str:
    """Return what the names of all have in common: sc of sc1, sc2 and sc3."""
    shared = takewhile(lambda letters: len(set(letters)) == 1, zip(*(joint.name for joint in row), strict=False))
    return "".join(letters[0] for letters in shared) or row[-1].name


def _turns(joint: _Joint) -> Iterator[_Turn]:
    """Yield what a joint's axes do; those that neither move nor stand turned are left out."""
    fields = joint.model_extra or {}
    for axis in ("r1", "r2", "r3", "t1", "t2", "t3"):
        entry = {field: fields[f"{axis}_{field}"] for field in _Turn.model_fields if f"{axis}_{field}" in fields}
        if not entry:
            continue
        try:
            turn = _Turn.model_validate(entry)
        except ValidationError as error:
            place, message = problems_of(error)[0]
            raise ModelError(f"joint '{joint.name}': {axis}_{'.'.join(map(str, place))}: {message}") from None
        if turn.coordinates is None and not any(turn.coefs):
            continue
        if axis.startswith("t"):
            raise ModelError(f"joint '{joint.name}' translates ({axis}), which the arm simulator's joints never do")
        if turn.coordinates is None:
            raise ModelError(
                f"joint '{joint.name}': {axis} is rotated without a coordinate; write the angle into "
                "the joint's orientation"
            )
        yield turn


def _axis(turn: _Turn, angles: Mapping[str, _Angle]) -> Axis:
    offset, slope = turn.coefs
    function = {"kind": "linear", "coordinate": angles[str(turn.coordinates)].osim, "slope": slope, "offset": offset}
    return Axis(motion="rotation", direction=turn.axis, function=function)


def _coordinate(angle: _Angle) -> Coordinate:
    low, high = angle.range
    hanging = _HANGING.get(angle.name, (low + high) / 2)
    return Coordinate(default=hanging if low <= hanging <= high else (low + high) / 2, range=angle.range)


def _muscle(muscle: _Muscle, names: Mapping[str, str]) -> Muscle:
    unknown = [name for name in muscle.dof_names if name not in names]
    if unknown:
        raise ModelError(f"muscle '{muscle.osim_name}' crosses '{unknown[0]}', which is not one of the dofs")
    if len(muscle.lparams) != len(muscle.lcoefs):
        raise ModelError(
            f"muscle '{muscle.osim_name}' has {len(muscle.lcoefs)} coefficients (lcoefs) for "
            f"{len(muscle.lparams)} terms (lparams)"
        )
    terms = [Term(coefficient=c, powers=powers) for c, powers in zip(muscle.lcoefs, muscle.lparams, strict=True)]
    try:
        length = Polynomial(of=[names[name] for name in muscle.dof_names], terms=terms)
    except ModelError as error:
        raise ModelError(f"muscle '{muscle.osim_name}': {error}") from None
    return Muscle(
        max_force=muscle.fmax,
        optimal_fibre_length=muscle.lceopt,
        tendon_slack_length=muscle.lslack,
        pennation=muscle.pennopt,
        max_velocity=muscle.vmax,
        # Ours acts along the fibres: seen from the tendon, their velocity and their force are both cos φ of it.
        damping=_DAMPING_OF_FIBRES / math.cos(muscle.pennopt) ** 2,
        curves=VanDenBogert2011(parallel_slack=muscle.slack),
        activation=HeActivation(activation_time=muscle.tact, deactivation_time=muscle.tdeact),
        path=FunctionPath(length=length),
    )


def _passive(angles: Sequence[_Angle]) -> dict[str, Any]:
    forces: dict[str, Any] = {}
    for angle in angles:
        (low, high), name = angle.range, angle.osim
        forces[f"{name}_spring"] = TorsionSpring(
            coordinate=name, stiffness=_STIFFNESS, rest=(low + high) / 2, damping=_DAMPING
        )
        forces[f"{name}_limit"] = JointLimit(
            coordinate=name, lower=low, upper=high, stiffness=0.0, curvature=_CURVATURE
        )
    return forces


def _ligament(conoid: _Conoid) -> dict[str, Any]:
    path = PointPath(points=((_COLLAR_BONE, conoid.origin), (_SHOULDER_BLADE, conoid.insertion)))
    return {"conoid": Ligament(path=path, slack_length=conoid.length, stiffness=conoid.stiffness, toe=conoid.eps)}


def _contact(contact: _Contact) -> dict[str, Any]:
    return {
        name: EllipsoidContact(
            body=_CHEST,
            centre=contact.center,
            radii=contact.radii,
            point=Marker(body=_SHOULDER_BLADE, at=at),
            stiffness=contact.k,
            transition=contact.eps,
        )
        for name, at in (("trigonum_spinae", contact.TS), ("inferior_angle", contact.AI))
    }


def _support(segments: Mapping[str, _Segment], gravity: Vector) -> dict[str, Any]:
    """Bear the weight of the hand: in the reference a force on the hand takes the place of its weight."""
    if _HAND not in segments:
        raise ModelError(f"the export has no segment '{_HAND}'")
    hand = segments[_HAND]
    weight = tuple(-hand.mass * g for g in gravity)
    return {"hand_support": PointForce(body=_HAND, at=hand.com, force=weight)}
