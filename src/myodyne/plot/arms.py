"""Moment arms over a coordinate: lengths above, arms below, jumps marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from myodyne.plot.style import FAINT, INK, add_legend, colours, new_figure, plain, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from myodyne.analyse.muscles.moment_arm_range import MomentArms


def moment_arm_figure(given: Mapping[str, MomentArms], title: str, degrees: bool) -> Figure:
    """Return a figure with length and moment arm (mm) over the coordinate, a line for each muscle or pose."""
    figure = new_figure(6.4, 5.4)
    upper, lower = figure.subplots(2, 1, sharex=True)
    axis_names: dict[str, None] = {}
    lines = []
    for colour, arms in zip(colours(len(given)), given.values(), strict=True):
        x, unit = arms.at, arms.unit
        turn = 180.0 / np.pi if degrees and unit == "rad" else 1.0
        axis_names[f"{arms.coordinate} ({'°' if turn != 1.0 else unit})"] = None
        upper.plot(turn * x, 1000.0 * arms.lengths, color=colour, linewidth=1.7)
        lines += lower.plot(turn * x, 1000.0 * arms.arms, color=colour, linewidth=1.7)
        for jump in arms.jumps:
            for axes in (upper, lower):
                axes.axvline(turn * jump.at, color=colour, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    for axes in (upper, lower):
        tidy(axes)
        axes.margins(x=0.01)
    lower.axhline(0.0, color=FAINT, linewidth=0.8, zorder=1)
    if len(given) > 1:
        add_legend(lower, lines, list(given))
    plain(upper.set_ylabel("length (mm)", fontsize=9, color=INK))
    plain(lower.set_ylabel("moment arm (mm)", fontsize=9, color=INK))
    plain(lower.set_xlabel(", ".join(axis_names), fontsize=9, color=INK))
    figure.align_ylabels()
    heading = title or (next(iter(given)) if len(given) == 1 else "")
    plain(figure.suptitle(heading, fontsize=12, color=INK, x=0.01, ha="left"))
    return figure
