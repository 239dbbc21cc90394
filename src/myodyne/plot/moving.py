"""A movement as an animated GIF."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from myodyne.data import DataError
from myodyne.errors import FileError
from myodyne.files.atomic import atomically
from myodyne.plot.frames import Animation, Polyline, ground_lines, on_the_left, outline, projected
from myodyne.plot.style import (
    COM,
    FAINT,
    FAR_FLESH,
    FLESH,
    GRID,
    INK,
    MARKER,
    MUSCLE,
    PAPER,
    RESTING,
    new_figure,
    plain,
)
from myodyne.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from PIL.Image import Image


# Viewers show faster frames late; and beyond this many frames a GIF is larger than anyone wants to open.
_FASTEST = 50.0
MOST_FRAMES = 1500
# A movement wider than this many heights would show a tiny figure: then the view travels along.
_WIDEST = 3.0


def write_gif(animation: Animation, path: str | os.PathLike[str], *, speed: float) -> None:
    """Write one frame for each time of the animation; it repeats for ever."""
    from PIL.Image import Dither

    _check(animation, speed)
    stage = Stage(animation)
    palette = _palette()
    # One palette for all frames: half the size, and no flicker.
    first, *rest = (
        stage.image(frame).quantize(palette=palette, dither=Dither.NONE) for frame in range(len(animation.times))
    )
    with atomically(path) as unfinished:
        first.save(
            unfinished, format="GIF", save_all=True, append_images=rest, duration=delays(animation.times, speed), loop=0
        )


def write_mp4(animation: Animation, path: str | os.PathLike[str], *, speed: float) -> None:
    """Write the frames as a video, evenly in time."""
    try:
        import imageio_ffmpeg
    except ImportError as missing:
        raise FileError(
            f"{path}: an .mp4 needs an encoder: python -m pip install 'myodyne[video]'; .gif and .html need none"
        ) from missing
    stage = Stage(animation)
    duration = float(animation.times[-1] - animation.times[0]) / speed
    rate = max((len(animation.times) - 1) / duration, 1.0) if duration > 0 else 1.0
    with atomically(path) as unfinished:
        # Encoders want even numbers of pixels.
        size = tuple(2 * (side // 2) for side in stage.image(0).size)
        film = Path(f"{unfinished}.mp4")
        file = imageio_ffmpeg.write_frames(film, size, fps=rate, macro_block_size=2)
        file.send(None)
        for frame in range(len(animation.times)):
            file.send(np.ascontiguousarray(np.asarray(stage.image(frame))[: size[1], : size[0]]))
        file.close()
        film.replace(unfinished)


def _palette() -> Image:
    """Return the colours that are drawn, each in its mixtures with the paper and with the ink it may lie on."""
    from matplotlib.colors import to_rgb
    from PIL import Image

    paper, ink = np.array(to_rgb(PAPER)), np.array(to_rgb(INK))
    drawn = [np.array(to_rgb(colour)) for colour in (INK, FAINT, GRID, MARKER, COM, MUSCLE, FLESH, FAR_FLESH, RESTING)]
    mixtures = [
        under + part * (over - under) for over in drawn for under in (paper, ink) for part in np.linspace(0.0, 1.0, 25)
    ]
    # Pillow takes colours that lie close together for one another, so that they must keep a distance.
    colours: list[Floats] = []
    for colour in (255.0 * mixture for mixture in [paper, *drawn, *mixtures]):
        if all(np.abs(colour - other).max() >= 9.0 for other in colours):
            colours.append(colour)
    holder = Image.new("P", (1, 1))
    holder.putpalette(np.round(colours).astype(int).ravel().tolist())
    return holder


def delays(times: Floats, speed: float) -> list[int]:
    """Return how long each frame stays (ms), so that the whole takes its true time.

    GIF counts in hundredths of a second: each frame's error is made up for by the next.
    """
    shown = (times - times[0]) / speed
    step = shown[-1] / (len(shown) - 1) if len(shown) > 1 else 1.0
    ends = np.append(shown[1:], shown[-1] + step)
    marks = np.concatenate([[0], np.round(ends * 100).astype(int)])
    # Viewers take a frame of no duration for one of a tenth of a second.
    return [max(20, int(10 * wait)) for wait in np.diff(marks)]


def _check(animation: Animation, speed: float) -> None:
    if len(animation.times) > MOST_FRAMES:
        raise DataError(
            f"a GIF of {len(animation.times)} frames would be too large to open (at most {MOST_FRAMES}); show a part "
            "with run.slice, take fewer frames_per_second or a higher speed, or write an .html page"
        )
    if len(animation.times) > 1:
        rate = speed * (len(animation.times) - 1) / (animation.times[-1] - animation.times[0])
        if rate > _FASTEST * 1.001:
            raise DataError(
                f"a GIF shows at most {_FASTEST:.0f} frames per second, not {rate:.4g}; "
                "take fewer frames_per_second or a lower speed"
            )


def muscle_colour(line: Polyline, frame: int) -> Floats:
    """Return the colour of a muscle: red, or from blue at rest to red as it is activated."""
    from matplotlib.colors import to_rgb

    active = np.array(to_rgb(MUSCLE))
    if line.activation is None:
        return active
    rest = np.array(to_rgb(RESTING))
    return np.asarray(rest + float(np.clip(line.activation[frame], 0.0, 1.0)) * (active - rest))


class Stage:
    """The figure on which one frame after the other is drawn."""

    def __init__(self, animation: Animation) -> None:
        from matplotlib.collections import LineCollection, PolyCollection

        self.animation = animation
        self._shown = projected(animation.all_points(), planar=animation.planar)
        self._low, self._high = self._window()
        self.figure = self._empty_figure()
        self.axes = self.figure.axes[0]
        for line in ground_lines(animation):
            seen = projected(line, planar=animation.planar)
            far = 1e3 * animation.size if animation.planar else 0.0
            self.axes.plot(
                seen[:, 0] + [-far, far], seen[:, 1], color=FAINT if animation.planar else GRID, linewidth=1.0
            )
        # Bodies with an outline need no lines along their bones.
        thick = {solid.body for solid in animation.solids}
        bones = [line for line in animation.segments if line.body and line.body not in thick]
        springs = [line for line in animation.segments if not line.body and not line.muscle]
        muscles = [line for line in animation.segments if line.muscle]
        shades = [FAINT if on_the_left(line.body) else INK for line in bones]
        self._groups = [
            (bones, LineCollection([], colors=shades, linewidths=3.0, capstyle="round", zorder=3)),
            (springs, LineCollection([], colors=FAINT, linewidths=1.2, linestyles="dashed", zorder=2)),
            (muscles, LineCollection([], colors=MUSCLE, linewidths=1.4, capstyle="round", zorder=3.5)),
        ]
        for _, drawn in self._groups:
            self.axes.add_collection(drawn)
        # What is farther from the viewer is drawn first.
        self._solids = sorted(animation.solids, key=lambda solid: not on_the_left(solid.body))
        fills = [FAR_FLESH if on_the_left(solid.body) else FLESH for solid in self._solids]
        self._bodies = PolyCollection([], facecolors=fills, edgecolors=FAINT, linewidths=0.8, zorder=3)
        self.axes.add_collection(self._bodies)
        self._bare = [line for line in animation.segments if line.body and line.body not in thick]
        self._joints = self.axes.plot([], [], "o", color="white", markeredgecolor=INK, markersize=5, zorder=4)[0]
        self._markers = self.axes.plot([], [], ".", color=MARKER, markersize=6, zorder=5)[0]
        self._trail = self.axes.plot([], [], color=COM, linewidth=1.0, zorder=2)[0]
        self._com = self.axes.plot([], [], "o", color=COM, markersize=5, zorder=5)[0]
        self._clock = plain(self.figure.text(0.985, 0.975, "", ha="right", va="top", fontsize=11, color=INK))

    def draw(self, frame: int) -> None:
        """Put the pose of one frame on the figure."""
        animation = self.animation
        for lines, drawn in self._groups:
            drawn.set_segments([projected(line.points[frame], planar=animation.planar) for line in lines])
        muscles, drawn_muscles = self._groups[-1]
        drawn_muscles.set_color([muscle_colour(line, frame) for line in muscles])
        self._bodies.set_verts([outline(solid, frame, planar=animation.planar) for solid in self._solids])
        joints = [line.points[frame, 0] for line in self._bare]
        self._put(self._joints, joints)
        self._put(self._markers, [track[frame] for track in animation.points.values()])
        if animation.com is not None:
            self._put(self._trail, list(animation.com[: frame + 1]))
            self._put(self._com, [animation.com[frame]])
        middle = self._middle(frame)
        self.axes.set_xlim(middle + self._low[0], middle + self._high[0])
        # Three digits: frames that look the same still differ here, so that none of them is merged away.
        self._clock.set_text(f"{animation.times[frame]:.3f} s")

    def image(self, frame: int) -> Image:
        """Return one frame as a picture."""
        from PIL import Image

        self.draw(frame)
        canvas: Any = self.figure.canvas
        canvas.draw()
        return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")

    def _put(self, drawn: Line2D, points: list[Floats]) -> None:
        seen = projected(np.reshape(points, (-1, 3)), planar=self.animation.planar)
        drawn.set_data(seen[:, 0], seen[:, 1])

    def _window(self) -> tuple[Floats, Floats]:
        """Return the corners of what is shown; across, they are counted from the middle of a frame."""
        up = self._shown[..., 1]
        low, high = float(up.min()), float(up.max())
        if self.animation.ground:
            low = min(low, 0.0)
        across = self._shown[..., 0]
        pose = float((across.max(axis=1) - across.min(axis=1)).max())
        height = max(high - low, pose, 1e-9)
        self._travels = float(np.ptp(across)) > _WIDEST * height
        half = 0.5 * max(1.4 * height, pose) if self._travels else 0.5 * max(float(np.ptp(across)), 0.6 * height)
        margin = 0.08 * height
        return np.array([-half - margin, low - margin]), np.array([half + margin, high + margin])

    def _middle(self, frame: int) -> float:
        across = self._shown[..., 0]
        if not self._travels:
            return 0.5 * float(across.min() + across.max())
        # The path of the middle is smoothed by its straight line: the view glides, the figure moves in it.
        middles = 0.5 * (across.min(axis=1) + across.max(axis=1))
        slope, start = np.polyfit(self.animation.times - self.animation.times[0], middles, 1)
        return float(start + slope * (self.animation.times[frame] - self.animation.times[0]))

    def _empty_figure(self) -> Figure:
        width, height = self._high - self._low
        scale = min(6.0 / width, 5.0 / height)
        inches = np.array([max(width * scale, 2.6), max(height * scale, 1.6)])
        # The window takes the shape of the figure, so that a metre is as long across as it is up.
        middle = 0.5 * (self._low + self._high)
        self._low, self._high = middle - 0.5 * inches / scale, middle + 0.5 * inches / scale
        figure = new_figure(*inches)
        figure.set_layout_engine("none")
        figure.set_dpi(80)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_ylim(self._low[1], self._high[1])
        if self.animation.title:
            plain(figure.text(0.015, 0.975, self.animation.title, ha="left", va="top", fontsize=11, color=INK))
        return figure
