"""Many columns as small panels on a common scale: eighty lines that can be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from myodyne.data import Trajectory
from myodyne.plot.style import INK, colours, new_figure, plain, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from myodyne.plot.lines import Lines

# More panels below each other than this would not fit on a screen.
MOST_ROWS = 8
# Inches: a panel with its title and ticks, and the margins of the figure.
_WIDTH, _HEIGHT = 2.1, 1.35
_TOP, _BOTTOM, _LEFT, _RIGHT = 0.55, 0.55, 0.45, 0.15
_GAP_ACROSS, _GAP_DOWN = 0.5, 0.45


def multiples_figure(runs: Mapping[str, Trajectory], names: Sequence[str], lines: Lines) -> tuple[Figure, list[Axes]]:
    """Return a figure with a small panel for each column, and the panels; runs differ by colour."""
    across = next((number for number in (3, 4, 5) if len(names) <= number * MOST_ROWS), 6)
    down = math.ceil(len(names) / across)
    figure = new_figure(_WIDTH * across, _TOP + _BOTTOM + _HEIGHT * down, arranged=False)
    _lay_out(figure, down)
    grid = figure.subplots(down, across, sharex=True, squeeze=False).ravel()
    for axes in grid[len(names) :]:
        axes.remove()
    panels = list(grid[: len(names)])
    palette = colours(len(runs))
    units = {name: unit for run in runs.values() for name, unit in run.units.items()}
    drawn: dict[str, Any] = {}
    for axes, name in zip(panels, names, strict=True):
        _small(axes)
        for colour, (label, run) in zip(palette, runs.items(), strict=True):
            if name in run:
                drawn[label] = axes.plot(lines.across(run), lines.up(run, name), color=colour, linewidth=1.2)[0]
        unit = lines.unit(units[name])
        plain(axes.set_title(f"{_short(name)} ({unit})" if unit else _short(name), fontsize=7, color=INK, pad=2))
    _share_scales(panels, names, units)
    # A panel without a neighbour below shows the times.
    for axes in panels[-across:]:
        axes.tick_params(labelbottom=True)
    if len(runs) > 1:
        _run_legend(figure, drawn)
    return figure, panels


def _lay_out(figure: Figure, down: int) -> None:
    """Give panels fixed places: matplotlib's solver of layouts takes half a minute for eighty panels."""
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=_LEFT / width,
        right=1 - _RIGHT / width,
        top=1 - _TOP / height,
        bottom=_BOTTOM / height,
        wspace=_GAP_ACROSS / (_WIDTH - _GAP_ACROSS),
        hspace=_GAP_DOWN / ((height - _TOP - _BOTTOM + _GAP_DOWN) / down - _GAP_DOWN),
    )


def _small(axes: Axes) -> None:
    tidy(axes)
    axes.tick_params(labelsize=7, length=2)
    axes.locator_params(axis="y", nbins=3)
    axes.locator_params(axis="x", nbins=4)
    axes.margins(x=0.01)


def _short(name: str) -> str:
    return name if len(name) <= 30 else f"{name[:14]}…{name[-15:]}"


def _share_scales(panels: Sequence[Axes], names: Sequence[str], units: Mapping[str, str]) -> None:
    """Give panels of one quantity, such as all activations, the same range."""
    kinds: dict[tuple[str, str], list[Axes]] = {}
    for axes, name in zip(panels, names, strict=True):
        kinds.setdefault((units[name], name.rpartition(".")[2] if "." in name else ""), []).append(axes)
    for alike in kinds.values():
        limits = np.array([axes.get_ylim() for axes in alike])
        for axes in alike:
            axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


def _run_legend(figure: Figure, drawn: Mapping[str, Any]) -> None:
    legend = figure.legend(
        list(drawn.values()),
        ["line"] * len(drawn),
        loc="upper right",
        ncols=min(len(drawn), 6),
        frameon=False,
        fontsize=9,
        labelcolor=INK,
    )
    for text, label in zip(legend.get_texts(), drawn, strict=True):
        plain(text).set_text(label)
