"""A gait report as one figure: angles, moments, powers and ground forces over the cycle, and when muscles are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from myodyne.plot.style import COM, FAINT, INK, MARKER, new_figure, plain, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from myodyne.analyse.gait.cycle import GaitCurve
    from myodyne.analyse.gait.report import GaitReport
    from myodyne.analyse.gait.timing import MuscleTiming

_ROWS = (("angle", "°"), ("moment", "N m/kg"), ("power", "W/kg"))
_JOINTS = ("hip", "knee", "ankle")
_FORCES = {"force_x": "fore-aft force", "force_y": "vertical force", "force_z": "sideways force"}
_SENSE = {"angle": "flexion +", "moment": "extension +", "power": "generation +"}
_ANKLE = {"angle": "dorsiflexion +", "moment": "plantarflexion +"}
_COLOURS = {"right": MARKER, "left": COM}
_PEOPLE = "#c9d1da"
# Above this many muscles their names would not be readable, and each has the same height below.
_MOST_MUSCLES = 45


def gait_figure(report: GaitReport, title: str = "") -> Figure:
    """Return the figure of a report; bands are people's means and one standard deviation to both sides."""
    muscles = [one for one in report.muscles if one.side == _first_side(report)][:_MOST_MUSCLES]
    below = 0.4 + 0.17 * len(muscles) if muscles else 0.0
    figure = new_figure(10.0, 9.6 + below)
    ratios = [2.3] * 4 + ([below] if muscles else [])
    grid = figure.add_gridspec(len(ratios), 3, height_ratios=ratios)
    names = [[f"{joint}_{what}" for joint in _JOINTS] for what, _ in _ROWS] + [list(_FORCES)]
    drawn = {curve.name for curve in report.curves}
    for row, line in enumerate(names):
        for column, name in enumerate(line):
            if name in drawn:
                _draw_curve(figure.add_subplot(grid[row, column]), [c for c in report.curves if c.name == name], report)
    if muscles:
        _draw_muscles(figure.add_subplot(grid[4, :]), muscles)
    _head(figure, report, title)
    return figure


def _first_side(report: GaitReport) -> str:
    return next((one.side for one in report.muscles), "right")


def _draw_curve(axes: Axes, sides: Sequence[GaitCurve], report: GaitReport) -> None:
    tidy(axes)
    percent = np.linspace(0.0, 100.0, len(sides[0].values))
    norm = sides[0].norm
    if norm is not None:
        axes.fill_between(percent, norm.mean - norm.deviation, norm.mean + norm.deviation, color=_PEOPLE, linewidth=0.0)
        axes.plot(percent, norm.mean, color=FAINT, linewidth=1.0, linestyle="--")
    for curve in sides:
        axes.plot(percent, curve.values, color=_COLOURS[curve.side], linewidth=1.7)
    axes.axhline(0.0, color=FAINT, linewidth=0.6)
    for side in _COLOURS:
        shares = [report.measures["stance"].value for stance in report.stances if stance.side == side]
        if shares:
            axes.axvline(shares[0], color=FAINT, linewidth=0.8, linestyle=(0, (2, 2)))
            break
    joint, _, what = sides[0].name.partition("_")
    sense = _ANKLE.get(what, "") if joint == "ankle" else ""
    label = _FORCES.get(sides[0].name) or f"{joint} {what}, {sense or _SENSE[what]}"
    unit = sides[0].unit.replace("body weights", "BW")
    plain(axes.set_title(f"{label} ({unit})", fontsize=9, color=INK, loc="left"))
    shapes = [curve.correlation for curve in sides if curve.correlation is not None]
    if shapes and norm is not None:
        spans = [curve.distance or 0.0 for curve in sides]
        plain(axes.set_title(f"r {np.mean(shapes):.2f}, {np.mean(spans):.1f} SD", fontsize=8, color=FAINT, loc="right"))
    axes.set_xlim(0.0, 100.0)


def _draw_muscles(axes: Axes, muscles: Sequence[MuscleTiming]) -> None:
    tidy(axes)
    for row, one in enumerate(muscles):
        if one.norm is not None:
            _bars(axes, one.norm.bursts, row, _PEOPLE, 0.85)
        _bars(axes, one.bursts, row, _COLOURS[one.side], 0.4)
    axes.set_yticks(range(len(muscles)), [one.muscle.replace("_", " ") for one in muscles], fontsize=7)
    axes.set_ylim(len(muscles) - 0.4, -0.6)
    axes.set_xlim(0.0, 100.0)
    side = muscles[0].side
    text = f"muscles of the {side} leg: on (narrow), of people by Perry (wide, grey)"
    plain(axes.set_title(text, fontsize=9, color=INK, loc="left"))
    plain(axes.set_xlabel("% of the cycle, from strike to strike of the same foot", fontsize=9, color=INK))


def _bars(axes: Axes, bursts: Sequence[tuple[float, float]], row: int, colour: str, height: float) -> None:
    for begin, end in bursts:
        # What goes on in the next cycle is drawn at the beginning of this one.
        spans = [(begin, min(end, 100.0) - begin)] + ([(0.0, end - 100.0)] if end > 100.0 else [])
        axes.broken_barh(spans, (row - height / 2, height), facecolors=colour, linewidth=0.0)


def _head(figure: Figure, report: GaitReport, title: str) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    sides = dict.fromkeys(curve.side for curve in report.curves)
    handles: list[Line2D | Patch] = [Line2D([], [], color=_COLOURS[side], label=side) for side in sides]
    handles.append(Line2D([], [], color=FAINT, linestyle=(0, (2, 2)), linewidth=0.8, label="toe-off"))
    if any(curve.norm is not None for curve in report.curves):
        handles.append(Patch(color=_PEOPLE, label="people, mean ± SD"))
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), frameon=False, fontsize=9)
    head = title or f"{report.model}: {report.kind} at {report.speed:.2f} m/s"
    plain(figure.suptitle(head, fontsize=12, color=INK, x=0.01, ha="left"))
