"""Where the derivatives of the equations differ from zero: the picture of a model's structure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from myodyne.plot.style import FAINT, INK, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from myodyne.equations import Equations

_TITLES = ("∂F/∂x", "∂F/∂ẋ", "∂F/∂u")


def sparsity_figure(equations: Equations, title: str) -> Figure:
    """Return the patterns of the three Jacobians side by side, with the blocks of states marked.

    As figure 3 of van den Bogert et al. (2011) shows them: rows of the skeleton are dense where bodies and muscles
    couple coordinates, those of muscles are nearly diagonal.
    """
    patterns = _patterns(equations)
    sizes = _sizes(equations)
    figure = new_figure(12.0, 4.8)
    widths = [max(pattern.shape[1], 0.15 * len(equations.states)) for pattern in patterns]
    grid = figure.subplots(1, 3, gridspec_kw={"width_ratios": widths})
    edges = np.cumsum([0, *sizes.values()])
    for axes, pattern, heading in zip(grid, patterns, _TITLES, strict=True):
        rows, columns = pattern.nonzero()
        size = float(np.clip(900.0 / max(len(equations.states), 1), 0.6, 60.0))
        axes.scatter(columns + 0.5, rows + 0.5, s=size, marker="s", color=INK, linewidths=0)
        axes.set_xlim(0, max(pattern.shape[1], 1))
        axes.set_ylim(pattern.shape[0], 0)
        axes.set_aspect("equal")
        for edge in edges[1:-1]:
            axes.axhline(edge, color=FAINT, linewidth=0.6)
            if heading != _TITLES[2]:
                axes.axvline(edge, color=FAINT, linewidth=0.6)
        plain(axes.set_title(f"{heading}: {len(rows)} nonzeros", fontsize=10, color=INK))
        axes.tick_params(length=0, labelsize=7)
        axes.set_yticks([])
    ends = list(pairwise(edges))
    named = [(name, ends[number]) for number, name in enumerate(sizes) if sizes[name]]
    grid[0].set_yticks([(low + high) / 2 for _, (low, high) in named], [name for name, _ in named])
    plain(figure.suptitle(title or equations.model.name, fontsize=12, color=INK, x=0.01, ha="left"))
    return figure


def _sizes(equations: Equations) -> dict[str, int]:
    layout, size = equations.layout, len(equations.coordinates)
    return {
        "q": size,
        "v": size,
        "s": len(layout.fibres),
        "a": len(layout.activations),
        "λ": len(equations.multipliers),
    }


def _patterns(equations: Equations) -> list[np.ndarray]:
    """Return the patterns as arrays of truth."""
    kernel = equations.kernel("jacobians")
    found = []
    for name, shape in kernel.signature.outputs:
        dense = np.ones(shape, dtype=bool)
        if name in kernel.signature.patterns:
            first, rows = kernel.signature.patterns[name]
            dense = np.zeros(shape, dtype=bool)
            dense[list(rows), np.repeat(np.arange(shape[1]), np.diff(first))] = True
        found.append(dense)
    return found
