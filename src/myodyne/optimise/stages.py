"""The stages of a solve: from coarse to fine meshes, from easier problems to the problem itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from myodyne.errors import ModelError
from myodyne.optimise.problem import Problem

# A fine mesh is approached from one that is so many times coarser, unless that has fewer nodes than these: its
# solution would be another movement.
_COARSER = 4
_FEWEST = 50
_MOST_NODES = 100_000


@dataclass(frozen=True)
class Stage:
    """One of the problems that lead to the last one: its number of nodes, and the weights and numbers that differ."""

    nodes: int
    changed: Mapping[str, float] = field(default_factory=dict)


def stages_of(counts: Sequence[int], easier: Sequence[Mapping[str, float]]) -> list[Stage]:
    """Return the stages of a solve: easier problems on the coarsest mesh, the last of them on all, then the problem.

    A coarse mesh cannot resolve what makes a problem hard, such as stiff contacts; so that comes last.

    Examples
    --------
    >>> [stage.nodes for stage in stages_of([25, 100], [{"effort": 0.1}])]
    [25, 100, 100]
    """
    if not easier:
        return [Stage(count) for count in counts]
    finer = (Stage(count, easier[-1]) for count in counts[1:])
    return [*(Stage(counts[0], step) for step in easier), *finer, Stage(counts[-1])]


def mesh_sequence(nodes: int | Sequence[int] | None, own: int, direct: bool) -> list[int]:
    """Return the numbers of nodes of ever finer meshes; a ``direct`` solve has no coarse mesh before the last.

    Examples
    --------
    >>> mesh_sequence(None, 201, False), mesh_sequence(50, 201, False)
    ([51, 201], [50])
    """
    if isinstance(nodes, Sequence | np.ndarray):
        counts = [int(n) if isinstance(n, np.integer) else n for n in nodes]
    else:
        nodes = int(nodes) if isinstance(nodes, np.integer) else nodes
        if nodes is not None and not isinstance(nodes, int):
            raise ModelError(f"nodes are whole numbers, at least 2, not {nodes!r:.60}")
        last = own if nodes is None else nodes
        coarse = round((last - 1) / _COARSER) + 1
        counts = [last] if direct or coarse < _FEWEST else [coarse, last]
    if not counts or any(isinstance(n, bool) or not isinstance(n, int) or not 2 <= n <= _MOST_NODES for n in counts):
        raise ModelError(f"nodes are whole numbers, at least 2 and at most {_MOST_NODES}, not {nodes!r:.60}")
    return counts


def continuation_of(parts: Sequence[Problem]) -> list[dict[str, float]]:
    """Return what differs in the easier problems before the last one; all phases take each step together."""
    steps = max(len(part.continuation) for part in parts)
    found = []
    for number in range(steps):
        step: dict[str, float] = {}
        for part in parts:
            if number < len(part.continuation):
                step |= part.continuation[number]
        found.append(step)
    return found
