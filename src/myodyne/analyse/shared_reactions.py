"""How two feet, or a foot and a hand, share the ground force that a motion needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from myodyne.analyse.coordinate_motion import CoordinateMotion, coordinate_motion, equations_kept, numbers_of
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.data import DataError, ExternalForce, ExternalForces, Trajectory
from myodyne.equations import Equations
from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.model import GROUND, Marker, Model
from myodyne.types import Floats

Flags = NDArray[np.bool_]
By = Literal["minimum_norm", "pushing"]
_AXES = "xyz"
# What is left of the needed force, as a part of its largest value over the motion.
_LEFT = 1e-8
# Columns of a contact matrix below this part of the largest singular value carry nothing.
_RANK = 1e-10


def shared_reactions(
    model: Model,
    motion: Trajectory,
    contacts: Sequence[str] | Mapping[str, Marker],
    *,
    touching: Mapping[str, ArrayLike] | None = None,
    measured: ExternalForces | None = None,
    by: By = "minimum_norm",
) -> ExternalForces:
    """Return forces at points of contact that together carry a motion, the smallest of all that do.

    The motion fixes the sum of the external forces and their moment, because nothing drives the joint between body and
    ground. With more than one contact it does not fix their shares (Winter 2009, section 8.0.1, assumption 6). The
    shares are therefore a choice, which ``by`` names. The result goes into `inverse_dynamics`.

    Parameters
    ----------
    model, motion
        As in `inverse_dynamics`. Coordinates of joints with the ground need no force after that.
    contacts
        Points that can carry: names of markers of the model, or a table of `Marker`.
    touching
        For some contacts, whether they touch at each time of the motion; the others always do.
    measured
        Forces that are known, as those of one plate; the contacts carry the rest.
    by
        ``"minimum_norm"``: the sum of the squared forces is smallest. ``"pushing"``: the same, with no contact that
        pulls the body downwards.

    Examples
    --------
    A block of 2 kg stands on two feet, its centre of mass over the middle:

    >>> import myodyne as my
    >>> block = my.Model(name="block", gravity=(0, -10, 0), bodies={"block": my.Body(mass=2.0, inertia=0.1)},
    ...                  joints={"place": my.planar("ground", "block", ("x", "y", "turn"))})
    >>> still = my.Trajectory([0.1 * row for row in range(8)], {name: [0.0] * 8 for name in ("x", "y", "turn")})
    >>> feet = {"left": my.Marker(body="block", at=(-0.1, 0, 0)), "right": my.Marker(body="block", at=(0.1, 0, 0))}
    >>> shared = my.shared_reactions(block, still, feet)
    >>> shared["left"].at([0.0]).force.round(6).tolist()
    [[0.0, 10.0, 0.0]]
    """
    if by not in get_args(By):
        raise ModelError("shared_reactions: " + unknown_name("way", by, get_args(By)))
    movement = coordinate_motion(model, motion, None)
    points = _points(model, contacts)
    tree = equations_kept(model)
    root = [place for place, name in enumerate(tree.coordinates) if name in _root_coordinates(model)]
    needed = tree.inverse_dynamics(movement.q, movement.v, movement.vdot)[:, root]
    if measured:
        given = wrenches_of(tree, movement, measured)
        needed = needed - tree.kernel("external_forces").first(movement.q, given, numbers_of(tree))[:, root]
    places, effects = _effects(tree, movement, points, root)
    carrying = _touching(tuple(points), touching or {}, len(movement.time))
    # A force across a planar body does nothing.
    axes = [axis for axis in range(3) if np.abs(effects[:, :, axis]).max() > 0.0]
    bounded = [axis == 1 and by == "pushing" for axis in axes]
    forces = np.zeros((len(movement.time), len(points), 3))
    allowed = _LEFT * max(1.0, float(np.abs(needed).max()))
    for row, on in enumerate(carrying):
        matrix = effects[row][on][:, axes].reshape(-1, len(root)).T
        shares = _shares(matrix, needed[row], np.tile(bounded, int(on.sum())))
        missing = np.abs(needed[row] - matrix @ shares).max(initial=0.0)
        if missing > allowed:
            raise SolveError(_unable(movement.time[row], missing, np.array(list(points))[on]))
        forces[row, np.ix_(on, axes)[0], axes] = shares.reshape(-1, len(axes))
    return _as_external(points, movement.time, forces, places, by)


def _unable(time: float, missing: float, touching: Iterable[str]) -> str:
    held = ", ".join(f"'{name}'" for name in touching) or "no contact"
    return (
        f"shared_reactions: at {time:g} s {held} cannot carry the motion: {missing:.3g} (N, N m) is left. Name more "
        "points (heel and toe of each foot), or say when they touch; for pushing, the motion may need a pull"
    )


def _points(model: Model, contacts: Sequence[str] | Mapping[str, Marker]) -> dict[str, Marker]:
    if not isinstance(contacts, Mapping):
        for name in contacts:
            if name not in model.markers:
                raise ModelError("shared_reactions: " + unknown_name("marker", name, tuple(model.markers)))
        contacts = {name: model.markers[name] for name in contacts}
    if not contacts:
        raise ModelError("shared_reactions: name at least one point of contact")
    for name, point in contacts.items():
        if point.body not in model.bodies:
            raise ModelError(f"contact '{name}': " + unknown_name("body", point.body, tuple(model.bodies)))
    return dict(contacts)


def _root_coordinates(model: Model) -> set[str]:
    joints = [joint for joint in model.joints.values() if joint.parent.body == GROUND]
    names = {name for joint in joints for name in joint.coordinates}
    if not names:
        raise ModelError(f"'{model.name}' is fixed to the ground: its joints carry the motion, and nothing is shared")
    return names


def _effects(
    tree: Equations, movement: CoordinateMotion, points: Mapping[str, Marker], root: list[int]
) -> tuple[Floats, Floats]:
    """Return places of the contacts (rows, contacts, 3), and forces on the root of unit forces: (..., 3, root)."""
    turns, origins = tree.body_poses(movement.q)
    rows, bodies = len(movement.time), len(tree.bodies)
    places = np.zeros((rows, len(points), 3))
    effects = np.zeros((rows, len(points), 3, len(root)))
    numbers = numbers_of(tree)
    for contact, point in enumerate(points.values()):
        body = tree.bodies.index(point.body)
        arm = turns[:, body] @ np.asarray(point.at, dtype=float)
        places[:, contact] = origins[:, body] + arm
        for axis, unit in enumerate(np.eye(3)):
            wrenches = np.zeros((rows, bodies, 6))
            wrenches[:, body, :3], wrenches[:, body, 3:] = unit, np.cross(arm, unit)
            found = tree.kernel("external_forces").first(movement.q, wrenches.reshape(rows, -1), numbers)
            effects[:, contact, axis] = found[:, root]
    return places, effects


def _touching(names: tuple[str, ...], touching: Mapping[str, ArrayLike], rows: int) -> Flags:
    found = np.ones((rows, len(names)), dtype=bool)
    for name, when in touching.items():
        if name not in names:
            raise ModelError("shared_reactions: touching: " + unknown_name("contact", name, names))
        values = np.asarray(when, dtype=bool)
        if values.shape not in ((), (rows,)):
            raise DataError(f"touching of '{name}' needs a value for each of the {rows} rows, not {values.shape}")
        found[:, names.index(name)] = values
    return found


def _shares(matrix: Floats, needed: Floats, pushing: Flags) -> Floats:
    """Return the least forces x with ``matrix @ x = needed``, and x >= 0 where ``pushing``.

    Least distance programming (Lawson and Hanson 1974, chapter 23): in the null space of the matrix the shortest step
    that makes the bounded forces positive follows from non-negative least squares.
    """
    if not matrix.size:
        return np.zeros(matrix.shape[1])
    left, sizes, right = np.linalg.svd(matrix, full_matrices=True)
    rank = int((sizes > _RANK * sizes.max(initial=0.0)).sum())
    least = right[:rank].T @ ((left[:, :rank].T @ needed) / sizes[:rank])
    if not pushing.any() or (least[pushing] >= 0.0).all():
        return np.asarray(least)
    free = right[rank:].T
    rows, bound = free[pushing], -least[pushing]
    scale = max(float(np.abs(bound).max()), 1.0)
    system = np.vstack([rows.T, bound[None] / scale])
    aim = np.append(np.zeros(free.shape[1]), 1.0)
    weights, _ = nnls(system, aim)
    residual = system @ weights - aim
    if abs(residual[-1]) < _RANK:
        # No forces of that sign carry the motion.
        return np.zeros(matrix.shape[1])
    return np.asarray(least + free @ (-scale * residual[:-1] / residual[-1]))


def _as_external(points: Mapping[str, Marker], time: Floats, forces: Floats, places: Floats, by: By) -> ExternalForces:
    found = []
    for contact, (name, point) in enumerate(points.items()):
        columns = {f"{name}.force_{axis}": forces[:, contact, k] for k, axis in enumerate(_AXES)}
        columns |= {f"{name}.point_{axis}": places[:, contact, k] for k, axis in enumerate(_AXES)}
        units = {column: "N" if ".force_" in column else "m" for column in columns}
        pushes, points_at = ([f"{name}.{what}_{axis}" for axis in _AXES] for what in ("force", "point"))
        found.append(
            ExternalForce(
                name,
                point.body,
                Trajectory(time, columns, units),
                (pushes[0], pushes[1], pushes[2]),
                (points_at[0], points_at[1], points_at[2]),
            )
        )
    return ExternalForces(found, notes=(f"reactions shared by {by.replace('_', ' ')}: a choice, not a measurement",))
