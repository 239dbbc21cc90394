"""The muscles of a model as tables, in the order in which the C runtime and its counterpart in NumPy read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from myodyne.equations.muscles.kinds import activation_states, fibre_states, kinds_of
from myodyne.equations.requests import KernelRequest, LaneKernel, MuscleKernel
from myodyne.model import Model
from myodyne.native.structures import CompiledFunction
from myodyne.paths.groups import Groups

if TYPE_CHECKING:
    from myodyne.equations.build import Kernels
    from myodyne.equations.exact_paths import ExactPaths


@dataclass(frozen=True, eq=False)
class MuscleTables:
    """Kind, states, crossed coordinates and numbers of each muscle, in the order of ``groups``.

    Muscles of one kind are next to each other there.

    ``kinds`` are the responses of one muscle, ``batches`` the same in C for many at a time (empty without a compiler),
    with up to ``prepared`` values for each muscle that are computed once from its numbers. ``rates`` are the balances
    from which fibre velocities are found, with ``settled`` values computed once from the numbers, and ``eased`` once
    for each iteration. ``free`` pairs places in ``numbers`` with the places of the model's free numbers.
    """

    kinds: tuple[CompiledFunction, ...]
    batches: tuple[CompiledFunction, ...]
    rates: tuple[CompiledFunction, ...]
    prepared: int
    settled: int
    eased: int
    paths: CompiledFunction
    bending: CompiledFunction | None
    kind: Sequence[int]
    fibre: Sequence[int]
    active: Sequence[int]
    groups: Groups
    first_number: Sequence[int]
    numbers: Sequence[float]
    free: Sequence[tuple[int, int]]

    @property
    def fibres(self) -> int:
        return sum(number >= 0 for number in self.fibre)

    @property
    def actives(self) -> int:
        return sum(number >= 0 for number in self.active)


def tables_of(
    model: Model, kernels: Kernels, exact_paths: ExactPaths | None = None, *, in_lanes: bool = False
) -> MuscleTables:
    """Return the tables of a model's muscles from the kernels of its structure.

    ``exact_paths`` replace the kernel of paths; derivatives of their moment arms are not known. ``in_lanes`` takes the
    kernels of several runs at once.
    """
    kind_of, kinds = kinds_of(model)
    fitted: KernelRequest = LaneKernel("paths") if in_lanes else "paths"
    paths = kernels[fitted] if exact_paths is None else exact_paths
    groups = Groups.noted(paths.signature.notes)
    fibres, actives = list(fibre_states(model)), list(activation_states(model))
    names = [list(model.muscles)[number] for number in groups.order]
    numbers: list[float] = []
    first_number, free = [], []
    for name in names:
        kind = kinds[kind_of[name]]
        first_number.append(len(numbers))
        for place, field in enumerate(kind.fields, start=len(numbers)):
            if f"{name}.{field}" in model.free_values:
                free.append((place, model.free_values.index(f"{name}.{field}")))
        numbers += kind.numbers(model.muscles[name])
    compiled = kinds if kernels.compiled else ()
    batches = tuple(kernels[MuscleKernel(number, "response_batch", in_lanes)] for number in range(len(compiled)))
    rates = tuple(kernels[MuscleKernel(number, "rate_batch", in_lanes)] for number in range(len(compiled)))
    return MuscleTables(
        kinds=tuple(kernels[MuscleKernel(number, "response")] for number in range(len(kinds))),
        batches=batches,
        rates=rates,
        prepared=max((batch.signature.notes["prepared"] for batch in batches), default=0),
        settled=max((rate.signature.notes["prepared"] for rate in rates), default=0),
        eased=max((rate.signature.notes["eased"] for rate in rates), default=0),
        paths=paths,
        bending=kernels[LaneKernel("bending") if in_lanes else "bending"] if exact_paths is None else None,
        kind=[kind_of[name] for name in names],
        fibre=[fibres.index(name) if name in fibres else -1 for name in names],
        active=[actives.index(name) if name in actives else -1 for name in names],
        groups=groups,
        first_number=first_number,
        numbers=numbers,
        free=free,
    )
