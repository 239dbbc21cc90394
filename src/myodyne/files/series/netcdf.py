"""NetCDF 3 files (.nc): binary, compact, and read by xarray, MATLAB, R and others.

Each column is a variable over ``time``. Report, provenance, model and recipe are JSON in attributes of the file, and
so is what else an optimum keeps.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from myodyne.data import Trajectory
from myodyne.errors import FileError
from myodyne.files.atomic import atomically
from myodyne.files.series.description import description_of, from_json, rebuilt, to_json
from myodyne.files.series.table import LARGEST_BINARY, check_numbers, read_bytes
from myodyne.types import Floats

if TYPE_CHECKING:
    import xarray

_OURS = "myodyne_"
_NAME = "myodyne_name"
_MAGIC = (b"CDF\x01", b"CDF\x02")
_HDF5 = b"\x89HDF"
# A part of what NetCDF 3 allows; type names are reserved in its text form.
_SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_.@+-]*")
_RESERVED = {
    "byte",
    "char",
    "short",
    "ushort",
    "int",
    "uint",
    "int64",
    "uint64",
    "float",
    "real",
    "double",
    "bool",
    "string",
    "time",
}


def write_netcdf(trajectory: Trajectory, path: Path) -> None:
    """Write a file in NetCDF 3 with 64-bit offsets."""
    import xarray

    attributes = {f"{_OURS}{key}": to_json(data) for key, data in description_of(trajectory, whole=True).items()}
    columns = {}
    for variable, (name, unit) in zip(_variables(trajectory.names), trajectory.units.items(), strict=True):
        notes = {**({"units": unit} if unit else {}), **({_NAME: name} if variable != name else {})}
        columns[variable] = xarray.Variable("time", trajectory.values(name), notes, encoding={"_FillValue": None})
    time = xarray.Variable("time", trajectory.time, {"units": "s"}, encoding={"_FillValue": None})
    dataset = xarray.Dataset(columns, {"time": time}, attributes)
    with atomically(path) as unfinished:
        dataset.to_netcdf(unfinished, engine="scipy", format="NETCDF3_64BIT")


def read_netcdf(path: Path, *, gaps: bool) -> Trajectory:
    """Read a file in NetCDF 3 whose variables are all columns over ``time``."""
    dataset = _opened(path)
    if "time" not in dataset.variables:
        raise FileError(f"{path}: has no variable 'time'")
    columns = {"time": _column(path, "time", dataset.variables["time"])}
    units: dict[str, str] = {}
    for variable, held in dataset.variables.items():
        if variable == "time":
            continue
        name = str(held.attrs.get(_NAME, variable))
        if name in columns:
            raise FileError(f"{path}: two variables are called '{name}'")
        columns[name] = _column(path, str(variable), held)
        units[name] = str(held.attrs.get("units", ""))
    if dataset.variables["time"].attrs.get("units", "s") not in ("s", "second", "seconds"):
        raise FileError(f"{path}: time must be in seconds, not in '{dataset.variables['time'].attrs['units']!s:.60}'")
    table = np.column_stack(list(columns.values()))
    check_numbers(lambda row: f"{path}, row {row}", table, list(columns), gaps=gaps)
    described = {
        str(key).removeprefix(_OURS): from_json(f"{path}, attribute {key}", str(text))
        for key, text in dataset.attrs.items()
        if str(key).startswith(_OURS)
    }
    return rebuilt(path, list(columns), table, units, described)


def _variables(names: tuple[str, ...]) -> list[str]:
    """Return a NetCDF name for each column: its own where NetCDF can hold it."""
    taken = set(names)
    variables: list[str] = []
    for name in names:
        variable = name
        if not _SAFE.fullmatch(name) or name in _RESERVED:
            number = len(variables)
            while (variable := f"column_{number}") in taken:
                number += 1
            taken.add(variable)
        variables.append(variable)
    return variables


def _opened(path: Path) -> xarray.Dataset:
    content = read_bytes(path, LARGEST_BINARY)
    if content.startswith(_HDF5):
        raise FileError(f"{path}: is NetCDF 4 (HDF5), and NetCDF 3 is read; convert it with 'nccopy -k classic'")
    if not content.startswith(_MAGIC):
        raise FileError(f"{path}: is not a NetCDF 3 file")
    import xarray

    try:
        dataset: Any = xarray.load_dataset(BytesIO(content), engine="scipy", decode_cf=False)
    # A damaged file may raise any error in the parser.
    except Exception as error:
        raise FileError(f"{path}: is damaged or cut off and cannot be read as NetCDF 3: {error!s:.200}") from error
    return dataset  # type: ignore[no-any-return]


def _column(path: Path, variable: str, held: xarray.Variable) -> Floats:
    if held.dims != ("time",):
        raise FileError(f"{path}: variable '{variable}' extends over {held.dims}, not over time alone")
    if held.dtype.kind not in "fiu":
        raise FileError(f"{path}: variable '{variable}' does not hold numbers")
    column: Floats = held.values.astype(np.float64)
    return column
