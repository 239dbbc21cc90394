"""The curves of muscles: values above, derivatives below."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from myodyne.data import DataError
from myodyne.plot.style import FAINT, INK, add_legend, colours, new_figure, plain, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from myodyne.analyse.muscles.muscle_curves import MuscleCurves


def muscle_curve_figure(families: Mapping[str, MuscleCurves], names: str | Iterable[str] | None, title: str) -> Figure:
    """Return a figure with one column for each curve; families share the panels."""
    wanted = ["*"] if names is None else [names] if isinstance(names, str) else list(names)
    offered = list(dict.fromkeys(name for family in families.values() for name in family.curves))
    chosen = [name for name in offered if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)]
    if not chosen:
        raise DataError(f"no curve is called {', '.join(wanted)}; choose from {', '.join(offered)}")
    figure = new_figure(1.4 + 3.0 * len(chosen), 5.0)
    grid = figure.subplots(2, len(chosen), sharex="col", squeeze=False)
    palette = dict(zip(families, colours(len(families)), strict=True))
    shown = {}
    for column, name in enumerate(chosen):
        upper, lower = grid[:, column]
        for label, family in families.items():
            # A muscle with a rigid tendon has no curve for it.
            if name not in family.curves:
                continue
            curve = family.curves[name]
            (shown[label],) = upper.plot(curve.at, curve.value, color=palette[label], linewidth=1.7)
            lower.plot(curve.at, curve.derivative, color=palette[label], linewidth=1.7)
            plain(lower.set_xlabel(f"{curve.quantity} ({curve.unit})", fontsize=9, color=INK))
        for axes in (upper, lower):
            tidy(axes)
            axes.axhline(0.0, color=FAINT, linewidth=0.8, zorder=1)
            axes.margins(x=0.01)
        plain(upper.set_title(name.replace("_", "–"), fontsize=10, color=INK))
    if len(families) > 1:
        add_legend(grid[0, -1], list(shown.values()), list(shown))
    plain(grid[0, 0].set_ylabel("force (maximal forces)", fontsize=9, color=INK))
    plain(grid[1, 0].set_ylabel("derivative (maximal forces per unit)", fontsize=9, color=INK))
    figure.align_ylabels()
    if title:
        plain(figure.suptitle(title, fontsize=12, color=INK, x=0.01, ha="left"))
    return figure
