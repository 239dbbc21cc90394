"""Solution of linear systems, and diagnosis of singular ones: open unknowns and dependent equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from myodyne.errors import SolveError, listed, unknown_name
from myodyne.types import Floats

Method: TypeAlias = Literal["exact", "least_squares", "minimum_norm"]
# Scaled systems of random chains and trees of up to 15 bodies have condition numbers below 3e4; singular ones 1e16.
LARGEST_CONDITION = 1e13
# Singular values and entries of null vectors below these fractions of the largest count as zero.
_ZERO_SINGULAR_VALUE = 1e-12
_ZERO_ENTRY = 1e-6


def solve_named(
    left: Floats,
    right: Floats,
    unknowns: Sequence[str],
    equations: Sequence[str],
    elsewhere: Callable[[], Floats],
) -> Floats:
    """Solve stacked square systems, or raise a SolveError that names what is wrong with them.

    Parameters
    ----------
    left : array (..., m, m)
        The matrices.
    right : array (..., m)
        Their right sides.
    unknowns, equations : sequence of str
        Names of the columns and rows.
    elsewhere : callable
        Returns the matrix in a generic pose, to distinguish a bad choice of unknowns from a singular pose.
    """
    if len(unknowns) != len(equations):
        # The count is wrong in every pose; a generic one adds no singularity of its own.
        raise SolveError(_miscounted(elsewhere(), unknowns, equations))
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise SolveError("the equations are not finite: check the motion and the forces")
    down, across = _scales(left)
    scaled = left * down[..., :, None] * across[..., None, :]
    try:
        inverse = np.linalg.inv(scaled)
    except np.linalg.LinAlgError:
        raise SolveError(_singular(left, unknowns, equations, elsewhere)) from None
    condition = np.abs(scaled).sum(axis=-2).max(axis=-1) * np.abs(inverse).sum(axis=-2).max(axis=-1)
    if not (condition < LARGEST_CONDITION).all():
        raise SolveError(_singular(left, unknowns, equations, elsewhere))
    found = (inverse @ (down * right)[..., None])[..., 0]
    # The inverse is needed for the condition number; two refinement steps restore the accuracy of a direct solve.
    for _ in range(2):
        remainder = down * right - (scaled @ found[..., None])[..., 0]
        found = found + (inverse @ remainder[..., None])[..., 0]
    return across * found


def solve_nearest(
    left: Floats, right: Floats, unknowns: Sequence[str], equations: Sequence[str], method: Method
) -> Floats:
    """Solve stacked systems with more equations than unknowns by least squares, or with fewer by the least norm.

    A system that leaves the answer open raises a SolveError that names what is open.
    """
    if method not in get_args(Method):
        raise SolveError(unknown_name("method", method, get_args(Method)))
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise SolveError("the equations are not finite: check the motion and the forces")
    rows, columns = left.shape[-2:]
    wanted, what = (columns, "unknowns") if method == "least_squares" else (rows, "equations")
    for matrix in left.reshape(-1, rows, columns):
        down, across = _scales(matrix)
        sizes = np.linalg.svd(matrix * down[:, None] * across[None, :], compute_uv=False)
        rank = int((sizes > _ZERO_SINGULAR_VALUE * sizes.max(initial=0.0)).sum())
        if rank < wanted:
            ends = _open_ends(matrix, at_least=max(0, min(rows, columns) - rank))
            names = _involved(ends[0], unknowns) if what == "unknowns" else _involved(ends[1], equations)
            raise SolveError(
                f"{method.replace('_', ' ')} needs {wanted} independent {what}, but the system has rank {rank}; "
                f"check {listed(names)}"
            )
    found: Floats = (np.linalg.pinv(left) @ right[..., None])[..., 0]
    return found


def _scales(left: Floats) -> tuple[Floats, Floats]:
    """Return scales of rows and columns that bring their largest entries to one; their units differ."""
    down = 1.0 / _or_one(np.abs(left).max(axis=-1, initial=0.0))
    across = 1.0 / _or_one((np.abs(left) * down[..., :, None]).max(axis=-2, initial=0.0))
    return down, across


def _or_one(sizes: Floats) -> Floats:
    return np.where(sizes > 0, sizes, 1.0)


def _open_ends(left: Floats, at_least: int = 0) -> tuple[Floats, Floats]:
    """Return null vectors as columns, of the unknowns and of the equations.

    At least ``at_least`` are returned, even if no singular value is clearly zero.
    """
    down, across = _scales(left)
    u, sizes, vt = np.linalg.svd(left * down[:, None] * across[None, :])
    rank = int((sizes > _ZERO_SINGULAR_VALUE * max(sizes.max(initial=0.0), 1e-300)).sum())
    rank = min(rank, min(left.shape) - at_least)
    return vt[rank:].T, u[:, rank:]


def _involved(vectors: Floats, names: Sequence[str]) -> list[str]:
    if vectors.shape[1] == 0:
        return []
    sizes = np.abs(vectors).max(axis=1)
    return [name for name, size in zip(names, sizes, strict=True) if size > _ZERO_ENTRY * sizes.max()]


def _miscounted(left: Floats, unknowns: Sequence[str], equations: Sequence[str]) -> str:
    open_unknowns, open_equations = _open_ends(left)
    surplus = len(unknowns) - len(equations)
    message = f"{len(unknowns)} unknowns for {len(equations)} equations"
    if surplus > 0:
        names = _involved(open_unknowns, unknowns)
        message += (
            f": {surplus} too many. The equations leave open {listed(names, most=30)}; "
            f"make {open_unknowns.shape[1]} of these known"
        )
        if open_equations.shape[1]:
            message += f"; {_dependent(open_equations, equations)}"
        return message
    names = _involved(open_equations, equations)
    message += (
        f": {-surplus} too few, the motion is over-determined. The conflict is between {listed_equations(names)}; "
        f"make {-surplus} more of the variables in them unknown"
    )
    if open_unknowns.shape[1]:
        message += f". Even so the equations leave open {listed(_involved(open_unknowns, unknowns), most=30)}"
    return message


def _singular(left: Floats, unknowns: Sequence[str], equations: Sequence[str], elsewhere: Callable[[], Floats]) -> str:
    stack = left.reshape(-1, *left.shape[-2:])
    worst = 0
    if len(stack) > 1:
        down, across = _scales(stack)
        sizes = np.linalg.svd(stack * down[:, :, None] * across[:, None, :], compute_uv=False)
        worst = int(np.argmin(sizes[:, -1] / sizes[:, 0]))
    always, _ = _open_ends(elsewhere())
    if always.shape[1]:
        pose = "in any pose"
    else:
        pose = "in this pose" + (f" (row {worst} of the motion)" if len(stack) > 1 else "")
    open_unknowns, open_equations = _open_ends(stack[worst], at_least=1)
    return (
        f"this choice of unknowns cannot be solved {pose}. The equations leave open "
        f"{listed(_involved(open_unknowns, unknowns), most=30)}; {_dependent(open_equations, equations)}. "
        f"Exchange {open_unknowns.shape[1]} of these unknowns for known variables in those equations, "
        f"or leave out constraints among them"
    )


def _dependent(vectors: Floats, equations: Sequence[str]) -> str:
    names = _involved(vectors, equations)
    if len(names) == 1:
        return f"none of the unknowns enters this equation: {names[0]}"
    return f"these equations depend on one another: {listed_equations(names)}"


def listed_equations(names: Sequence[str], most: int = 15) -> str:
    """Return equations as text, at most ``most`` of them; they contain quoted names and are not quoted themselves."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
