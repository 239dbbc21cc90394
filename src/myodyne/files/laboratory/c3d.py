"""Recordings of motion laboratories (.c3d), read with the extra ``ezc3d``."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from myodyne.data import DataError, ForcePlate, Markers, Recording, Trajectory
from myodyne.data.force_plates import CHANNELS, centre_of_pressure, plate_frame, plate_wrench
from myodyne.errors import FileError
from myodyne.files.series.table import LARGEST_BINARY, read_bytes
from myodyne.types import Floats

_METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "meters": 1.0, "millimeters": 1e-3}
# Units of moments as programs write them, without blanks, dots, stars and hyphens.
_NEWTON_METRES = {"nm": 1.0, "nmm": 1e-3, "ncm": 1e-2}
_BLOCK = 512
_MAGIC = 0x50
_BYTE_ORDERS = {84: "<", 85: "<", 86: ">"}
# The count of frames in the header has 16 bits; files that are longer keep their count elsewhere.
_MOST_FRAMES = 65535
_PARSER = Path(__file__).with_name("c3d_parser.py")
# Seconds; a file of the largest size takes less.
_LONGEST = 600.0
_MOST_PARAMETERS = 20_000
_MOST_DIMENSIONS = 7


class _Parsed(NamedTuple):
    """What the parser found: points (4, points, frames), residuals, channels (1, channels, samples), parameters."""

    points: Floats
    residuals: Floats
    analogs: Floats
    first_frame: int
    parameters: Mapping[str, Any]


class _Source(NamedTuple):
    """A file while it is read: its parameters by group and name, its unit in metres, and the decisions made."""

    path: Path
    parameters: Mapping[str, Any]
    metres: float
    notes: list[str]

    def values(self, group: str, name: str) -> list[Any]:
        """Return the values of a parameter; an empty list if there is none."""
        held: list[Any] = self.parameters.get(group, {}).get(name, [])
        return held


def load_c3d(
    path: str | os.PathLike[str], *, plates: bool = True, least_force: float = 10.0, unit: str | None = None
) -> Recording:
    """Read markers, analog channels and force plates from a ``.c3d`` file; needs ``pip install myodyne[c3d]``.

    Times begin at zero with the first frame of the file. Axes stay those of the laboratory: see `Recording.rotated`.
    Forces are taken as they are stored, which is by the usual convention the force of the plate on the person.

    Parameters
    ----------
    path
        The file.
    plates
        Whether force plates (types 1 to 4) are evaluated.
    least_force
        Below this force across a plate (N) the centre of pressure is not computed: the force is then given at the
        centre of the plate, with the whole moment about it.
    unit
        Unit of length, ``"mm"`` or ``"m"``, where the file does not say it.

    Examples
    --------
    >>> load_c3d("missing.c3d")
    Traceback (most recent call last):
    myodyne.errors.FileError: missing.c3d: cannot be read: No such file or directory
    """
    place = Path(path)
    if place.suffix.lower() != ".c3d":
        raise FileError(f"{path}: a recording ends in .c3d, not in '{place.suffix}'")
    _check_header(place, read_bytes(place, LARGEST_BINARY))
    parsed = _parsed(place)
    source = _Source(place, parsed.parameters, _length_unit(place, parsed.parameters, unit), [])
    try:
        markers = _markers(source, parsed)
        analog = _analog(source, parsed, len(markers) / _rate(source, "POINT"))
        found = _plates(source, analog, least_force) if plates else ()
        return Recording(markers, analog.trajectory if analog.names else None, found, tuple(source.notes))
    except DataError as error:
        raise FileError(f"{path}: {error}") from None


def _check_header(path: Path, content: bytes) -> None:
    """Refuse what is not a C3D file, or promises more than it holds, before it is parsed."""
    if len(content) < _BLOCK or content[1] != _MAGIC:
        raise FileError(f"{path}: is not a C3D file")
    start = (content[0] - 1) * _BLOCK
    if content[0] < 2 or len(content) < start + 4:
        raise FileError(f"{path}: is cut off before its parameters")
    order = _BYTE_ORDERS.get(content[start + 3])
    if order is None:
        raise FileError(f"{path}: is written for an unknown type of processor ({content[start + 3]})")
    _check_parameters(path, content, start, order)
    points, analogs, first, last = struct.unpack(f"{order}4H", content[2:10])
    (data_block,) = struct.unpack(f"{order}H", content[16:18])
    # Floating-point files have a negative scale: its sign is in the last byte, except in DEC order.
    sign = content[15] if content[start + 3] == 84 else content[13] if content[start + 3] == 85 else content[12]
    size = 4 if sign & 0x80 else 2
    frames = last - first + 1
    promised = max(data_block - 1, 0) * _BLOCK + frames * (4 * points + analogs) * size
    if data_block < 2 or (last < _MOST_FRAMES and (frames < 1 or promised > len(content))):
        raise FileError(f"{path}: promises {frames} frames in {promised} bytes and has {len(content)}; is it cut off?")


def _check_parameters(path: Path, content: bytes, start: int, order: str) -> None:
    """Walk over the parameters: each record must end before the next one begins, and within the file."""
    place = start + 4
    for _ in range(_MOST_PARAMETERS):
        length = abs(struct.unpack("b", content[place : place + 1])[0]) if place < len(content) else 0
        if length == 0:
            return
        group = struct.unpack("b", content[place + 1 : place + 2] or b"\0")[0]
        link = place + 2 + length
        end = link + 2
        if group > 0 and end + 2 <= len(content):
            size, dimensions = struct.unpack("bB", content[end : end + 2])
            lengths = content[end + 2 : end + 2 + dimensions]
            if size not in (-1, 1, 2, 4) or dimensions > _MOST_DIMENSIONS or len(lengths) < dimensions:
                raise FileError(f"{path}, byte {end}: a parameter of an unknown type; the file is damaged")
            end += 2 + dimensions + abs(size) * math.prod(lengths)
        # Last comes a description, after its length.
        end += 1 + (content[end] if end < len(content) else 0)
        if group == 0 or end > len(content):
            raise FileError(f"{path}, byte {place}: a parameter reaches beyond the file; it is damaged or cut off")
        (step,) = struct.unpack(f"{order}H", content[link : link + 2])
        if step == 0:
            return
        if link + step < end:
            raise FileError(f"{path}, byte {link}: a parameter overlaps the next one; the file is damaged")
        place = link + step
    raise FileError(f"{path}: has more than {_MOST_PARAMETERS} parameters; it is damaged")


def _parsed(path: Path) -> _Parsed:
    """Have ezc3d parse the file, in a process that may break down."""
    if find_spec("ezc3d") is None:
        raise FileError(f"{path}: to read .c3d files, install the extra: pip install myodyne[c3d]")
    with TemporaryDirectory() as folder:
        target = Path(folder, "parsed.npz")
        command = [sys.executable, "-P", str(_PARSER), str(path.absolute()), str(target)]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=_LONGEST)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FileError(f"{path}: the program that reads C3D could not finish: {error!s:.200}") from None
        if done.returncode or not target.is_file():
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else f"its reader crashed with code {done.returncode}"
            raise FileError(f"{path}: is damaged or cut off and cannot be read as C3D: {reason:.200}")
        with np.load(target, allow_pickle=False) as arrays:
            described = json.loads(str(arrays["described"]))
            points, residuals, analogs = (arrays[name] for name in ("points", "residuals", "analogs"))
        return _Parsed(points, residuals, analogs, described["first_frame"], described["parameters"])


def _length_unit(path: Path, parameters: Mapping[str, Any], unit: str | None) -> float:
    said = parameters.get("POINT", {}).get("UNITS", [])
    name = str(said[0]).strip() if len(said) else ""
    if name and unit is not None and name.lower() != unit.lower():
        raise FileError(f"{path}: says that lengths are in {name!r:.20}, not in {unit!r:.20}")
    chosen = name or unit
    if not chosen:
        raise FileError(f"{path}: does not say its unit of length (POINT:UNITS); give unit='mm' or unit='m'")
    if chosen.lower() not in _METRES:
        raise FileError(f"{path}: the unit of length (POINT:UNITS) is {chosen!r:.20}, and mm, cm and m are known")
    return _METRES[chosen.lower()]


def _rate(source: _Source, group: str) -> float:
    rate = float(next(iter(source.values(group, "RATE")), 0.0))
    if not (rate > 0.0 and np.isfinite(rate)):
        raise FileError(f"{source.path}: the rate of the frames ({group}:RATE) is {rate:g} Hz")
    return rate


def _markers(source: _Source, parsed: _Parsed) -> Markers:
    points = parsed.points
    if points.ndim != 3 or points.shape[0] < 3 or not points.shape[2]:
        raise FileError(f"{source.path}: holds no frames")
    names = _labels(source, "POINT", points.shape[1], "marker")
    places = np.moveaxis(points[:3], 0, 2).transpose(1, 0, 2) * source.metres
    # A negative residual marks a point that was not seen.
    if parsed.residuals.shape == (1, *points.shape[1:]):
        places[parsed.residuals[0].T < 0.0] = np.nan
    rate = _rate(source, "POINT")
    time = np.arange(points.shape[2]) / rate
    said = {"DataRate": f"{rate:g}", "CameraRate": f"{rate:g}", "FirstFrame": str(parsed.first_frame + 1)}
    return Markers(time, names, places, said)


class _Analog(NamedTuple):
    """The analog channels: names, units, times and values (rows, channels)."""

    names: list[str]
    units: list[str]
    time: Floats
    values: Floats

    @property
    def trajectory(self) -> Trajectory:
        return Trajectory.from_rows(self.time, self.names, self.values, dict(zip(self.names, self.units, strict=True)))


def _analog(source: _Source, parsed: _Parsed, duration: float) -> _Analog:
    values = parsed.analogs
    if values.ndim != 3 or not values.size:
        return _Analog([], [], np.empty(0), np.empty((0, 0)))
    table = values[0].T
    names = _labels(source, "ANALOG", table.shape[1], "channel")
    said = [str(unit).strip() for unit in source.values("ANALOG", "UNITS")]
    units = [_printable(said[place]) if place < len(said) else "" for place in range(len(names))]
    # Every frame has the same number of samples: their rate follows, to the last bit.
    rate = len(table) / duration
    return _Analog(names, units, np.arange(len(table)) / rate, table)


def _printable(unit: str) -> str:
    return "".join(letter for letter in unit if letter.isprintable() and letter not in "[]").strip()


def _labels(source: _Source, group: str, count: int, kind: str) -> list[str]:
    """Return a name for each marker or channel: its label; where it has none, or one that is taken, a new one."""
    said: list[str] = []
    # Lists of more than 255 names are continued in LABELS2, LABELS3 ...
    for number in range(1, 100):
        more = source.values(group, "LABELS" if number == 1 else f"LABELS{number}")
        if not len(more):
            break
        said.extend(str(label) for label in more)
    names: dict[str, None] = {}
    taken: dict[str, int] = {}
    for place in range(count):
        label = "".join(letter for letter in said[place] if letter.isprintable()).strip() if place < len(said) else ""
        name = label or f"{kind}_{place + 1}"
        while name in names or name == "time":
            taken[label] = taken.get(label, 1) + 1
            name = f"{label or kind}_{taken[label]}"
        if name != label:
            source.notes.append(f"{kind} {place + 1}, labelled '{label}', is called '{name}' here")
        names[name] = None
    return list(names)


def _plates(source: _Source, analog: _Analog, least: float) -> tuple[ForcePlate, ...]:
    used = source.values("FORCE_PLATFORM", "USED")
    count = int(used[0]) if len(used) else 0
    return tuple(_plate(source, analog, place, least) for place in range(count))


def _plate(source: _Source, analog: _Analog, place: int, least: float) -> ForcePlate:
    fault = f"{source.path}: force plate {place + 1}"
    kinds = np.atleast_1d(source.values("FORCE_PLATFORM", "TYPE"))
    kind = int(kinds[place]) if place < len(kinds) else 0
    if kind not in CHANNELS:
        raise FileError(f"{fault} is of type {kind}; types 1 to 4 are read. load_c3d(..., plates=False) leaves it out")
    corners = _parameter(source, place, "CORNERS", (3, 4)).T * source.metres
    origin = _upright(source, place, kind, _parameter(source, place, "ORIGIN", (3,)) * source.metres)
    numbers = _parameter(source, place, "CHANNEL", (-1,)).astype(int)[: CHANNELS[kind]]
    if len(numbers) < CHANNELS[kind] or not ((numbers >= 1) & (numbers <= len(analog.names))).all():
        raise FileError(f"{fault} has the channels {numbers.tolist()}, and there are {len(analog.names)} in the file")
    columns = analog.values[:, numbers - 1]
    units = [analog.units[number - 1] for number in numbers]
    calibration = _parameter(source, place, "CAL_MATRIX", (6, 6)) if kind == 4 else None
    scale = _scales(source, place, kind, units)
    if calibration is not None:
        # Moments come out of the matrix: it is its rows that have units.
        calibration, scale = calibration * scale[:, None], np.ones(6)
    try:
        axes, centre = plate_frame(corners)
        force, moment = plate_wrench(kind, columns * scale, origin, calibration)
    except ValueError as error:
        raise FileError(f"{fault}: {error}") from None
    if not (np.isfinite(force).all() and np.isfinite(moment).all()):
        raise FileError(f"{fault}: its channels hold values that are not finite")
    point, torque = centre_of_pressure(force, moment, least)
    return ForcePlate(
        f"plate{place + 1}", kind, corners, analog.time, force @ axes.T, centre + point @ axes.T, torque @ axes.T
    )


def _parameter(source: _Source, place: int, name: str, shape: tuple[int, ...]) -> Floats:
    """Return what a parameter of all plates holds for one of them; -1 in a shape stands for any length."""
    values = np.asarray(source.values("FORCE_PLATFORM", name), dtype=np.float64)
    # A single plate may go without the last dimension.
    if values.ndim == len(shape):
        values = values[..., None]
    fits = (
        values.ndim == len(shape) + 1
        and place < values.shape[-1]
        and all(wanted in (-1, found) for wanted, found in zip(shape, values.shape, strict=False))
    )
    if not fits:
        raise FileError(f"{source.path}: force plate {place + 1}: FORCE_PLATFORM:{name} has the shape {values.shape}")
    one: Floats = values[..., place]
    if not np.isfinite(one).all():
        raise FileError(
            f"{source.path}: force plate {place + 1}: FORCE_PLATFORM:{name} holds values that are not finite"
        )
    return one


def _upright(source: _Source, place: int, kind: int, origin: Floats) -> Floats:
    """Return the origin with the sign that the format demands: the surface lies above the sensors, at negative z."""
    if kind == 1 or origin[2] <= 0.0:
        return origin
    source.notes.append(f"force plate {place + 1}: its origin lies above its surface; taken with the opposite sign")
    # Of kind 3 the first two are distances, which have none.
    return np.array([*origin[:2], -origin[2]]) if kind == 3 else -origin


def _scales(source: _Source, place: int, kind: int, units: Sequence[str]) -> Floats:
    """Return what the channels of a plate must be multiplied by to be in N, m and N m."""
    scale = np.ones(CHANNELS[kind])
    lengths: list[int] = [3, 4] if kind == 1 else []
    moments: list[int] = {1: [5], 3: []}.get(kind, [3, 4, 5])
    for channel in lengths:
        scale[channel] = _METRES.get(units[channel].lower(), source.metres)
    for channel in moments:
        plain = units[channel].lower().translate(str.maketrans("", "", " .*·-"))
        scale[channel] = _NEWTON_METRES.get(plain, source.metres)
        if plain not in _NEWTON_METRES and channel == moments[-1]:
            source.notes.append(
                f"force plate {place + 1}: the unit of its moments is {units[channel]!r:.20}; taken as N times the "
                "unit of length, as the format has it"
            )
    return scale
