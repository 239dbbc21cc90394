"""A scene as a header of plain data and one block of bytes, small enough for a page.

Positions along lines are kept to 1/65535 of the space that they pass through, orientations to 1/32767, activations to
1/255, plotted columns to 1/65000 of their range: finer than a screen shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myodyne.data import Trajectory
from myodyne.numerics.rotations import quaternions
from myodyne.types import Floats
from myodyne.view.scene import Actor, Capsule, Ellipsoid, Line, Mesh, Scene, Shape

# The viewer refuses a scene of another version.
VERSION = 2
# A plot is about this many points wide.
_PLOTTED = 600
_MISSING = 65535
_STEPS = 65000.0


class _Block:
    """Arrays one after the other; each is described by its place, kind and shape."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, values: np.ndarray[Any, Any]) -> dict[str, Any]:
        """Append an array; return its description."""
        # Views of typed arrays begin at multiples of their element's size.
        padding = -self._length % max(values.dtype.itemsize, 4)
        data = b"\0" * padding + np.ascontiguousarray(values).tobytes()
        place = self._length + padding
        self._parts.append(data)
        self._length += len(data)
        return {"at": place, "kind": values.dtype.str[1:], "shape": list(values.shape)}

    def bounded(self, values: Floats) -> dict[str, Any]:
        """Append points (..., 3) as fractions of the box that holds them."""
        flat = values.reshape(-1, 3)
        low = flat.min(axis=0, initial=np.inf) if len(flat) else np.zeros(3)
        size = np.maximum(flat.max(axis=0, initial=-np.inf) - low, 1e-9) if len(flat) else np.ones(3)
        steps = np.round((values - low) / size * 65535.0).astype("<u2")
        return {**self.add(steps), "low": low.tolist(), "size": size.tolist()}

    def bytes(self) -> bytes:
        """Return all of it."""
        return b"".join(self._parts)


def packed(scene: Scene) -> tuple[dict[str, Any], bytes]:
    """Return a scene as a header that JSON can hold, and a block of bytes.

    Examples
    --------
    >>> import myodyne as my
    >>> from myodyne.view.actors import scene_of
    >>> header, block = packed(scene_of(my.load_model("pendulum")))
    >>> header["version"], header["actors"][0]["bodies"]
    (2, ['rod'])
    """
    block = _Block()
    header = {
        "version": VERSION,
        "title": scene.title,
        "planar": scene.planar,
        "ground": scene.ground,
        "speed": scene.speed,
        "beside": scene.beside,
        "actors": [_actor(actor, block) for actor in scene.actors],
    }
    return header, block.bytes()


def _actor(actor: Actor, block: _Block) -> dict[str, Any]:
    turns = np.round(quaternions(actor.rotations) * 32767.0).astype("<i2")
    return {
        "label": actor.label,
        "note": actor.note,
        "weight": actor.weight,
        "bodies": list(actor.bodies),
        "times": block.add(actor.times.astype("<f4")),
        "positions": block.add(actor.positions.astype("<f4")),
        "rotations": block.add(turns),
        "shapes": [_shape(shape, block) for shape in actor.shapes],
        "lines": [_line(line, block) for line in actor.lines],
        "arrows": [
            {"name": arrow.name, "at": block.bounded(arrow.at), "force": block.bounded(arrow.force)}
            for arrow in actor.arrows
        ],
        "points": [{"name": name, "at": block.bounded(at)} for name, at in actor.points.items()],
        "centre": None if actor.centre is None else block.bounded(actor.centre),
        "series": None if actor.series is None else _series(actor.series, block),
    }


def _shape(shape: Shape, block: _Block) -> dict[str, Any]:
    if isinstance(shape, Capsule):
        ends = {"start": list(shape.start), "end": list(shape.end)}
        return {"kind": "capsule", "body": shape.body, **ends, "radius": shape.radius, "endRadius": shape.end_radius}
    if isinstance(shape, Ellipsoid):
        return {"kind": "ellipsoid", "body": shape.body, "centre": list(shape.centre), "radii": list(shape.radii)}
    assert isinstance(shape, Mesh)
    vertices, faces = shape.vertices.astype("<f4"), shape.faces.astype("<u4")
    return {"kind": "mesh", "body": shape.body, "vertices": block.add(vertices), "faces": block.add(faces)}


def _line(line: Line, block: _Block) -> dict[str, Any]:
    shade = None if line.activation is None else np.round(np.clip(line.activation, 0.0, 1.0) * 255.0).astype("u1")
    return {
        "name": line.name,
        "kind": line.kind,
        "radius": line.radius,
        "points": block.bounded(line.points),
        "activation": None if shade is None else block.add(shade),
    }


def _series(series: Trajectory, block: _Block) -> dict[str, Any]:
    """Return all columns in one table: a run has hundreds, and one by one they take longer than to simulate it."""
    every = 1 + (len(series) - 1) // _PLOTTED
    table = np.ascontiguousarray(series.rows().T[:, ::every])
    known = np.isfinite(table)
    complete = bool(known.all())
    low = table.min(axis=1, initial=np.inf, where=True if complete else known)
    high = table.max(axis=1, initial=-np.inf, where=True if complete else known)
    # A column without a finite number has no range.
    low, high = np.where(known.any(axis=1), (low, high), 0.0)
    size = np.maximum(high - low, 1e-300)
    steps = np.round((table - low[:, None]) / size[:, None] * _STEPS)
    if not complete:
        steps[~known] = _MISSING
    return {
        "times": block.add(series.time[::every].astype("<f4")),
        "names": list(series.names),
        "units": list(series.units.values()),
        "low": block.add(low),
        "size": block.add(size / _STEPS),
        "values": block.add(steps.astype("<u2")),
    }
