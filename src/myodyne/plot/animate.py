"""A run as a moving figure, in the form that the file's name asks for."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from myodyne.data import DataError, Result
from myodyne.errors import FileError
from myodyne.plot.frames import Animation
from myodyne.plot.moving import MOST_FRAMES, write_gif
from myodyne.plot.page import write_page
from myodyne.plot.stick import animation_of
from myodyne.plot.still import stroboscope
from myodyne.plot.style import save_figure
from myodyne.types import Floats

# 25 a second divides GIF's hundredths evenly; a page can keep up with the screen.
_RATES = {".gif": 25.0, ".html": 60.0, ".png": 100.0, ".svg": 100.0, ".pdf": 100.0}


def animate(
    run: Result | Animation,
    path: str | os.PathLike[str],
    *,
    frames_per_second: float | None = None,
    speed: float = 1.0,
    poses: int = 9,
    spread: bool = False,
) -> None:
    """Write a run as a moving stick figure, or as a strip of poses.

    Parameters
    ----------
    run
        A result that carries its model, or an animation.
    path
        ``.html``: a page to play, scrub, turn and zoom, without any other file. ``.gif``: a moving picture.
        ``.png``, ``.svg``, ``.pdf``: poses in one picture, coloured by time.
    frames_per_second
        Frames shown in a second; 25 for a GIF and at most 60 for a page unless given. An animation keeps its own.
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
    animation = run if isinstance(run, Animation) else animation_of(run, _frame_times(run, ending, rate / speed))
    if ending == ".gif":
        write_gif(animation, path, speed=speed)
    elif ending == ".html":
        write_page(animation, path, speed=speed)
    else:
        save_figure(stroboscope(animation, poses, spread=spread), path)


def _frame_times(run: Result, ending: str, rate: float) -> Floats | None:
    """Return the times of the frames (s) for a rate in frames per second of the run; None for its own times."""
    count = round(run.duration * rate) + 1
    if ending == ".gif":
        if count > MOST_FRAMES:
            raise DataError(
                f"a GIF of {count} frames would be too large to open (at most {MOST_FRAMES}); show a part with "
                "run.slice, take fewer frames_per_second or a higher speed, or write an .html page"
            )
        # Evenly spaced, because GIF viewers show evenly spaced frames best.
        return np.linspace(run.time[0], run.time[-1], max(count, 2 if run.duration > 0 else 1))
    # The run's own times where they suffice: no pose is then interpolated.
    return None if len(run) <= count else np.linspace(run.time[0], run.time[-1], max(count, 2))
