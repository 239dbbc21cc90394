"""Contributions of one body to the mass matrix, the velocity terms and gravity (equations 124 to 148, 186, 187).

All follow from ``D`` and ``D'`` of the body and its pseudo-inertia ``J`` (4 x 4), the integral of ``r rᵀ`` over the
mass with ``r = (x, y, z, 1)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from myodyne.formulations.matrix_calculus.calculus import Array, permutation, vec
from myodyne.model import Body


def pseudo_inertia(body: Body) -> Array:
    """Return ``J`` (equation 131): second moments of mass about the body's origin, first moments, and mass.

    Equation 131 calls its first block the inertia tensor; it is ``∫ r rᵀ dm = ½ tr(I) 1 - I``.

    Examples
    --------
    >>> rod = Body(mass=3.0, centre_of_mass=(1, 0, 0), inertia={"yy": 1.0, "zz": 1.0})
    >>> pseudo_inertia(rod)[[0, 0, 3], [0, 3, 3]]
    array([4., 3., 3.])
    """
    inertia, centre = np.array(body.inertia.matrix), np.array(body.centre_of_mass)
    about_centre = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    result = np.empty((4, 4))
    result[:3, :3] = about_centre + body.mass * np.outer(centre, centre)
    result[:3, 3] = result[3, :3] = body.mass * centre
    result[3, 3] = body.mass
    return result


def mass_contribution(inertia: Array, first: Array) -> Array:
    """Return ``M_i = Σ_kl J_kl D_k D_lᵀ`` (n, n), ``D_k`` being the k-th block of n rows of ``D``."""
    blocks = first.reshape(4, -1, 4)
    return _contracted(inertia, blocks, blocks)


def mass_contribution_by_kronecker_products(inertia: Array, first: Array) -> Array:
    """Return the same by the Kronecker products of equation 145 as printed; large matrices, for tests."""
    n = first.shape[0] // 4
    shuffle, spread = permutation(n, 4), np.kron(vec(np.eye(4)), np.eye(n))
    left = spread.T @ np.kron(inertia, shuffle.T)
    middle = np.kron(first @ first.T, np.eye(4))
    result: Array = left @ middle @ (np.kron(np.eye(4), shuffle) @ spread)
    return result


def coriolis_contribution(inertia: Array, first: Array, second: Array, v: ArrayLike) -> Array:
    """Return ``N_i`` (n, n) with ``N_i q̇`` the velocity terms of the body: ``Σ_kl J_kl D_k D'_lᵀ (q̇ ⊗ I)``.

    Equation 147 repeats the mass matrix by mistake. The entries are Christoffel symbols of the body's kinetic energy
    times speeds, so that ``dM_i/dt - 2 N_i`` is skew-symmetric.
    """
    n = first.shape[0] // 4
    along = np.tensordot(second.reshape(4, n, n, 4), np.asarray(v), axes=(1, 0))  # (4, n, 4), like D
    return _contracted(inertia, first.reshape(4, n, 4), along)


def gravity_contribution(body: Body, first: Array, gravity: ArrayLike) -> Array:
    """Return ``G_i`` (n,): the generalised force of the body's weight (equation 187)."""
    centre = np.append(np.array(body.centre_of_mass), 1.0)
    weight = body.mass * np.append(np.asarray(gravity), 0.0)
    n = first.shape[0] // 4
    result: Array = np.kron(centre, np.eye(n)) @ first @ weight
    return result


def _contracted(inertia: Array, left: Array, right: Array) -> Array:
    """Return ``Σ_kl J_kl left_k right_lᵀ`` for blocks (4, n, 4)."""
    weighted = np.tensordot(inertia, right, axes=(1, 0))  # (4, n, 4): k, b, ground axis
    return np.tensordot(left, weighted, axes=((0, 2), (0, 2)))
