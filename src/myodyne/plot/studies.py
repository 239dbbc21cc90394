"""Figures of studies: convergence of a search, a front, tornados, responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from myodyne.errors import ModelError, unknown_name
from myodyne.plot.style import FAINT, INK, PALETTE, add_legend, new_figure, plain, tidy

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from myodyne.study import SearchResult, Sensitivity

# Columns of every table that are not measures.
_NO_MEASURES = ("status", "reason", "seconds")
# Panels side by side.
_MOST_IN_ROW = 4


def search_figure(found: SearchResult, title: str) -> Figure:
    """Return the best so far over the evaluations; of several objectives, their front beside it."""
    several = len(found.objectives) > 1
    figure = new_figure(10.5 if several else 6.5, 4.0)
    panels = list(figure.subplots(1, 2 if several else 1, squeeze=False)[0])
    count, name = np.arange(1, found.evaluations + 1), found.objectives[0].name
    dots = panels[0].scatter(count, found.table[name].values, s=7, color=FAINT, linewidths=0)
    (line,) = panels[0].plot(count, found.history, color=PALETTE[0], linewidth=1.8, drawstyle="steps-post")
    _label(panels[0], "evaluations", name)
    add_legend(panels[0], [line, dots], ["best so far", "evaluated"])
    if several:
        other, front = found.objectives[1].name, found.front
        panels[1].scatter(found.table[name].values, found.table[other].values, s=7, color=FAINT, linewidths=0)
        panels[1].plot(front[name].values, front[other].values, "o-", color=PALETTE[1], markersize=4, linewidth=1.0)
        _label(panels[1], name, other)
    best = f"{name} = {found.value:.6g}, {found.message}"
    plain(figure.suptitle(title or best, fontsize=12, color=INK, x=0.01, ha="left"))
    return figure


def sensitivity_figure(effects: Sensitivity, title: str) -> Figure:
    """Return a bar for each number, the most important on top: a tornado, effects, or indices."""
    figure = new_figure(7.5, 1.4 + 0.36 * len(effects.names))
    axes = figure.subplots()
    places = np.array([effects.names.index(name) for name in reversed(effects.order)])
    heights, columns = np.arange(len(places)), effects.columns
    if "low" in columns:
        base = effects.base or 0.0
        sides = [columns[key][places] - base for key in ("low", "high")]
        bars = [axes.barh(heights, side, left=base, color=PALETTE[k], height=0.62) for k, side in enumerate(sides)]
        axes.axvline(base, color=INK, linewidth=0.8)
        add_legend(axes, bars, ["low end of the range", "high end"])
        _label(axes, effects.measure, "")
    elif "total" in columns:
        kinds = (("total", "takes part in"), ("first", "explains alone"))
        bars = [
            axes.barh(
                heights + 0.2 - 0.4 * k,
                columns[key][places],
                xerr=columns[f"{key}_error"][places],
                color=PALETTE[k],
                height=0.36,
                error_kw={"elinewidth": 0.8},
            )
            for k, (key, _) in enumerate(kinds)
        ]
        add_legend(axes, bars, [words for _, words in kinds])
        _label(axes, f"part of the variance of {effects.measure}", "")
    else:
        axes.barh(heights, columns["mean_absolute"][places], color=PALETTE[0], height=0.62)
        axes.plot(columns["deviation"][places], heights, "o", color=PALETTE[1], markersize=5)
        _label(axes, f"effect on {effects.measure}: mean magnitude, and its deviation (dot)", "")
    axes.set_yticks(heights, [effects.names[k] for k in places], parse_math=False)
    plain(figure.suptitle(title or f"sensitivity of {effects.measure}", fontsize=12, color=INK, x=0.01, ha="left"))
    return figure


def response_figure(table: xarray.Dataset, names: list[str], title: str) -> Figure:
    """Return each measure over each varied number, a panel for each pair."""
    inputs = [str(name) for name in table.coords if name != "row"]
    known = [str(name) for name in table.data_vars if name not in _NO_MEASURES]
    if "row" not in table.dims or not inputs or not known:
        raise ModelError("this table is none of a study: it has no rows, inputs or measures")
    for name in names:
        if name not in (*inputs, *known):
            raise ModelError(unknown_name("column", name, [*inputs, *known]))
    measures = [name for name in names if name in known] or known
    across = [name for name in names if name in inputs] or inputs
    pairs = [(measure, number) for measure in measures for number in across]
    # A column for each number where they fit, so that a row of panels is one measure.
    columns = len(across) if 1 < len(across) <= _MOST_IN_ROW else min(len(pairs), _MOST_IN_ROW)
    rows = -(-len(pairs) // columns)
    figure = new_figure(3.6 * columns, 0.5 + 2.9 * rows)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (measure, number) in zip(panels, pairs, strict=False):
        axes.scatter(table[number].values, table[measure].values, s=11, color=PALETTE[0], linewidths=0)
        _label(axes, number, measure)
    for axes in panels[len(pairs) :]:
        axes.set_visible(False)
    failed = int((table["status"] == "failed").sum())
    words = f"{table.sizes['row']} rows" + (f", {failed} failed" if failed else "")
    plain(figure.suptitle(title or words, fontsize=12, color=INK, x=0.01, ha="left"))
    return figure


def _label(axes: Axes, across: str, up: str) -> None:
    plain(axes.set_xlabel(across, fontsize=9, color=INK))
    plain(axes.set_ylabel(up, fontsize=9, color=INK))
    tidy(axes)
