"""Movements as pages, moving pictures and pictures, in the form that the file's name asks for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from myodyne.data import DataError, Trajectory
from myodyne.errors import FileError
from myodyne.plot.frames import Animation
from myodyne.plot.moving import MOST_FRAMES, write_gif, write_mp4
from myodyne.plot.stick import animation_from
from myodyne.plot.still import stroboscope
from myodyne.plot.style import save_figure
from myodyne.types import Floats
from myodyne.view.actors import Pose, Shown, scene_of
from myodyne.view.page import write_page
from myodyne.view.scene import Scene

# Frames in a second. 25 divides GIF's hundredths evenly; a page can keep up with the screen.
_RATES = {".html": 60.0, ".gif": 25.0, ".mp4": 30.0, ".png": 60.0, ".svg": 60.0, ".pdf": 60.0}


def animate(  # noqa: PLR0913 - what is shown, where it goes, and how
    shown: Shown | Sequence[Shown] | Animation,
    path: str | os.PathLike[str],
    motion: Trajectory | Pose | None = None,
    *,
    labels: Sequence[str] | None = None,
    geometry: str | os.PathLike[str] | None = None,
    frames_per_second: float | None = None,
    speed: float = 1.0,
    poses: int = 9,
    spread: bool = False,
) -> None:
    """Write a movement to a file: a page, a moving picture, or poses in one picture.

    Parameters
    ----------
    shown, motion, labels, geometry
        As in `show`: a run, a model with its motion, or several.
    path
        ``.html``: the viewer, to play, scrub, turn, zoom and plot, without any other file. ``.gif``, ``.mp4``: a
        moving picture. ``.png``, ``.svg``, ``.pdf``: poses in one picture, coloured by time.
    frames_per_second
        Frames shown in a second of a moving picture; 25 for a GIF, 30 for a video unless given.
    speed
        1 shows true time, 0.25 four times slower.
    poses
        Number of poses in one picture.
    spread
        Whether these poses are set side by side, for movements on the spot.

    Examples
    --------
    >>> import myodyne as my
    >>> run = my.simulate(my.load_model("double_pendulum"), duration=2.0)  # doctest: +SKIP
    >>> my.animate(run, "swing.html")  # doctest: +SKIP
    """
    ending = Path(path).suffix.lower()
    if ending not in _RATES:
        raise FileError(f"{path}: a movement is written as {', '.join(_RATES)}, not as '{ending}'")
    if not 0.0 < speed < float("inf"):
        raise DataError(f"the speed must be a positive number, not {speed!r}")
    rate = _RATES[ending] if frames_per_second is None else frames_per_second
    if not 0.0 < rate < float("inf"):
        raise DataError(f"frames_per_second must be a positive number, not {frames_per_second!r}")
    if isinstance(shown, Animation):
        _write(shown, path, ending, speed, poses, spread)
        return
    folder = None if geometry is None else os.fspath(geometry)
    scene = scene_of(shown, motion, labels=labels, geometry=folder, speed=speed)
    if ending == ".html":
        write_page(scene, path)
    else:
        _write(animation_from(scene, _frame_times(scene, ending, rate / speed)), path, ending, speed, poses, spread)


def _write(
    animation: Animation, path: str | os.PathLike[str], ending: str, speed: float, poses: int, spread: bool
) -> None:
    if ending == ".gif":
        write_gif(animation, path, speed=speed)
    elif ending == ".mp4":
        write_mp4(animation, path, speed=speed)
    elif ending == ".html":
        raise FileError(f"{path}: lines alone are drawn as pictures; a page needs a run, or a model with its motion")
    else:
        save_figure(stroboscope(animation, poses, spread=spread), path)


def _frame_times(scene: Scene, ending: str, rate: float) -> Floats | None:
    """Return the times of the frames (s) for a rate in frames per second of the movement; None for its own times."""
    first = min(float(actor.times[0]) for actor in scene.actors)
    last = max(float(actor.times[-1]) for actor in scene.actors)
    count = round((last - first) * rate) + 1
    if ending not in (".gif", ".mp4"):
        return None
    if ending == ".gif" and count > MOST_FRAMES:
        raise DataError(
            f"a GIF of {count} frames would be too large to open (at most {MOST_FRAMES}); show a part with "
            "run.slice, take fewer frames_per_second or a higher speed, or write an .html page"
        )
    # Evenly spaced, because viewers show evenly spaced frames best.
    return np.linspace(first, last, max(count, 2 if last > first else 1))
