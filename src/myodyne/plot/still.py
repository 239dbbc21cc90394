"""A movement as one picture: several poses, coloured by their time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from myodyne.plot.frames import Animation, ground_lines, outline, projected
from myodyne.plot.moving import muscle_colour
from myodyne.plot.style import FAINT, GRID, INK, new_figure, plain, tidy
from myodyne.types import Floats, Integers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Room between poses that are set side by side, in parts of a pose's width.
_GAP = 0.25

# Red, green, blue and opacity, from 0 to 1.
_Colour = tuple[float, float, float, float]


def stroboscope(animation: Animation, poses: int, *, spread: bool) -> Figure:
    """Return a figure of equally spaced poses; ``spread`` sets them side by side, for what moves on the spot."""
    frames = np.unique(np.linspace(0, len(animation.times) - 1, max(poses, 1)).round().astype(int))
    shifts = _shifts(animation, frames) if spread else np.zeros(len(frames))
    figure, axes = _canvas(animation, frames, shifts)
    shades = _shades(len(frames))
    _draw_ground(axes, animation, spread)
    if animation.com is not None and not spread:
        path = projected(animation.com, planar=animation.planar)
        axes.plot(path[:, 0], path[:, 1], color=FAINT, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1, gid="com")
    for frame, shift, shade in zip(frames, shifts, shades, strict=True):
        _draw_pose(axes, animation, int(frame), shift, shade)
    if spread:
        _label_poses(axes, animation, frames, shifts)
    elif len(frames) > 1:
        _time_bar(figure, axes, animation)
    if animation.title:
        plain(axes.set_title(animation.title, fontsize=12, color=INK, loc="left"))
    return figure


def _shifts(animation: Animation, frames: Integers) -> Floats:
    """Return how far each pose is moved to the right so that none touches its neighbour."""
    seen = projected(animation.all_points(), planar=animation.planar)[frames, :, 0]
    widths = seen.max(axis=1) - seen.min(axis=1)
    room = (1.0 + _GAP) * max(float(widths.max()), 0.15 * animation.size)
    return np.asarray(np.arange(len(frames)) * room - 0.5 * (seen.max(axis=1) + seen.min(axis=1)))


def _canvas(animation: Animation, frames: Integers, shifts: Floats) -> tuple[Figure, Axes]:
    shown = projected(animation.all_points(), planar=animation.planar)
    spread = shifts.any()
    across = shown[frames, :, 0] + shifts[:, None] if spread else shown[..., 0]
    up = shown[..., 1]
    ground = [projected(line, planar=animation.planar) for line in ground_lines(animation)] if not spread else []
    low = np.array([across.min(), min(up.min(), 0.0) if animation.ground else up.min()])
    high = np.array([across.max(), up.max()])
    for line in ground if not animation.planar else []:
        low, high = np.minimum(low, line.min(axis=0)), np.maximum(high, line.max(axis=0))
    margin = 0.06 * np.maximum(high - low, 0.2 * max(float((high - low).max()), 1e-9))
    low, high = low - margin, high + margin
    width, height = high - low
    scale = min(9.0 / width, 5.5 / height)
    figure = new_figure(max(width * scale, 2.5) + 1.4, max(height * scale, 1.2) + 0.9)
    # The layout for axes whose shape is given.
    figure.set_layout_engine("compressed")
    axes = figure.subplots()
    tidy(axes)
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    if animation.planar and not spread:
        plain(axes.set_xlabel("x (m)", fontsize=9, color=INK))
        plain(axes.set_ylabel("y (m)", fontsize=9, color=INK))
    elif animation.planar:
        axes.grid(False, axis="x")
        plain(axes.set_ylabel("y (m)", fontsize=9, color=INK))
    else:
        axes.set_axis_off()
    return figure, axes


def _shades(count: int) -> list[Any]:
    from matplotlib import colormaps

    # The end of the map is too pale for lines on white.
    return [colormaps["viridis"](0.9 * number / max(count - 1, 1)) for number in range(count)]


def _draw_pose(
    axes: Axes, animation: Animation, frame: int, shift: float, shade: tuple[float, float, float, float]
) -> None:
    for solid in animation.solids:
        corners = outline(solid, frame, planar=animation.planar) + np.array([shift, 0.0])
        axes.fill(
            *corners.T,
            facecolor=(*shade[:3], 0.28),
            edgecolor=shade,
            linewidth=0.8,
            zorder=2,
            gid=f"solid {solid.body}",
        )
    thick = {solid.body for solid in animation.solids}
    for line in animation.segments:
        if line.body in thick:
            continue
        points = projected(line.points[frame], planar=animation.planar)
        bone = bool(line.body)
        axes.plot(
            points[:, 0] + shift,
            points[:, 1],
            color=muscle_colour(line, frame) if line.muscle else shade,
            linewidth=2.6 if bone else 1.0,
            zorder=3,
            solid_capstyle="round",
            linestyle="-" if bone or line.muscle else (0, (2, 1.5)),
            gid=f"segment {line.label}",
            marker="o" if len(points) == 1 else "",
            markersize=7,
        )
    bare = [line for line in animation.segments if line.body and line.body not in thick]
    joints = [projected(line.points[frame, 0], planar=animation.planar) for line in bare]
    for across, up in joints:
        axes.plot(across + shift, up, "o", color="white", markeredgecolor=shade, markersize=3.6, zorder=4)
    for name, track in animation.points.items():
        across, up = projected(track[frame], planar=animation.planar)
        axes.plot(across + shift, up, ".", color=shade, markersize=4, zorder=4, gid=f"marker {name}")


def _draw_ground(axes: Axes, animation: Animation, spread: bool) -> None:
    if animation.planar or spread:
        if animation.ground:
            axes.axhline(0.0, color=FAINT, linewidth=1.4, zorder=1, gid="ground")
        return
    for line in ground_lines(animation):
        seen = projected(line, planar=False)
        axes.plot(seen[:, 0], seen[:, 1], color=GRID, linewidth=0.8, zorder=0, gid="ground")


def _label_poses(axes: Axes, animation: Animation, frames: Integers, shifts: Floats) -> None:
    seen = projected(animation.all_points(), planar=animation.planar)[frames, :, 0] + shifts[:, None]
    middles = 0.5 * (seen.min(axis=1) + seen.max(axis=1))
    axes.set_axis_on()
    axes.set_xticks(middles, [f"{animation.times[frame]:.2f}" for frame in frames])
    plain(axes.set_xlabel("time (s)", fontsize=9, color=INK))
    if not animation.planar:
        axes.set_yticks([])
        axes.grid(False)


def _time_bar(figure: Figure, axes: Axes, animation: Animation) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    shades = ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.9, 200)))
    bar = figure.colorbar(
        ScalarMappable(Normalize(animation.times[0], animation.times[-1]), shades),
        ax=axes,
        fraction=0.04,
        pad=0.02,
        aspect=30,
    )
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=9, labelcolor=INK, color=FAINT, length=3)
    bar.set_label("time (s)", fontsize=9, color=INK)
