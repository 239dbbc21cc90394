"""What the joints carry in a recorded motion: forces and moments from parent to child."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from myodyne.analyse.coordinate_motion import (
    CoordinateMotion,
    analysis_result,
    coordinate_motion,
    equations_kept,
    numbers_of,
    passive_forces,
)
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.data import DataError, ExternalForces, Report, Result, Trajectory
from myodyne.data.external_forces import check_external
from myodyne.equations import Equations
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import GROUND, CouplerConstraint, FunctionPath, Model, MotionConstraint, SpeedConstraint
from myodyne.paths.geometry import wrapped_muscles
from myodyne.progress import task
from myodyne.types import Floats


def joint_reactions(  # noqa: PLR0913 - what acts, as for inverse dynamics, and the axes of the result
    model: Model,
    motion: Trajectory,
    external_forces: ExternalForces | None = None,
    *,
    forces: Trajectory | None = None,
    cutoff: float | None = None,
    passive: bool | str | Iterable[str] = True,
    axes: Literal["ground", "child", "parent"] = "ground",
) -> Result:
    """Return what each parent exerts on its child through the joint: force (N) and moment (N m).

    Both are at the joint's centre, on the child, and in the axes of the ground unless ``axes`` says otherwise:
    ``<joint>.reaction_force_x`` ... and ``<joint>.reaction_moment_x`` .... Muscles pull on the bodies and so load the
    joints; what is not given as a force (motors, muscles whose path is a function of the coordinates) acts through the
    joints and shows in their moments.

    Parameters
    ----------
    model, motion, external_forces, cutoff
        As in `inverse_dynamics`.
    forces
        Tensions (N) of the muscles over time, ``<muscle>.force`` or ``<muscle>``, all of them. None leaves muscles
        out: the reactions then are the net forces and moments between the segments.
    passive
        Forces of the model that no control drives and that count: all (True), none, or some by name.
    axes
        The axes of forces and moments: those of the ground, or of the child or the parent of each joint.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum")
    >>> hanging = my.Trajectory([0.1 * row for row in range(8)], {"angle": [0.0] * 8}, {"angle": "rad"})
    >>> round(my.joint_reactions(rod, hanging).final["pivot.reaction_force_y"], 3)      # N: 1 kg in 9.81 m/s²
    9.81
    """
    started = time.perf_counter()
    if axes not in ("ground", "child", "parent"):
        raise ModelError(f"axes must be 'ground', 'child' or 'parent', not {axes!r:.40}")
    check_external(external_forces)
    movement = coordinate_motion(model, motion, cutoff)
    check_loops(model)
    taken = passive_forces(model, passive, external_forces)
    notes = list(external_forces.notes) if external_forces else []
    with task(f"Joint reactions of '{model.name}'"):
        tree = equations_kept(model, tuple(taken), muscles=forces is not None)
        wrenches = wrenches_of(tree, movement, external_forces)
        if forces is not None:
            wrenches = wrenches + muscle_wrenches(tree, movement, _tensions(model, forces, movement.time))
        kernel = tree.kernel("joint_loads")
        # The only controls left are excitations; the tensions of the muscles are given.
        idle = np.zeros(len(tree.controls))
        loads = kernel.first(movement.q, movement.v, movement.vdot, wrenches, idle, numbers_of(tree))
    through = [name for name, muscle in model.muscles.items() if isinstance(muscle.path, FunctionPath)]
    if through and forces is not None:
        notes.append(f"paths given as functions have no line of action and load no joint: {listed(through, 5)}")
    joints = kernel.signature.notes["joints"]
    if axes != "ground":
        loads = _turned(loads, _frames(tree, movement, joints, axes))
    parts = [f"reaction_{kind}_{axis}" for kind in ("force", "moment") for axis in "xyz"]
    names = [f"{joint}.{part}" for joint in joints for part in parts]
    units = {name: "N" if "reaction_force" in name else "N m" for name in names}
    spent = time.perf_counter() - started
    report = Report("completed", evaluations=len(motion), wall_seconds=spent, notes=tuple(notes))
    table = Trajectory.from_rows(movement.time, names, loads, units)
    return analysis_result(tree, model, table, "joint reactions", report)


def _frames(tree: Equations, movement: CoordinateMotion, joints: Sequence[str], axes: str) -> Floats:
    """Return how the child of each joint, or its parent, is turned: (rows, joints, 3, 3), to the ground."""
    turns, _ = tree.body_poses(movement.q)
    found = np.tile(np.eye(3), (len(movement.time), len(joints), 1, 1))
    for place, name in enumerate(joints):
        joint = tree.model.joints[name]
        body = joint.child.body if axes == "child" else joint.parent.body
        if body != GROUND:
            found[:, place] = turns[:, tree.bodies.index(body)]
    return found


def _turned(loads: Floats, frames: Floats) -> Floats:
    """Return forces and moments (rows, six for each joint) of the ground's axes in those of the frames."""
    vectors = loads.reshape(*frames.shape[:2], 2, 3)
    turned: Floats = np.einsum("tjba,tjcb->tjca", frames, vectors).reshape(loads.shape)
    return turned


def muscle_wrenches(tree: Equations, movement: CoordinateMotion, tensions: Floats) -> Floats:
    """Return what tensions (N; a row for each time) exert on the bodies: force and moment at the origin of each."""
    own = numbers_of(tree)
    weights = np.empty((len(tensions), 0))
    over = wrapped_muscles(tree.model)
    if over:
        from myodyne.paths.wrapping.lengths import WrappedLengths

        _, weights = WrappedLengths(tree.model, over)(*tree.kernel("wrap_places")(movement.q, own))
    return tree.kernel("path_pulls").first(movement.q, tensions, weights, own)


def _tensions(model: Model, forces: Trajectory, times: Floats) -> Floats:
    if not isinstance(forces, Trajectory):
        raise DataError(f"muscle forces must be a Trajectory, not {forces!r:.60}")
    columns = {}
    for muscle in model.muscles:
        found = [name for name in (f"{muscle}.force", muscle) if name in forces]
        if not found:
            raise DataError(f"the forces lack muscle '{muscle}': {unknown_name('column', muscle, forces.names)}")
        columns[muscle] = found[0]
    if not columns:
        raise ModelError(f"'{model.name}' has no muscles, so it takes no muscle forces")
    part = forces.select(columns.values())
    if not np.isfinite(part.rows()).all():
        row, column = map(int, np.argwhere(~np.isfinite(part.rows()))[0])
        raise DataError(f"'{part.names[column]}' is NaN at {part.time[row]:g} s")
    return part.resampled(times).rows()


def check_loops(model: Model) -> None:
    """Refuse constraints between bodies: a motion alone does not determine their forces."""
    drives = CouplerConstraint | SpeedConstraint | MotionConstraint
    loops = [name for name, part in model.constraints.items() if not isinstance(part, drives)]
    if loops:
        raise ModelError(
            f"'{model.name}' has constraints between bodies ({listed(loops, 3)}), whose forces are not determined by "
            f"the motion. Leave them out with model.without(...), and give their forces as external forces"
        )
