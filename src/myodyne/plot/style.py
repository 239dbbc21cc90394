"""How our figures look, set on each figure alone: global settings and the backend are never touched."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from myodyne.errors import FileError
from myodyne.files.atomic import atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

# Names beside a panel: two columns of twelve.
_MOST_NAMES = 24
_Text = TypeVar("_Text", bound="Text")

INK = "#22262b"
FAINT = "#8a929c"
GRID = "#e6e9ed"
PAPER = "#ffffff"
MARKER = "#0072b2"
COM = "#d55e00"
MUSCLE = "#c1272d"
RESTING = "#7d8fb3"
FLESH = "#e3d7c2"
FAR_FLESH = "#b3a895"
# Okabe & Ito (2008), reordered so that neighbours differ most on white: distinct for colour-blind readers.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b5b5b", "#a6611a")


def new_figure(width: float, height: float, *, arranged: bool = True) -> Figure:
    """Return an empty figure (inches) that draws itself in notebooks and needs no display; panels find their places."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from myodyne.plot.figure import ShownFigure

    figure = ShownFigure(figsize=(width, height), facecolor=PAPER, layout="constrained" if arranged else None, dpi=110)
    FigureCanvasAgg(figure)
    return figure


def colours(count: int) -> list[Any]:
    """Return as many colours as there are lines: the palette, or a sweep where it is too short."""
    if count <= len(PALETTE):
        return list(PALETTE[:count])
    from matplotlib import colormaps

    sweep = colormaps["viridis"]
    return [sweep(0.95 * number / (count - 1)) for number in range(count)]


def tidy(axes: Axes) -> None:
    """Take what is not data out of the way."""
    axes.set_facecolor(PAPER)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
        axes.spines[side].set_linewidth(0.8)
    axes.grid(True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=9, length=3)


def plain(text: _Text) -> _Text:
    """Show a text as it stands: a dollar sign in a name is no formula."""
    text.set_parse_math(False)
    text.set_usetex(False)
    return text


def add_legend(axes: Axes, lines: Sequence[Any], labels: Sequence[str]) -> None:
    """Name the lines beside the axes, where the names cover no data; of very many lines, some of the sweep."""
    if len(labels) > _MOST_NAMES:
        step = math.ceil(len(labels) / (_MOST_NAMES - 1))
        labels, lines = [*labels[::step], f"{len(labels)} lines"], [*lines[::step], lines[0]]
    # Matplotlib leaves out labels that begin with an underscore, so the names are put in afterwards.
    legend = axes.legend(
        list(lines),
        ["line"] * len(labels),
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        handlelength=1.6,
        ncols=1 + (len(labels) - 1) // 12,
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        plain(text).set_text(label)


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format that the file's name asks for."""
    supported = figure.canvas.get_supported_filetypes()
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in supported:
        raise FileError(f"{path}: figures are written as {', '.join('.' + name for name in sorted(supported))}")
    with atomically(path) as unfinished:
        figure.savefig(unfinished, format=ending, dpi=160, facecolor=PAPER)
