"""Any 3n of the variables of a chain from the others: forward, inverse and mixed dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import SolveError, listed
from myodyne.formulations.newton_euler.chain import Chain, Motion, Pose
from myodyne.formulations.newton_euler.constraints import Constraint, Rows
from myodyne.formulations.newton_euler.diagnose import Method, solve_named, solve_nearest
from myodyne.formulations.newton_euler.solution import Solution
from myodyne.formulations.newton_euler.system import (
    constraint_matrix,
    equation_names,
    extended_system_of,
    system_of as _system_of,
)
from myodyne.formulations.newton_euler.variables import variable_index, variable_names, variable_places
from myodyne.types import Floats


def solve(
    chain: Chain,
    motion: Motion,
    known: Mapping[str, ArrayLike] | None = None,
    unknown: Iterable[str] | None = None,
    constraints: Sequence[Constraint] = (),
    *,
    method: Method = "exact",
) -> Solution:
    """Find the unknown variables of a chain from the known ones.

    Parameters
    ----------
    chain : Chain
        The segments.
    motion : Motion
        Angles and rates, of one instant or of a stack of instants.
    known : mapping of str to float or array (...), optional
        Values of variables by name (N, N m, rad/s², m/s²).
    unknown : iterable of str, optional
        The unknowns; every variable that is neither unknown nor known is then zero. By default all that is not known
        is unknown. Not counting those of constraints there must be 3n, and the equations must determine them;
        otherwise a SolveError names the open unknowns and the dependent equations.
    constraints : sequence of constraints, optional
        Equations between accelerations, each with a reaction that becomes unknown.
    method : "exact", "least_squares" or "minimum_norm"
        "least_squares" takes fewer unknowns than equations (motion and forces both measured): the sum of the squared
        errors of all equations (N, N m, m/s², rad/s²) is smallest, and ``residual`` holds these. "minimum_norm" takes
        more (a force shared by two contacts): the sum of the squared unknowns is smallest.

    Examples
    --------
    A rod of 1 m and 1 kg released from horizontal accelerates by 3g/2l:

    >>> from myodyne.formulations.newton_euler import Chain, Motion, Segment, forward_unknowns, weight
    >>> rod = Chain([Segment("rod", length=1.0, centre=0.5, mass=1.0, inertia=1 / 12)], joints=["pivot", "tip"])
    >>> fall = solve(rod, Motion([0.0]), known=weight(rod), unknown=forward_unknowns(rod))
    >>> round(fall["rod.angular_acceleration"], 3), round(fall["pivot.reaction_force_y"], 4)
    (-14.715, 2.4525)
    """
    places = variable_places(chain)
    known = dict(known or {})
    sought = _sought(chain, known, unknown, constraints)
    pose = Pose(chain, motion)
    rows = [constraint.rows(pose) for constraint in constraints]
    _check_reactions(constraints, rows)
    columns = [places[name] for name in sought]
    own = [number for number, constraint in enumerate(constraints) if not constraint.reaction]

    shape = _common_shape(pose, known, rows)
    values = np.zeros((*shape, 7 * chain.size + 5))
    for name, value in known.items():
        values[..., places[name]] = value
    left, right = _with_rows(*_system_of(pose), rows)
    right = right - (left @ values[..., None])[..., 0]
    labels = [*equation_names(chain), *(label for row in rows for label in row.labels)]
    titles = [*sought, *(f"reaction to the {label}" for number in own for label in rows[number].labels)]

    def elsewhere() -> Floats:
        other = Pose(chain, _generic(chain))
        there = [constraint.rows(other) for constraint in constraints]
        return _reduced(other, _with_rows(*_system_of(other), there)[0], there, columns, own)

    reduced = np.broadcast_to(_reduced(pose, left, rows, columns, own), (*shape, len(labels), len(titles)))
    if method == "exact":
        found = solve_named(reduced, right, titles, labels, elsewhere)
    else:
        found = solve_nearest(reduced, right, titles, labels, method)
    values[..., columns] = found[..., : len(columns)]
    multipliers = found[..., len(columns) :]
    solution = _solution(chain, values, multipliers, constraints, rows)
    return replace(solution, residual=(reduced @ found[..., None])[..., 0] - right)


def solve_arrays(
    chain: Chain,
    motion: Motion,
    V: ArrayLike,
    K: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    right: ArrayLike | None = None,
) -> Floats:
    """Find the unknown variables of a chain with the arrays K and V of the printed algorithm, segdyn.

    Parameters
    ----------
    chain : Chain
        The segments.
    motion : Motion
        Of one instant.
    V : array (7n + 5,) or (13n + 5,)
        Values of the variables in the printed order; with 13n + 5 the constraint variables follow.
    K : array of bool, optional
        True where a variable is known. If left out, NaN in V marks the unknowns.
    rows, right : array (m, len(V)) and (m,), optional
        Additional equations for m more unknowns, which the printed programs add to A' and b'.

    Returns
    -------
    array
        A copy of V with every unknown filled in.

    Examples
    --------
    >>> from myodyne.formulations.newton_euler import Chain, Motion, Segment, printed_index
    >>> rod = Chain([Segment("rod", length=1.0, centre=0.5, mass=1.0, inertia=1 / 12)])
    >>> V = np.zeros(12)
    >>> V[printed_index(1, "Fexty") - 1] = -9.81
    >>> for symbol in ("Frx", "Fry", "phidd"):
    ...     V[printed_index(1, symbol) - 1] = np.nan
    >>> float(solve_arrays(rod, Motion([0.0]), V)[printed_index(1, "phidd") - 1].round(3))
    -14.715
    """
    V = np.array(V, dtype=np.float64)
    names = tuple(variable_places(chain))
    n = chain.size
    if V.shape not in ((7 * n + 5,), (13 * n + 5,)):
        raise SolveError(f"V of {n} segments has {7 * n + 5} or {13 * n + 5} entries, not the shape {V.shape}")
    if motion.angles.ndim != 1:
        raise SolveError("the arrays K and V describe one instant; use solve for stacked motions")
    K = ~np.isnan(V) if K is None else np.asarray(K)
    if K.shape != V.shape or not np.isin(K, (0, 1)).all():
        raise SolveError(f"K needs True or False for each of the {len(V)} variables")
    K = K.astype(bool)
    if not np.isfinite(V[K]).all():
        where = [names[i] for i in np.flatnonzero(K & ~np.isfinite(V))]
        raise SolveError(f"K marks {listed(where)} as known, but V is not finite there")
    more, more_right = _printed_rows(rows, right, len(V))

    def full(pose: Pose) -> tuple[Floats, Floats]:
        left, b = extended_system_of(pose)
        return np.vstack([left[:, : len(V)], more]), np.concatenate([b, more_right])

    left, b = full(Pose(chain, motion))
    titles = [names[i] for i in np.flatnonzero(~K)]
    labels = [*equation_names(chain), *(f"added row {i + 1}" for i in range(len(more)))]
    V[~K] = solve_named(
        left[:, ~K], b - left[:, K] @ V[K], titles, labels, lambda: full(Pose(chain, _generic(chain)))[0][:, ~K]
    )
    filled: Floats = V
    return filled


def _sought(
    chain: Chain, known: Mapping[str, ArrayLike], unknown: Iterable[str] | None, constraints: Sequence[Constraint]
) -> list[str]:
    """Return all printed variables that are unknown, including those of constraints; contradictions raise an error."""
    for what, given in (("unknown", unknown), *(("a reaction", constraint.reaction) for constraint in constraints)):
        if isinstance(given, str):
            raise SolveError(f"{what} needs a list of names, not the text {given!r}")
    asked = list(unknown) if unknown is not None else []
    claimed = [name for constraint in constraints for name in constraint.reaction]
    for name in (*known, *asked, *claimed):
        if variable_index(chain, name) >= 7 * chain.size + 5:
            raise SolveError(f"'{name}' is a constraint variable; use the external forces and moments of a segment")
    for name, value in known.items():
        if not np.isfinite(value).all():
            raise SolveError(f"the known '{name}' is not a finite number")
        if name in asked:
            raise SolveError(f"'{name}' is both known and unknown; choose one")
        if name in claimed and np.any(np.asarray(value) != 0.0):
            raise SolveError(
                f"'{name}' is known, and a constraint uses it as its reaction: its value would be lost. "
                "Omit the reaction of the constraint, so that it adds its own"
            )
    if unknown is None:
        asked = [name for name in variable_names(chain) if name not in known and name not in claimed]
    sought = [*asked, *claimed]
    if len(set(sought)) < len(sought):
        twice = next(name for name in sought if sought.count(name) > 1)
        advice = " Omit the reaction of the constraint, so that it adds its own" if twice in claimed else ""
        raise SolveError(f"'{twice}' is named as unknown twice.{advice}")
    return sought


def _check_reactions(constraints: Sequence[Constraint], rows: Sequence[Rows]) -> None:
    for constraint, row in zip(constraints, rows, strict=True):
        if constraint.reaction and len(constraint.reaction) != len(row.labels):
            raise SolveError(
                f"the constraint on the {row.labels[0]} has {len(row.labels)} equations and names "
                f"{len(constraint.reaction)} reactions; name as many, or none to add its own"
            )
        if not np.isfinite(row.right).all():
            raise SolveError(f"the constraint on the {row.labels[0]} prescribes a value that is not finite")


def _common_shape(pose: Pose, known: Mapping[str, ArrayLike], rows: Sequence[Rows]) -> tuple[int, ...]:
    """Return the common shape of motion, known values and constraints."""
    shapes = [pose.rows, *(np.shape(value) for value in known.values()), *(row.right.shape[:-1] for row in rows)]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        stacked = {name: np.shape(value) for name, value in known.items() if np.ndim(value)}
        raise SolveError(
            f"the motion has rows of shape {pose.rows}, the known values {stacked}: they do not match"
        ) from None


def _with_rows(left: Floats, right: Floats, rows: Sequence[Rows]) -> tuple[Floats, Floats]:
    """Return the system with the rows of the constraints below it."""
    if not rows:
        return left, right
    shape = np.broadcast_shapes(right.shape[:-1], *(row.right.shape[:-1] for row in rows))
    below = [np.broadcast_to(row.right, (*shape, row.right.shape[-1])) for row in rows]
    right = np.concatenate([np.broadcast_to(right, (*shape, right.shape[-1])), *below], axis=-1)
    return np.concatenate([left, *(row.left for row in rows)], axis=-2), right


def _reduced(pose: Pose, left: Floats, rows: Sequence[Rows], columns: Sequence[int], own: Sequence[int]) -> Floats:
    """Return the columns of the unknowns, followed by those of the constraints' own reactions."""
    if not own:
        return left[..., columns]
    reach = np.concatenate([rows[number].reach for number in own], axis=-1)
    forces = constraint_matrix(pose.to_centre) @ reach
    # The reactions enter the equations of motion, not the constraints.
    blank = np.zeros((*pose.rows, left.shape[-2] - forces.shape[-2], forces.shape[-1]))
    return np.concatenate([left[..., columns], np.concatenate([forces, blank], axis=-2)], axis=-1)


def _generic(chain: Chain) -> Motion:
    """Return a random pose: a system singular there is singular because of its choice of unknowns."""
    return Motion(np.random.default_rng(2004).uniform(-np.pi, np.pi, chain.size))


def _solution(
    chain: Chain, values: Floats, multipliers: Floats, constraints: Sequence[Constraint], rows: Sequence[Rows]
) -> Solution:
    places = variable_places(chain)
    constraint_values = np.zeros((*values.shape[:-1], 6 * chain.size))
    reactions: list[Floats] = []
    used = 0
    for constraint, row in zip(constraints, rows, strict=True):
        if constraint.reaction:
            reactions.append(values[..., [places[name] for name in constraint.reaction]])
            continue
        part = multipliers[..., used : used + len(row.labels)]
        used += len(row.labels)
        constraint_values += (row.reach @ part[..., None])[..., 0]
        reactions.append(part)
    return Solution(chain, values, constraint_values, tuple(constraints), tuple(reactions))


def _printed_rows(rows: ArrayLike | None, right: ArrayLike | None, width: int) -> tuple[Floats, Floats]:
    if rows is None and right is None:
        return np.zeros((0, width)), np.zeros(0)
    if rows is None or right is None:
        raise SolveError("give both rows and right: the left and right sides of the added equations")
    rows, right = np.atleast_2d(np.asarray(rows, dtype=float)), np.atleast_1d(np.asarray(right, dtype=float))
    if rows.shape != (len(right), width):
        raise SolveError(f"{len(right)} added equations need rows of shape {(len(right), width)}, not {rows.shape}")
    if not (np.isfinite(rows).all() and np.isfinite(right).all()):
        raise SolveError("the added equations must be finite")
    return rows, right
