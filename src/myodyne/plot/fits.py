"""How well a fitted path does: its errors over the poses at which it was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from myodyne.plot.style import COM, FAINT, INK, MARKER, add_legend, new_figure, plain, tidy
from myodyne.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from myodyne.paths.fit import PathFit


def fit_figure(fit: PathFit, title: str, degrees: bool) -> Figure:
    """Return length, moment arm and their errors over each coordinate that a path crosses, a column for each.

    Above are length and moment arm of the path and of the fit, below the errors between the bounds that were asked
    for. Every dot is a pose, so that what the other coordinates do shows as scatter.
    """
    names = fit.coordinates
    figure = new_figure(1.2 + 2.9 * max(len(names), 1), 7.6)
    grid = figure.subplots(4, max(len(names), 1), squeeze=False, sharex="col", sharey="row")
    errors = fit.errors
    for column, name in enumerate(names):
        x, unit = errors.poses[:, column], fit.units[name]
        if degrees and unit == "rad":
            x, unit = np.degrees(x), "°"
        arms, missed = 1000.0 * errors.arms[:, column], 1000.0 * errors.arm_errors[:, column]
        lengths, off = 1000.0 * errors.lengths, 1000.0 * errors.length_errors
        pair = _pair(grid[0, column], x, lengths, lengths + off)
        if column == len(names) - 1:
            add_legend(grid[0, column], pair, ("path", "fit"))
        _errors(grid[1, column], x, off, 1000.0 * fit.error)
        _pair(grid[2, column], x, arms, arms + missed)
        _errors(grid[3, column], x, missed, 1000.0 * fit.arm_error)
        plain(grid[3, column].set_xlabel(f"{name} ({unit})", fontsize=9, color=INK))
    labels = ("length (mm)", "error of length (mm)", "moment arm (mm)", "error of moment arm (mm)")
    for axes, label in zip(grid[:, 0], labels, strict=True):
        plain(axes.set_ylabel(label, fontsize=9, color=INK))
    figure.align_ylabels()
    heading = title or f"{fit.muscle}: {fit.terms} terms of degree {fit.degree}"
    plain(figure.suptitle(heading, fontsize=12, color=INK, x=0.01, ha="left"))
    return figure


def _pair(axes: Axes, x: Floats, true: Floats, fitted: Floats) -> list[Line2D]:
    """Draw path and fit: where both lie on each other only the fit is seen."""
    tidy(axes)
    axes.margins(x=0.02)
    return [
        *axes.plot(x, true, ".", color=COM, markersize=2.5, rasterized=True),
        *axes.plot(x, fitted, ".", color=MARKER, markersize=1.2, rasterized=True),
    ]


def _errors(axes: Axes, x: Floats, off: Floats, bound: float) -> None:
    tidy(axes)
    axes.plot(x, off, ".", color=MARKER, markersize=1.5, rasterized=True)
    for level in (-bound, bound):
        axes.axhline(level, color=FAINT, linewidth=0.9, linestyle=(0, (2, 2)))
    axes.set_ylim(-1.25 * bound, 1.25 * bound)
