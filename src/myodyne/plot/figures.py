"""Columns of one or several runs over time; curves of muscles."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from myodyne.data import DataError, Result, Trajectory
from myodyne.equations import Equations
from myodyne.paths.fit import PathFit
from myodyne.plot.arms import moment_arm_figure
from myodyne.plot.eigenvalues import eigenvalue_figure
from myodyne.plot.fits import fit_figure
from myodyne.plot.gait import gait_figure
from myodyne.plot.lines import Across, Lines
from myodyne.plot.multiples import MOST_ROWS, multiples_figure
from myodyne.plot.muscle_curves import muscle_curve_figure
from myodyne.plot.sparsity import sparsity_figure
from myodyne.plot.studies import response_figure, search_figure, sensitivity_figure
from myodyne.plot.style import FAINT, INK, add_legend, colours, new_figure, plain, save_figure, tidy

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from myodyne.analyse.gait.report import GaitReport
    from myodyne.analyse.linearise_along import EigenvaluesAlong
    from myodyne.analyse.muscles.moment_arm_range import MomentArms
    from myodyne.analyse.muscles.muscle_curves import MuscleCurves
    from myodyne.study import SearchResult, Sensitivity

    Special = Equations | PathFit | EigenvaluesAlong | GaitReport | SearchResult | Sensitivity | xarray.Dataset
    Arms = MomentArms | Sequence[MomentArms] | Mapping[str, MomentArms]

Runs = Trajectory | Sequence[Trajectory] | Mapping[str, Trajectory]
Panels = Literal["unit", "name"]
# Lines in one panel that the eye can still tell apart.
_MOST_LINES = 20

_QUANTITIES = {
    "rad": "angle",
    "°": "angle",
    "rad/s": "angular speed",
    "°/s": "angular speed",
    "rad/s^2": "angular acceleration",
    "°/s^2": "angular acceleration",
    "m": "position",
    "m/s": "speed",
    "m/s^2": "acceleration",
    "N": "force",
    "N m": "moment",
    "W": "power",
    "J": "energy",
}


@overload
def plot(
    runs: Runs | Special | Arms | MuscleCurves | Sequence[MuscleCurves] | Mapping[str, MuscleCurves],
    names: str | Iterable[str] | None = None,
    *,
    panels: Panels | None = None,
    degrees: bool = False,
    x: Across = "time",
    ax: None = None,
    title: str = "",
    path: str | os.PathLike[str] | None = None,
) -> Figure: ...


@overload
def plot(
    runs: Runs | Special | Arms | MuscleCurves | Sequence[MuscleCurves] | Mapping[str, MuscleCurves],
    names: str | Iterable[str] | None = None,
    *,
    panels: Panels | None = None,
    degrees: bool = False,
    x: Across = "time",
    ax: Axes,
    title: str = "",
    path: str | os.PathLike[str] | None = None,
) -> Axes: ...


def plot(  # noqa: PLR0913 - what is shown, and how
    runs: Runs | Special | Arms | MuscleCurves | Sequence[MuscleCurves] | Mapping[str, MuscleCurves],
    names: str | Iterable[str] | None = None,
    *,
    panels: Panels | None = None,
    degrees: bool = False,
    x: Across = "time",
    ax: Axes | None = None,
    title: str = "",
    path: str | os.PathLike[str] | None = None,
) -> Figure | Axes:
    """Return a figure of columns over time, with units, events, and a common time axis.

    Parameters
    ----------
    runs
        One run, or several to compare: a list, or a table by label. Likewise curves of muscles, from
        `muscle_curves`: their values are shown above, their derivatives below. Or the fit
        of one path, from `fit_path`: its errors are shown over the coordinates that it crosses. Or
        `moment_arms`, one or several: lengths and arms over the coordinate, jumps marked. Or
        the equations of a model: where their derivatives differ from zero. Or eigenvalues from
        `linearise_along`: in the complex plane and over time. Or a report of `gait_report`: curves over
        the cycle beside people, and when muscles are on. Or what `search` found: the best so far and the front. Or
        what `sensitivity` gives: a tornado, or bars. Or the table of a study: each measure over each varied number.
    names
        Names of columns; ``*`` and ``?`` stand for any text and any letter. Without names: the columns
        without a dot in their name, which are the coordinates.
    panels
        One panel for each ``"unit"``, or for each ``"name"``. Without a choice: by unit for one run, by name
        for several, and for more lines than one panel can hold. Many panels become small and stand side by side.
    degrees
        Whether angles are shown in degrees.
    x
        ``"time"`` (s), or ``"percent"`` from the first row of each run to its last: of the gait cycle, where the run
        is one.
    ax
        Matplotlib's axes to draw into, for columns of one unit; the axes are returned then, and the figure stays yours.
    title
        Text above the figure.
    path
        File to write the figure to as well, its ending the format (``.png``, ``.svg``, ``.pdf``).

    Examples
    --------
    >>> swing = Trajectory([0.0, 0.5, 1.0], {"knee": [0.0, 0.2, 0.1]}, {"knee": "rad"})
    >>> figure = plot(swing, "knee", degrees=True)
    >>> figure.axes[0].get_ylabel()
    'knee (°)'

    In a notebook the figure is shown if it is the last line of a cell. Into axes of your own:

    >>> from matplotlib.figure import Figure
    >>> plot(swing, "knee", x="percent", ax=Figure().subplots()).get_xlabel()
    'cycle (%)'
    """
    if x not in get_args(Across):
        raise DataError(f"x is 'time' or 'percent', not {x!r}")
    special = _special_figure(runs, names, title, degrees)
    if special is not None:
        if ax is not None or x != "time":
            raise DataError("ax and x are for columns over time; this figure has axes of its own")
        return _finished(special, "", path)
    labelled = _labelled(runs)
    if panels not in ("unit", "name", None):
        raise DataError(f"panels is 'unit' or 'name', not {panels!r}")
    chosen = {label: run.select(_default_names(run) if names is None else names) for label, run in labelled.items()}
    if not any(part.names for part in chosen.values()):
        raise DataError("no column was chosen; leave out the names to plot the coordinates")
    lines = Lines(x, degrees)
    if ax is not None:
        return _drawn_into(ax, chosen, lines, title)
    figure, grid = _panels(chosen, panels, lines)
    _mark_events(grid, labelled, lines)
    return _finished(figure, title, path)


def _panels(runs: Mapping[str, Trajectory], panels: Panels | None, lines: Lines) -> tuple[Figure, list[Axes]]:
    """Return the figure of columns and its panels."""
    groups = _groups(runs, panels or ("name" if len(runs) > 1 else "unit"), lines)
    if panels is None and max(len(names) for _, names in groups) > _MOST_LINES:
        groups = _groups(runs, "name", lines)
    if len(groups) > MOST_ROWS and all(len(names) == 1 for _, names in groups):
        figure, grid = multiples_figure(runs, [names[0] for _, names in groups], lines)
        plain(figure.supxlabel(lines.x_label, fontsize=9, color=INK))
        return figure, grid
    figure = new_figure(8.0, 1.1 + min(2.1, 14.0 / len(groups)) * len(groups))
    grid = list(figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0])
    for axes, (unit, columns) in zip(grid, groups, strict=True):
        _draw_panel(axes, runs, columns, unit, lines)
    figure.align_ylabels()
    plain(grid[-1].set_xlabel(lines.x_label, fontsize=9, color=INK))
    return figure, grid


def _drawn_into(axes: Axes, runs: Mapping[str, Trajectory], lines: Lines, title: str) -> Axes:
    """Draw columns of one unit into given axes, whose size and surroundings stay as they are."""
    groups = _groups(runs, "unit", lines)
    if len(groups) > 1:
        units = ", ".join(f"'{unit}' ({columns[0]})" for unit, columns in groups)
        raise DataError(f"one axes shows columns of one unit, but these have {units}; name fewer, or leave ax out")
    ((unit, columns),) = groups
    _draw_panel(axes, runs, columns, unit, lines)
    plain(axes.set_xlabel(lines.x_label, fontsize=9, color=INK))
    if title:
        plain(axes.set_title(title, fontsize=10, color=INK, loc="left"))
    return axes


def _finished(figure: Figure, title: str, path: str | os.PathLike[str] | None) -> Figure:
    if title:
        text = plain(figure.suptitle(title, fontsize=12, color=INK, x=0.01, ha="left"))
        if figure.get_layout_engine() is None:
            text.set_y(1.0 - 0.1 / figure.get_figheight())
    if path is not None:
        save_figure(figure, path)
    return figure


def _special_figure(given: object, names: str | Iterable[str] | None, title: str, degrees: bool) -> Figure | None:
    """Return the figure of something other than a motion, None for motions."""
    if isinstance(given, Trajectory):
        return None
    from myodyne.analyse.gait.report import GaitReport
    from myodyne.analyse.linearise_along import EigenvaluesAlong

    if isinstance(given, GaitReport):
        return gait_figure(given, title)
    if isinstance(given, Equations):
        return sparsity_figure(given, title)
    if isinstance(given, EigenvaluesAlong):
        return eigenvalue_figure(given, title)
    if isinstance(given, PathFit):
        return fit_figure(given, title, degrees)
    study = _study_figure(given, names, title)
    if study is not None:
        return study
    arms = _arms(given)
    if arms:
        return moment_arm_figure(arms, title, degrees)
    families = _families(given)
    return muscle_curve_figure(families, names, title) if families else None


def _study_figure(given: object, names: str | Iterable[str] | None, title: str) -> Figure | None:
    """Return the figure of a search, of sensitivities or of a table, None for anything else."""
    import sys

    # Whoever holds one of these has loaded the modules that make them.
    if "myodyne.study" not in sys.modules:
        return None
    import xarray

    from myodyne.study import SearchResult, Sensitivity

    if isinstance(given, SearchResult):
        return search_figure(given, title)
    if isinstance(given, Sensitivity):
        return sensitivity_figure(given, title)
    if isinstance(given, xarray.Dataset):
        return response_figure(given, [names] if isinstance(names, str) else list(names or ()), title)
    return None


def _arms(given: object) -> dict[str, MomentArms]:
    """Return moment arms by label, or nothing where something else was given."""
    if isinstance(given, Trajectory):
        return {}
    from myodyne.analyse.muscles.moment_arm_range import MomentArms

    if isinstance(given, MomentArms):
        return {f"{given.muscle} about {given.coordinate}": given}
    if isinstance(given, Mapping):
        table = {str(label): item for label, item in given.items()}
    elif isinstance(given, list | tuple):
        table = {f"{number}. {getattr(item, 'muscle', '')}": item for number, item in enumerate(given, start=1)}
    else:
        return {}
    found = {label: item for label, item in table.items() if isinstance(item, MomentArms)}
    return found if len(found) == len(table) else {}


def _families(given: object) -> dict[str, MuscleCurves]:
    """Return curves of muscles by label, or nothing where something else was given."""
    if isinstance(given, Trajectory):
        return {}
    from myodyne.analyse.muscles.muscle_curves import MuscleCurves

    if isinstance(given, MuscleCurves):
        return {given.kind: given}
    table: Mapping[str, object] = {}
    if isinstance(given, Mapping):
        table = {str(label): item for label, item in given.items()}
    elif isinstance(given, Iterable):
        table = {getattr(item, "kind", ""): item for item in given}
    found = {label: item for label, item in table.items() if isinstance(item, MuscleCurves)}
    return found if len(found) == len(table) else {}


def _labelled(runs: object) -> dict[str, Trajectory]:
    table: dict[str, object] = {}
    if isinstance(runs, Trajectory):
        table = {"run": runs}
    elif isinstance(runs, Mapping):
        table = {str(label): run for label, run in runs.items()}
    elif isinstance(runs, Iterable):
        table = {f"run {number}": run for number, run in enumerate(runs, start=1)}
    found = {label: run for label, run in table.items() if isinstance(run, Trajectory)}
    if not table or len(found) < len(table):
        raise DataError(
            f"plot takes a run, a list of runs, or a mapping of labels to runs, not a {type(runs).__name__}; simulate "
            "a model first (my.newton_euler.to_model makes one of a chain), or draw a model with my.animate"
        )
    return found


def _default_names(run: Trajectory) -> list[str]:
    plain_names = [name for name in run.names if "." not in name]
    if not run.names:
        raise DataError("the run has no columns that could be shown")
    return plain_names or list(run.names)


def _groups(runs: Mapping[str, Trajectory], panels: Panels, lines: Lines) -> list[tuple[str, list[str]]]:
    """Return unit and column names of each panel, in the order in which the columns were asked for."""
    units = {name: unit for run in reversed(list(runs.values())) for name, unit in run.units.items()}
    for label, run in runs.items():
        for name, unit in run.units.items():
            if unit != units[name]:
                raise DataError(f"'{name}' has the unit '{unit}' in {label} and '{units[name]}' elsewhere")
    groups: dict[str, tuple[str, list[str]]] = {}
    for name in dict.fromkeys(name for run in runs.values() for name in run.names):
        unit = lines.unit(units[name])
        groups.setdefault(unit if panels == "unit" else name, (unit, []))[1].append(name)
    return list(groups.values())


def _draw_panel(axes: Axes, runs: Mapping[str, Trajectory], names: Sequence[str], unit: str, lines: Lines) -> None:
    """Draw one panel: colours tell columns apart, or runs where there is one column; dashes tell runs apart."""
    tidy(axes)
    several = len(runs) > 1
    by_run = several and len(names) == 1
    palette = colours(len(runs) if by_run else len(names))
    drawn: list[Any] = []
    labels: list[str] = []
    for place, (label, run) in enumerate(runs.items()):
        for column, name in enumerate(names):
            if name not in run:
                continue
            places, values = lines.across(run), lines.up(run, name)
            dashes = "-" if by_run else ("-", "--", ":", "-.")[place % 4]
            marker = "o" if len(run) == 1 else ""
            colour = palette[place if by_run else column]
            drawn += axes.plot(places, values, color=colour, linestyle=dashes, marker=marker, linewidth=1.7)
            labels.append(label if by_run else f"{name}, {label}" if several else name)
    quantity = names[0] if len(names) == 1 else _QUANTITIES.get(unit, "")
    plain(axes.set_ylabel(f"{quantity} ({unit})" if quantity and unit else quantity or unit, fontsize=9, color=INK))
    axes.margins(x=0.01)
    if len(drawn) > 1:
        add_legend(axes, drawn, labels)


def _mark_events(grid: Sequence[Axes], runs: Mapping[str, Trajectory], lines: Lines) -> None:
    events = [
        (lines.moment(run, time), name, colour if len(runs) > 1 else FAINT)
        for colour, run in zip(colours(len(runs)), runs.values(), strict=True)
        if isinstance(run, Result)
        for time, name in run.report.events
    ]
    left, right = grid[0].get_xlim()
    row_ends: list[float] = []
    for time, name, shade in sorted(events):
        for axes in grid:
            axes.axvline(time, color=shade, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
        # Names that would run into each other stand in different rows; 0.011 of the width is about a letter.
        half = 0.5 * (len(name) + 1) * 0.011 * (right - left)
        row = next((number for number, end in enumerate(row_ends) if end <= time - half), len(row_ends))
        row_ends[row : row + 1] = [time + half]
        plain(
            grid[0].annotate(
                name,
                (time, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 3 + 10 * row),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=8,
                color=shade,
                annotation_clip=False,
            )
        )
