"""The equations of motion at an instant, put together from the skeleton and the muscles.

As one expression, the second derivatives of eighty muscles are half a million operations, which take minutes to
compile. Here the skeleton is one function, the paths are another, and all muscles of a kind share a third, which has
their numbers as inputs; the chain rule joins them with numbers.

The balance of forces is that of the skeleton plus ``Gᵀ T``, with the gradients G of the path lengths L and the tensions
T. Weighted by multipliers λ, a muscle contributes ``T w`` with ``w = (G λ)``, the rate of its length along λ, and its
own two residuals. So with z = (drive, w) as functions of the unknowns, the second derivatives are ``zᵀ' Φ'' z'`` of a
small function Φ, plus those of lengths, speeds and w, weighted by the slopes of Φ.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from myodyne.equations.assemble import Assembly
from myodyne.equations.definitions import Definition
from myodyne.equations.muscles.kinds import (
    DERIVATIVES,
    DRIVE,
    DRIVE_PLACE,
    RESPONSE,
    RESPONSE_COLUMN,
    activation_states,
    fibre_states,
    kinds_of,
)
from myodyne.equations.requests import MuscleForm, MuscleKernel
from myodyne.native.kernel import Kernel
from myodyne.optimise.expressions import Scope
from myodyne.optimise.transcription.free import FreeMotion
from myodyne.optimise.transcription.functions import InstantFunction, code_fingerprint, places_of
from myodyne.optimise.transcription.muscle_unknowns import DIRECTED, Booleans, MuscleUnknowns, Scatter
from myodyne.physics.spatial import SX
from myodyne.types import Floats, Integers

_RATES = ("projected_rate", "state_rate")


class MuscledDynamics:
    """The residual of a model with many muscles, with its derivatives: what `InstantFunction` gives, made of parts.

    Parameters
    ----------
    instant : of the movement; the model has no free parameters and no control law.
    """

    name = "dynamics"
    channels: tuple[str, ...] = ()

    def __init__(self, instant: FreeMotion) -> None:
        self._instant, self._equations = instant, instant.equations
        model = instant.model
        self._size = len(instant.coordinates)
        self._fibres, self._active = len(fibre_states(model)), len(activation_states(model))
        after = 2 * self._size + self._fibres + self._active
        self.count = after + len(instant.multipliers)
        # Rows of the skeleton: those of coordinates and speeds, and of kept constraints.
        self._skeleton_rows = np.r_[0 : 2 * self._size, after : self.count]
        self._skeleton = InstantFunction(instant, "skeleton", "skeleton", _skeleton)
        kind_of, kinds = kinds_of(model)
        self._members = [
            np.array([i for i, name in enumerate(model.muscles) if kind_of[name] == number], dtype=np.intp)
            for number in range(len(kinds))
        ]
        muscles = list(model.muscles.values())
        self._numbers = [
            np.array([kind.numbers(muscles[i]) for i in members])
            for kind, members in zip(kinds, self._members, strict=True)
        ]

    # -- parts

    def _kernel(self, name: str) -> Kernel:
        def define() -> Definition:
            return _PATH_KERNELS[name](self._instant.expressions)

        return self._instant.kernel(name, code_fingerprint(), define)

    @cached_property
    def _paths(self) -> Kernel:
        return self._kernel("muscle_paths")

    @cached_property
    def _bending(self) -> Kernel:
        return self._kernel("muscle_bending")

    @cached_property
    def _path_curvature(self) -> Kernel:
        return self._kernel("muscle_path_curvature")

    def _of_kinds(self, form: MuscleForm) -> list[Kernel]:
        return [self._equations.kernel(MuscleKernel(number, form)) for number in range(len(self._members))]

    @cached_property
    def _responses(self) -> list[Kernel]:
        return self._of_kinds("response")

    @cached_property
    def _curvatures(self) -> list[Kernel]:
        return self._of_kinds("curvature")

    @cached_property
    def _unknowns(self) -> MuscleUnknowns:
        return MuscleUnknowns.of(self._instant, places_of(self._paths, "gradient"))

    # -- numbers of all muscles at all instants

    def _drives(self, paths: Sequence[Floats], x: Floats, r: Floats, u: Floats, duration: float) -> Floats:
        """Return the drives (instants, muscles, drive)."""
        lengths, gradient, _ = paths
        unknowns = self._unknowns
        drives = np.zeros((len(x), len(unknowns.columns), len(DRIVE)))
        drives[:, :, DRIVE_PLACE["length"]] = lengths
        speeds = gradient * x[:, self._size + self._crossed]
        drives[:, :, DRIVE_PLACE["speed"]] = self._by_muscle(speeds)
        given = np.hstack([x, r / duration, u])
        for name in ("projected", "state", "projected_rate", "state_rate", "excitation"):
            columns = unknowns.columns[:, unknowns.own(name)]
            has = np.flatnonzero(columns >= 0)
            drives[:, has, DRIVE_PLACE[name]] = given[:, columns[has]]
        return drives

    @cached_property
    def _crossed(self) -> Integers:
        return places_of(self._paths, "gradient")[1]

    def _by_muscle(self, entries: Floats) -> Floats:
        """Return sums over the entries of each muscle's gradient (instants, muscles)."""
        total: Floats = self._unknowns.spread(entries).sum(axis=2)
        return total

    def _response(self, drives: Floats) -> Floats:
        """Return responses and their slopes (instants, muscles, response)."""
        found = np.zeros((*drives.shape[:2], len(RESPONSE_COLUMN)))
        for kernel, members, numbers in zip(self._responses, self._members, self._numbers, strict=True):
            rows = drives[:, members].reshape(-1, len(DRIVE)), np.tile(numbers, (len(drives), 1))
            found[:, members] = kernel.first(*rows).reshape(len(drives), len(members), -1)
        return found

    def _measured(
        self, x: Floats, r: Floats, u: Floats, shared: Floats
    ) -> tuple[tuple[Floats, ...], Floats, Floats, Floats]:
        """Return lengths with gradients and their rates, drives, responses, and slopes (.., response, drive)."""
        q, v = (np.ascontiguousarray(part) for part in (x[:, : self._size], x[:, self._size : 2 * self._size]))
        paths = self._paths(q, v)
        drives = self._drives(paths, x, r, u, float(shared[0]))
        response = self._response(drives)
        slopes = np.zeros((*drives.shape[:2], len(RESPONSE), len(DRIVE)))
        for value, source in DERIVATIVES:
            column = RESPONSE_COLUMN[value, source]
            slopes[:, :, RESPONSE.index(value), DRIVE_PLACE[source]] = response[:, :, column]
        return paths, drives, response, slopes

    # -- what an instant function gives

    def values(self, *instants: Floats) -> Floats:
        """Return the residual, a row for each instant."""
        x, r, u, shared, data = instants
        unknowns = self._unknowns
        (_, gradient, _), _, response, _ = self._measured(x, r, u, shared)
        found = np.zeros((len(x), self.count))
        found[:, self._skeleton_rows] = self._skeleton.values(x, r, u, shared, data)
        pulls = gradient * response[:, unknowns.entries[0], RESPONSE_COLUMN["tension"]]
        balance = found[:, self._size : 2 * self._size]
        np.add.at(balance.T, self._crossed, pulls.T)
        for name, place in (("contraction", -2), ("activation", -1)):
            rows = unknowns.rows[:, place]
            has = np.flatnonzero(rows >= 0)
            found[:, rows[has]] = response[:, has, RESPONSE_COLUMN[name]]
        return found

    def jacobian(self, *instants: Floats) -> Floats:
        """Return the nonzeros of the derivatives, a row for each instant."""
        x, r, u, shared, _ = instants
        (_, gradient, rate), drives, response, slopes = self._measured(x, r, u, shared)
        unknowns = self._unknowns
        gradients, rates = unknowns.spread(gradient), unknowns.spread(rate)
        chain = unknowns.chain(gradients, rates, np.zeros_like(rates), drives, float(shared[0]))
        slopes = slopes @ chain[:, :, : len(DRIVE)]
        pulls = gradients[..., None] * slopes[:, :, :1]
        own = np.concatenate([pulls, slopes[:, :, 1:]], axis=2)
        tensions = np.ascontiguousarray(response[:, :, RESPONSE_COLUMN["tension"]])
        bent = self._bending.first(np.ascontiguousarray(x[:, : self._size]), tensions)
        scatter, kept = self._first
        return scatter(self._skeleton.jacobian(*instants), bent, own[kept])

    def hessian(self, multipliers: Floats, *instants: Floats) -> Floats:
        """Return the nonzeros of the second derivatives, weighted by multipliers and summed over the residual."""
        x, r, u, shared, _ = instants
        duration, unknowns = float(shared[0]), self._unknowns
        paths, drives, response, slopes = self._measured(x, r, u, shared)
        q, v = (np.ascontiguousarray(part) for part in (x[:, : self._size], x[:, self._size : 2 * self._size]))
        along = np.ascontiguousarray(multipliers[:, self._size : 2 * self._size])
        _, gradient, directed = self._paths(q, along)
        weights = self._weights(multipliers, self._by_muscle(gradient * along[:, self._crossed]))
        small = self._curvature(drives, weights)
        small[:, :, DIRECTED, :DIRECTED] = small[:, :, :DIRECTED, DIRECTED] = slopes[:, :, 0]
        gradients, rates, turned = (unknowns.spread(part) for part in (paths[1], paths[2], directed))
        chain = unknowns.chain(gradients, rates, turned, drives, duration)
        own = chain.swapaxes(2, 3) @ small @ chain
        tilt = (weights[:, :, None, :] @ slopes)[:, :, 0]
        for name in _RATES:
            # A rate is an unknown divided by the duration, which is curved, too.
            place = DRIVE_PLACE[name]
            own[:, :, -1, unknowns.own(name)] -= tilt[:, :, place] / duration**2
            own[:, :, -1, -1] += 2 * tilt[:, :, place] * drives[:, :, place] / duration**2
        tensions = response[:, :, RESPONSE_COLUMN["tension"]]
        bent = self._path_curvature.first(
            q, v, along, *(np.ascontiguousarray(part) for part in (tilt[:, :, 0], tilt[:, :, 1], tensions))
        )
        scatter, kept = self._second
        skeleton = np.ascontiguousarray(multipliers[:, self._skeleton_rows])
        return scatter(self._skeleton.hessian(skeleton, *instants), bent, own[kept])

    def _weights(self, multipliers: Floats, along: Floats) -> Floats:
        """Return the weights of the responses of all muscles (instants, muscles, response)."""
        weights = np.zeros((*along.shape, len(RESPONSE)))
        weights[:, :, 0] = along
        for place in (-2, -1):
            rows = self._unknowns.rows[:, place]
            has = np.flatnonzero(rows >= 0)
            weights[:, has, place] = multipliers[:, rows[has]]
        return weights

    def _curvature(self, drives: Floats, weights: Floats) -> Floats:
        """Return the second derivatives of the weighted responses by the drive, with room for the rate along λ."""
        found = np.zeros((*drives.shape[:2], len(DRIVE) + 1, len(DRIVE) + 1))
        for kernel, members, numbers in zip(self._curvatures, self._members, self._numbers, strict=True):
            row, column = places_of(kernel, "curvature")
            rows = (
                drives[:, members].reshape(-1, len(DRIVE)),
                np.tile(numbers, (len(drives), 1)),
                weights[:, members].reshape(-1, len(RESPONSE)),
            )
            values = kernel.first(*rows).reshape(len(drives), len(members), -1)
            for number in range(len(row)):
                found[:, members, row[number], column[number]] = values[:, :, number]
                found[:, members, column[number], row[number]] = values[:, :, number]
        return found

    # -- places

    def jacobian_places(self) -> tuple[Integers, Integers]:
        """Return the rows and columns of the nonzeros of the Jacobian."""
        return self._first[0].places

    def hessian_places(self) -> tuple[Integers, Integers]:
        """Return the rows and columns of the nonzeros of the Hessian; rows are never smaller than columns."""
        return self._second[0].places

    def _dependences(self) -> Booleans:
        """Return which responses depend on which entries of the drive (muscles, response, drive)."""
        found = np.zeros((len(self._unknowns.columns), len(RESPONSE), len(DRIVE)), dtype=bool)
        for kernel, members in zip(self._curvatures, self._members, strict=True):
            for value, source in kernel.signature.notes["slopes"]:
                found[members, value, source] = True
        return found

    @cached_property
    def _first(self) -> tuple[Scatter, tuple[slice | Integers, ...]]:
        """Where the derivatives belong, and which of those of the muscles are kept."""
        unknowns = self._unknowns
        chained = self._dependences() @ unknowns.chain_pattern()[:, : len(DRIVE)]
        pulls = np.broadcast_to(chained[:, :1], (len(chained), unknowns.most, chained.shape[2]))
        own = np.concatenate([pulls, chained[:, 1:]], axis=1)
        rows, columns = np.broadcast_arrays(unknowns.rows[:, :, None], unknowns.columns[:, None, :])
        kept = own & (rows >= 0) & (columns >= 0)
        row, column = places_of(self._bending, "matrix")
        skeleton = self._skeleton.jacobian_places()
        lists = [
            (self._skeleton_rows[skeleton[0]], skeleton[1]),
            (self._size + row, column),
            (rows[kept], columns[kept]),
        ]
        return Scatter(lists, self._width), (slice(None), *np.nonzero(kept))

    @cached_property
    def _second(self) -> tuple[Scatter, tuple[slice | Integers, ...]]:
        unknowns = self._unknowns
        small = np.zeros((len(unknowns.columns), len(DRIVE) + 1, len(DRIVE) + 1), dtype=bool)
        depends = self._dependences()
        for kernel, members in zip(self._curvatures, self._members, strict=True):
            for row, column in zip(*places_of(kernel, "curvature"), strict=True):
                small[members, row, column] = small[members, column, row] = True
        small[:, DIRECTED, :DIRECTED] = small[:, :DIRECTED, DIRECTED] = depends[:, 0]
        chain = unknowns.chain_pattern()
        own = chain.swapaxes(1, 2) @ small @ chain
        for name in _RATES:
            own[:, -1, unknowns.own(name)] = own[:, -1, -1] = True
        rows, columns = np.broadcast_arrays(unknowns.columns[:, :, None], unknowns.columns[:, None, :])
        kept = own & (rows >= columns) & (columns >= 0)
        lists = [
            self._skeleton.hessian_places(),
            places_of(self._path_curvature, "curvature"),
            (rows[kept], columns[kept]),
        ]
        return Scatter(lists, self._width), (slice(None), *np.nonzero(kept))

    @property
    def _width(self) -> int:
        instant = self._instant
        return max(self.count, len(instant.states) + len(instant.motion) + len(instant.controls) + 1)


def _skeleton(scope: Scope) -> SX:
    """Return the rows of the residual without those of muscles, and without their pulls."""
    assembly = scope.assembly
    assert isinstance(assembly, Assembly)
    return ca.vertcat(assembly.qdot - assembly.v, assembly.skeleton_balance, assembly.kept)


def _muscle_paths(a: Assembly) -> Definition:
    gradient = a.paths.gradient
    rate = ca.project(a.paths.gradient_rate, gradient.sparsity())
    return Definition(
        {"q": a.q, "v": a.v}, {"lengths": ca.densify(a.paths.lengths), "gradient": gradient, "gradient_rate": rate}
    )


def _muscle_bending(a: Assembly) -> Definition:
    tensions = SX.sym("tensions", len(a.model.muscles))
    return Definition({"q": a.q, "tensions": tensions}, {"matrix": a.paths.bending(tensions)})


def _muscle_path_curvature(a: Assembly) -> Definition:
    count, along = len(a.model.muscles), SX.sym("along", a.q.numel())
    by = {name: SX.sym(name, count) for name in ("by_length", "by_speed", "by_along")}
    paths = a.paths
    weighted = (
        ca.dot(by["by_length"], paths.lengths)
        + ca.dot(by["by_speed"], paths.speeds)
        + ca.dot(by["by_along"], paths.gradient @ along)
    )
    matrix, _ = ca.hessian(weighted, ca.vertcat(a.q, a.v))
    return Definition({"q": a.q, "v": a.v, "along": along, **by}, {"curvature": ca.tril(matrix)})


_PATH_KERNELS = {
    "muscle_paths": _muscle_paths,
    "muscle_bending": _muscle_bending,
    "muscle_path_curvature": _muscle_path_curvature,
}
