"""Lengths and moment arms of all muscles from the exact geometry of their paths, never from a fit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.model import Model, Muscle, PathForce, PointPath
from myodyne.paths.groups import Groups
from myodyne.types import Floats, Integers

if TYPE_CHECKING:
    from myodyne.equations.build import Kernels
    from myodyne.native.kernel import Kernel
    from myodyne.paths.wrapping.lengths import WrappedLengths


def wrapped_muscles(model: Model) -> dict[str, PointPath]:
    """Return the paths of muscles that wrap over surfaces, by muscle."""
    return _wrapped(model.muscles)


def wrapped_forces(model: Model) -> dict[str, PointPath]:
    """Return the paths of ligaments, springs and actuators that wrap over surfaces, by force."""
    return _wrapped({name: force for name, force in model.forces.items() if isinstance(force, PathForce)})


def wrapped_paths(model: Model) -> dict[str, PointPath]:
    """Return all paths that wrap over surfaces, by muscle or force."""
    return {**wrapped_muscles(model), **wrapped_forces(model)}


def _wrapped(parts: Mapping[str, Muscle | PathForce]) -> dict[str, PointPath]:
    paths = {name: part.path for name, part in parts.items()}
    return {name: path for name, path in paths.items() if isinstance(path, PointPath) and path.wraps}


def _wrapping(model: Model, paths: dict[str, PointPath]) -> WrappedLengths:
    from myodyne.paths.wrapping.lengths import WrappedLengths

    return WrappedLengths(model, paths)


class Geometry:
    """The paths of a model's muscles: those of expressions by a kernel, those over surfaces by the runtime."""

    def __init__(self, model: Model, kernels: Kernels) -> None:
        self._kernels, self._muscles, self._size = kernels, len(model.muscles), len(model.moving)
        wrapped = wrapped_muscles(model)
        # The sizes of surfaces are the model's own: numbers of a path over surfaces cannot be free.
        self._wrapping = _wrapping(model, wrapped) if wrapped else None
        over = np.array([name in wrapped for name in model.muscles], dtype=bool)
        self._over_surfaces, self._over_none = np.flatnonzero(over), np.flatnonzero(~over)
        self._known: dict[str, tuple[int, Integers | slice]] = {}
        # Lengths and moment arms do not depend on the speeds, which are inputs of their kernel as well.
        self._still = np.zeros(self._size)

    def lengths(self, q: ArrayLike, p: ArrayLike) -> Floats:
        """Return lengths (m) from origin to insertion, one for each muscle, for a pose or for rows of poses."""
        q = np.asarray(q, dtype=float)
        if self._wrapping is None:
            return self.fitted(q, p)[0]
        found = np.empty((*q.shape[:-1], self._muscles))
        found[..., self._over_none] = self._plain(q, self._still, p)[0]
        found[..., self._over_surfaces] = self._wrapping(*self._kernels["wrap_places"](q, p))[0]
        return found

    def moment_arms(self, q: ArrayLike, p: ArrayLike) -> Floats:
        """Return moment arms (m; n_muscles, n_coordinates), for a pose or for rows of poses."""
        q = np.asarray(q, dtype=float)
        if self._wrapping is None:
            return self.fitted(q, p)[1]
        found = np.empty((*q.shape[:-1], self._muscles, self._size))
        found[..., self._over_none, :] = self._spread(self._plain, self._plain(q, self._still, p)[1])
        kernel = self._kernels["wrap_gradient"]
        _, weights = self._wrapping(*self._kernels["wrap_places"](q, p))
        found[..., self._over_surfaces, :] = self._spread(kernel, kernel.first(q, weights, p))
        return found

    @cached_property
    def _plain(self) -> Kernel:
        return self._kernels["point_paths"]

    def fitted(self, q: ArrayLike, p: ArrayLike) -> tuple[Floats, Floats]:
        """Return lengths and moment arms as used in simulations, whose kernel has muscles in an order of its own."""
        q = np.asarray(q, dtype=float)
        ordered, slopes, _ = self._kernels["paths"](q, np.zeros_like(q), p)
        lengths, arms = np.empty_like(ordered), np.zeros((*ordered.shape, self._size))
        order, muscles, coordinates = self._order
        lengths[..., order] = ordered
        arms[..., muscles, coordinates] = -slopes
        return lengths, arms

    @cached_property
    def _order(self) -> tuple[Integers, Integers, Integers]:
        """The number of each muscle in the order of groups; muscle and coordinate of each entry of the gradient."""
        groups = Groups.noted(self._kernels["paths"].signature.notes)
        order, entries = np.array(groups.order, dtype=int), np.array(groups.entries, dtype=int).reshape(-1, 2)
        return order, order[entries[:, 0]], entries[:, 1]

    def _spread(self, kernel: Kernel, nonzero: Floats) -> Floats:
        """Return moment arms as a dense table from the gradients that are not zero."""
        columns, places = self._places(kernel)
        arms = np.zeros((*nonzero.shape[:-1], columns * self._size))
        arms[..., places] = -nonzero
        return arms.reshape(*nonzero.shape[:-1], columns, self._size)

    def _places(self, kernel: Kernel) -> tuple[int, Integers | slice]:
        """Return the number of paths of a kernel, and the positions of its gradients in a dense table, row by row."""
        name = kernel.signature.name
        if name not in self._known:
            (columns,) = (shape[1] for output, shape in kernel.signature.outputs if output == "gradient")
            first, coordinate = kernel.signature.patterns.get("gradient") or ((), ())
            places: Integers | slice = slice(None)
            if first:
                places = np.repeat(np.arange(columns), np.diff(first)) * self._size + np.array(coordinate, int)
            self._known[name] = columns, places
        return self._known[name]
