"""Joint reactions of a set-up: what joints carry under given forces, on either body, in any axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.coordinate_motion import coordinate_motion, equations_kept, numbers_of
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.analyse.joint_reactions import joint_reactions
from myodyne.analyse.setups.job import Job
from myodyne.analyse.setups.study import Study, rows_of
from myodyne.data import Result, Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.files import load
from myodyne.files.setups.section import Section
from myodyne.model import GROUND, Model, Placement
from myodyne.types import Floats

_TITLE = "Joint Reaction Loads"
# Times (s) in files are rounded by no more than this.
_ROUNDED = 1e-4


@dataclass(frozen=True)
class _Wanted:
    """A joint, whether its load is that on the child, and the frame of the result."""

    joint: str
    on_child: bool
    frame: Placement
    label: str


def run_joint_reactions(job: Job, study: Study, analysis: Section) -> None:
    """Run a ``<JointReaction>``: accelerations are those that the given forces cause, as in OpenSim."""
    model = study.model
    motion = rows_of(analysis, study.motion)
    forces = _forces(job, study, analysis)
    tensions = None
    if model.muscles and forces is None:
        raise analysis.element.fault(
            "needs a <forces_file> with the forces of all muscles, as static optimisation writes it: "
            "from states alone muscles are not taken here"
        )
    if forces is not None:
        lacking = [name for name in model.muscles if name not in forces]
        if lacking:
            raise analysis.element.fault(f"<forces_file> lacks the muscles {listed(lacking, 5)}")
        forces = _at(analysis, forces, motion.time)
        tensions = forces.select([*model.muscles]) if model.muscles else None
    caused = _caused(study, motion, forces)
    passive = [name for name, force in model.forces.items() if not force.controlled]
    found = joint_reactions(model, caused, study.loads, forces=tensions, passive=passive or False)
    job.results["joint_reactions"] = found
    columns = _columns(model, caused, found, _wanted(analysis, model))
    path = job.folder() / f"{job.tool.name}_{analysis.name or 'JointReaction'}_ReactionLoads.sto"
    job.write(path, _TITLE, (found.time, columns))


def _forces(job: Job, study: Study, analysis: Section) -> Trajectory | None:
    path = analysis.file("forces_file")
    if path is None:
        return None
    table = load(path, angles=())
    own = {theirs: ours for ours, theirs in study.names.items()}
    columns = {own.get(name.rpartition("/")[2], name.rpartition("/")[2]): table.values(name) for name in table.names}
    unused = [name for name in columns if name not in study.model.muscles and name not in study.model.forces]
    if unused:
        job.tool.remark(f"<forces_file> holds what the model lacks: {listed(unused)}")
    return Trajectory(table.time, columns)


def _at(analysis: Section, forces: Trajectory, times: Floats) -> Trajectory:
    """Return the forces at the times of the motion; files are rounded, so that their ends may be off by a little."""
    first, last = forces.time[0], forces.time[-1]
    if times[0] < first - _ROUNDED or times[-1] > last + _ROUNDED:
        raise analysis.element.fault(
            f"<forces_file> covers {first:g} to {last:g} s, and the analysis needs {times[0]:g} to {times[-1]:g} s"
        )
    return Trajectory(times, {name: np.interp(times, forces.time, forces.values(name)) for name in forces.names})


def _caused(study: Study, motion: Trajectory, forces: Trajectory | None) -> Trajectory:
    """Return the motion with the accelerations that the forces cause in its poses at its speeds."""
    model = study.model
    equations = equations_of(model.without(*model.muscles)) if model.muscles else equations_of(model)
    if equations.multipliers:
        raise ModelError(f"'{model.name}' has constraints; the forces that they carry are not found from a set-up")
    moving = coordinate_motion(model, motion, None).of(equations.coordinates)
    size, rows = len(equations.coordinates), len(moving.time)
    x, xdot = np.hstack([moving.q, moving.v]), np.hstack([moving.v, np.zeros_like(moving.v)])
    controls = np.zeros((rows, len(equations.controls)))
    for place, name in enumerate(equations.controls):
        gain = float(getattr(model.forces[name], "gain", 1.0))
        if forces is not None and name in forces:
            controls[:, place] = forces.values(name) / gain
    # What would be needed to keep every speed as it is: the rest accelerates.
    needed = equations.residual(x, xdot, controls)[:, size : 2 * size]
    if study.loads:
        wrenches = wrenches_of(equations, moving, study.loads)
        needed = needed - equations.kernel("external_forces").first(moving.q, wrenches, numbers_of(equations))
    if model.muscles and forces is not None:
        pulls = np.column_stack([forces.values(name) for name in model.muscles])
        arms = equations_kept(model, muscles=True, tree=False).moment_arms(moving.q)
        needed = needed - np.einsum("tm,tmc->tc", pulls, arms)
    mass = np.array([equations.mass_matrix(row) for row in moving.q]).reshape(rows, size, size)
    rates = -np.linalg.solve(mass, needed[:, :, None])[:, :, 0]
    return _all_coordinates(model, moving.time, (moving.q, moving.v, rates), equations)


def _all_coordinates(
    model: Model, times: Floats, parts: tuple[Floats, Floats, Floats], equations: Equations
) -> Trajectory:
    found = equations.kernel("all_coordinates")(*parts, numbers_of(equations))
    columns = {
        f"{name}{ending}": np.asarray(table)[:, place]
        for ending, table in zip(("", ".speed", ".acceleration"), found, strict=True)
        for place, name in enumerate(model.coordinates)
    }
    return Trajectory(times, columns)


def _wanted(analysis: Section, model: Model) -> list[_Wanted]:
    names = analysis.names("joint_names") or ("all",)
    joints: Sequence[str] = tuple(model.joints) if "all" in (name.lower() for name in names) else names
    bodies = _for_each(analysis, "apply_on_bodies", "child", len(joints))
    frames = _for_each(analysis, "express_in_frame", GROUND, len(joints))
    found = []
    for name, body, frame in zip(joints, bodies, frames, strict=True):
        joint = name.rstrip("/").rpartition("/")[2]
        if joint not in model.joints:
            raise analysis.element.fault(f"<joint_names>: {unknown_name('joint', joint, model.joints)}")
        if body.lower() not in ("child", "parent"):
            raise analysis.element.fault(f"<apply_on_bodies> is child or parent, not '{body}'")
        on_child = body.lower() == "child"
        on = model.joints[joint].child.body if on_child else model.joints[joint].parent.body
        place, shown = _frame(analysis, model, joint, frame)
        found.append(_Wanted(joint, on_child, place, f"{joint}_on_{on}_in_{shown}"))
    return found


def _for_each(analysis: Section, tag: str, default: str, count: int) -> tuple[str, ...]:
    given = analysis.names(tag) or (default,)
    if len(given) == 1:
        return given * count
    if len(given) != count:
        raise analysis.element.fault(f"<{tag}> needs one entry, or one for each of {count} joints, not {len(given)}")
    return given


def _frame(analysis: Section, model: Model, joint: str, text: str) -> tuple[Placement, str]:
    """Return a frame that a set-up names: of a body, of a joint, or the child or parent of the joint itself."""
    part = model.joints[joint]
    short = text.rstrip("/").rpartition("/")[2]
    if short.lower() in ("child", "parent"):
        body = part.child.body if short.lower() == "child" else part.parent.body
        return Placement(body=body), body
    if short == GROUND or short in model.bodies:
        return Placement(body=short), short
    owner = text.strip("/").split("/")[-2] if "/" in text.strip("/") else joint
    for frame in (model.joints[owner].child, model.joints[owner].parent) if owner in model.joints else ():
        if short == f"{frame.body}_offset":
            return frame, short
    known = [GROUND, "child", "parent", *model.bodies, f"{joint}/{part.child.body}_offset"]
    raise analysis.element.fault(f"<express_in_frame>: {unknown_name('frame', text, known)}")


def _columns(model: Model, motion: Trajectory, found: Result, wanted: Sequence[_Wanted]) -> dict[str, Floats]:
    """Return forces, moments and points of application in the axes of the frames that were asked for."""
    tree = equations_kept(model)
    poses = _Poses(tree, np.column_stack([motion.values(name) for name in tree.coordinates]))
    columns: dict[str, Floats] = {}
    for one in wanted:
        joint = model.joints[one.joint]
        force, moment = (
            np.column_stack([found.values(f"{one.joint}.reaction_{kind}_{axis}") for axis in "xyz"])
            for kind in ("force", "moment")
        )
        _, point = poses.of(joint.child)
        if not one.on_child:
            _, base = poses.of(joint.parent)
            moment = -(moment + np.cross(point - base, force))
            force, point = -force, base
        turn, origin = poses.of(one.frame)
        for kind, vectors in (("f", force), ("m", moment), ("p", point - origin)):
            turned = np.einsum("tji,tj->ti", turn, vectors)
            columns |= {f"{one.label}_{kind}{axis}": turned[:, place] for place, axis in enumerate("xyz")}
    return columns


class _Poses:
    """Where frames on bodies are along a motion."""

    def __init__(self, tree: Equations, q: Floats) -> None:
        self.bodies = tree.bodies
        self.turns, self.places = tree.body_poses(q)
        self.rows = len(q)

    def of(self, frame: Placement) -> tuple[Floats, Floats]:
        """Return how a frame is turned to the ground, and its origin, a row for each time."""
        if frame.body == GROUND:
            turn, place = np.tile(np.eye(3), (self.rows, 1, 1)), np.zeros((self.rows, 3))
        else:
            number = self.bodies.index(frame.body)
            turn, place = self.turns[:, number], self.places[:, number]
        return turn @ _rotation(frame.orientation), place + np.einsum("tij,j->ti", turn, np.array(frame.at))


def _rotation(angles: tuple[float, float, float]) -> Floats:
    """Return the rotation of turns about x, then the new y, then the new z (rad)."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    turn: Floats = x @ y @ z
    return turn
