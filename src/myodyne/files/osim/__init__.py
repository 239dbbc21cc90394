"""OpenSim models (.osim), of all versions of the format, as models of ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element, Reading, read_document
from myodyne.files.osim.fibre_limits import remark_on_limits
from myodyne.files.osim.forces.muscles import muscle_elements, read_muscles
from myodyne.files.osim.forces.prescribed import read_controllers
from myodyne.files.osim.forces.read import read_forces
from myodyne.files.osim.markers import read_markers
from myodyne.files.osim.metabolics import read_metabolics
from myodyne.files.osim.naming import free_name
from myodyne.files.osim.plausibility import suspect_lengths, suspect_masses
from myodyne.files.osim.sensors import read_sensors
from myodyne.files.osim.skeleton.bodies import make_names_unique, read_bodies, read_ground
from myodyne.files.osim.skeleton.constraints import read_constraints, read_motions
from myodyne.files.osim.skeleton.coordinates import coordinate_elements
from myodyne.files.osim.skeleton.frames import Frames
from myodyne.files.osim.skeleton.joint_names import name_joints, part_coordinates
from myodyne.files.osim.skeleton.joints import JointDraft, Joints, read_joint
from myodyne.files.osim.skeleton.posture import CONTACTS, default_pose, suspect_posture
from myodyne.files.osim.skeleton.tree import Tree, grow
from myodyne.files.osim.source_lines import with_source_line
from myodyne.files.osim.surfaces import read_surfaces
from myodyne.files.osim.upgrade import Parts, gather, joint_ends
from myodyne.model import Model
from myodyne.model.bodies import GROUND
from myodyne.model.joints import Joint
from myodyne.model.model import STANDARD_GRAVITY

__all__ = ["read_osim"]


def read_osim(content: bytes, file: str) -> Model:
    """Return the model that the bytes of an .osim file describe, with the audit of what became of its elements.

    Parameters
    ----------
    content
        The bytes of the file.
    file
        Its name, for messages.

    Raises
    ------
    FileError
        If it is not an OpenSim model, or an element cannot be read; the message names line and element.
    """
    document = read_document(content, file)
    reading = Reading(document)
    element = document.model
    parts = gather(reading, document)
    frames = Frames(document)
    read_ground(reading, parts.ground)
    tree = _tree(reading, parts, frames)
    constraints = read_constraints(reading, parts.constraints, frames, tree.joints)
    markers = read_markers(reading, parts.markers, frames)
    driven = _driven(reading, element, frames)
    taken = {GROUND, *tree.bodies, *driven["muscles"], *driven["surfaces"], *driven["forces"]}
    taken.update(name for joint in tree.joints for name in joint.coordinates)
    fields: dict[str, Any] = {
        **driven,
        "name": _name(element, file),
        "source": " ".join(element.text(tag, "") for tag in ("credits", "publications")).strip(),
        "gravity": element.numbers("gravity", 3, STANDARD_GRAVITY),
        "bodies": tree.bodies,
        "joints": _joints(reading, tree.joints, taken),
    }
    taken.update(fields["joints"])
    fields["markers"] = _called_apart(reading, markers, taken, "_marker")
    taken.update(fields["markers"])
    fields["sensors"] = _called_apart(reading, read_sensors(reading, element, frames), taken, "_sensor")
    taken.update(fields["sensors"])
    kept = {**tree.welds, **_called_apart(reading, constraints, {*taken, *tree.welds}, "_constraint")}
    fields["constraints"] = {**kept, **read_motions(reading, tree.joints, {*taken, *kept})}
    _suspect_units(reading, element)
    try:
        model = Model(**fields)
    except ModelError as error:
        raise with_source_line(error, element) from None
    remark_on_limits(reading, model)
    suspect_masses(reading, model, {frames.called(body): body for body in parts.bodies})
    pose = default_pose(model)
    if pose is not None:
        suspect_lengths(reading, model, pose, {part.name: part for part in muscle_elements(element)})
        suspect_posture(reading, model, pose, {part.name: part for part in element.walk() if part.tag in CONTACTS})
    return model.model_copy(update={"audit": reading.audit()})


def _tree(reading: Reading, parts: Parts, frames: Frames) -> Tree:
    name_joints(reading, parts.joints)
    part_coordinates(reading, parts.joints)
    names = {coordinate.name for joint in parts.joints for coordinate in coordinate_elements(None, joint)}
    make_names_unique(reading, parts.bodies, frames, names)
    bodies = read_bodies(reading, parts.bodies, frames)
    joints = Joints()
    for element in parts.joints:
        read_joint(reading, element, joint_ends(element, frames), joints)
    owners: dict[str, JointDraft] = {}
    for draft in joints.drafts:
        for name in draft.coordinates:
            if name in owners:
                raise draft.element.fault(f"its coordinate '{name}' belongs to joint '{owners[name].name}' already")
            owners[name] = draft
    elements = {frames.called(element): element for element in parts.bodies}
    return grow(reading, joints.drafts, {**bodies, **joints.bodies}, elements)


def _driven(reading: Reading, model: Element, frames: Frames) -> dict[str, Any]:
    """Return surfaces, muscles, forces, and controls over time."""
    surfaces = read_surfaces(reading, model, frames)
    muscles = read_metabolics(reading, model, read_muscles(reading, model, frames, surfaces))
    forces, around = read_forces(reading, model, frames, surfaces)
    controls = [*muscles, *(name for name, force in forces.items() if force.controlled)]
    prescribed = read_controllers(reading, model, controls, around.renamed)
    return {
        "surfaces": surfaces,
        "muscles": muscles,
        "forces": forces,
        "prescribed": {**around.prescribed, **prescribed},
    }


def _joints(reading: Reading, drafts: list[JointDraft], taken: set[str]) -> dict[str, Joint]:
    """Return the joints by name, which is another where OpenSim lets a joint share it."""
    joints: dict[str, Joint] = {}
    everything = set(taken)
    for draft in drafts:
        # A joint may bear the name of its own coordinate.
        shares = draft.name in draft.coordinates and draft.name not in joints
        others = everything - {draft.name} if shares else everything
        if draft.name == draft.element.name:
            name = free_name(reading, draft.element, others, otherwise="_joint")
        else:
            name = draft.name if draft.name not in others else f"{draft.name}_joint"
        try:
            joints[name] = Joint(
                parent=draft.parent, child=draft.child, coordinates=draft.coordinates, axes=tuple(draft.axes)
            )
        except ModelError as error:
            raise draft.element.fault(str(error)) from None
        everything.add(name)
    return joints


def _called_apart(
    reading: Reading, parts: Mapping[str, tuple[Element, Any]], taken: set[str], suffix: str
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (element, part) in parts.items():
        if name == element.name:
            name = free_name(reading, element, {*taken, *found}, otherwise=suffix)
        found[name] = part
    return found


def _name(model: Element, file: str) -> str:
    name = " ".join(model.name.replace("/", " ").split())[:120]
    return name if name and name.isprintable() else PurePath(file).stem[:120] or "model"


def _suspect_units(reading: Reading, model: Element) -> None:
    units = model.text("length_units", "meters").lower()
    if units not in ("m", "meters", "meter"):
        reading.suspect(model, f"its lengths are in {units!r:.40}; they are read as metres, as in OpenSim")
