"""A movement as one web page that needs only a browser: no network, no other file."""

from __future__ import annotations

import html
import json
import math
import os
from importlib import resources
from typing import Any

import numpy as np

from myodyne.data import DataError, Trajectory
from myodyne.files.atomic import atomically
from myodyne.plot.frames import PITCH, YAW, Animation, on_the_left
from myodyne.types import Floats

# About 30 MB of text, which browsers still open at once.
_MOST_NUMBERS = 4_000_000
# Positions are kept to this part of the whole figure: a hundredth of what a screen can show.
_FINENESS = 1e-5


def write_page(animation: Animation, path: str | os.PathLike[str], *, speed: float) -> None:
    """Write the page; all data stand in it as JSON."""
    count = animation.all_points().size
    if count > _MOST_NUMBERS:
        raise DataError(
            f"a page of {count} numbers would be too large to open (at most {_MOST_NUMBERS}); "
            "show a part with run.slice, or take fewer frames_per_second"
        )
    template = resources.files("myodyne.plot").joinpath("page.html").read_text(encoding="utf-8")
    # The title first: what the animation holds must not be searched for place-holders.
    page = template.replace("@TITLE@", html.escape(animation.title or "movement")).split("@ANIMATION@")
    with atomically(path) as unfinished:
        unfinished.write_text(embedded(page_data(animation, speed)).join(page), encoding="utf-8", newline="\n")


def embedded(data: object) -> str:
    """Return JSON that cannot end the script it stands in, whatever the names in it are."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def page_data(animation: Animation, speed: float) -> dict[str, Any]:
    """Return the animation as plain data: positions in one flat list for each line, time by time."""
    decimals = _decimals(animation.size * _FINENESS)
    segments = [
        {
            "label": line.label,
            "body": line.body,
            "left": on_the_left(line.body),
            "muscle": line.muscle,
            "count": line.points.shape[1],
            "points": _rounded(line.points, decimals),
        }
        for line in animation.segments
    ]
    return {
        "title": animation.title,
        "times": _rounded(animation.times, _decimals(_shortest(animation.times) * 1e-4)),
        "segments": segments,
        "points": [{"label": name, "points": _rounded(at, decimals)} for name, at in animation.points.items()],
        "com": None if animation.com is None else _rounded(animation.com, decimals),
        "planar": animation.planar,
        "ground": animation.ground,
        "view": [round(YAW, 6), round(PITCH, 6)],
        "speed": float(speed),
        "series": None
        if animation.series is None or not animation.series.names
        else _series(animation.series, animation.times),
    }


def _series(series: Trajectory, times: Floats) -> dict[str, Any]:
    # A screen is about two thousand points wide.
    inside = series.slice(float(times[0]), float(times[-1])) if len(times) > 1 else series
    every = 1 + (len(inside) - 1) // 2000
    shown = inside.time[::every]
    columns = []
    for name in series.names:
        values = inside.values(name)[::every]
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        decimals = _decimals(max(high - low, abs(high), abs(low), 1e-300) * 1e-5)
        listed = [round(value, decimals) if math.isfinite(value) else None for value in values.tolist()]
        columns.append({"name": name, "unit": series.units[name], "values": listed, "low": low, "high": high})
    return {"times": _rounded(shown, _decimals(_shortest(shown) * 1e-4)), "columns": columns}


def _shortest(times: Floats) -> float:
    return float(np.diff(times).min()) if len(times) > 1 else 1e-3


def _decimals(fineness: float) -> int:
    return max(0, -math.floor(math.log10(max(fineness, 1e-300))))


def _rounded(values: Floats, decimals: int) -> list[float]:
    # Adding zero turns -0.0 into 0.0, which is shorter.
    return [round(value, decimals) + 0.0 for value in np.ravel(values).tolist()]
