"""What all tools share: the model, the motion, the rows that count, and the files that are written."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

import numpy as np

from myodyne.analyse.coordinate_motion import coordinate_motion
from myodyne.data import DataError, ExternalForces, Result, Trajectory
from myodyne.errors import FileError, listed
from myodyne.files import load, load_external_forces, load_model
from myodyne.files.osim.document import LARGEST_FILE, Element, read_document
from myodyne.files.series.table import read_bytes
from myodyne.files.setups.section import Section
from myodyne.files.setups.storage import write_storage
from myodyne.model import Linear, Model
from myodyne.model.audit import Remark
from myodyne.model.units import angles
from myodyne.types import Floats

_DEGREES = 180.0 / math.pi
# Times (s) that differ by less are the same.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class SetupRun:
    """What a set-up gave: results by name (rad, m), the files written, and remarks on what the file asked for.

    ``model`` is the one that was used, or the scaled one. The columns of ``results`` have the names and units of the
    functions that computed them; those of ``files`` have OpenSim's.

    Examples
    --------
    >>> import myodyne as my
    >>> run = SetupRun("InverseDynamicsTool", "arm", my.load_model("pendulum"), notes=("no force is excluded",))
    >>> print(run)
    InverseDynamicsTool 'arm' of 'pendulum'
      no force is excluded
    """

    tool: str
    name: str
    model: Model
    results: Mapping[str, Result] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.tool} '{self.name}' of '{self.model.name}'"
        lines = [*(f"{name}: {result.report.status}" for name, result in self.results.items())]
        lines += [*(f"wrote {path}" for path in self.files), *self.notes]
        return "\n  ".join([head, *lines])


class Job:
    """A tool while it runs: where its files go, and what it has given so far."""

    def __init__(self, tool: Section, folder: Path | None, model: Path | None = None) -> None:
        self.tool = tool
        self._given_folder, self._given_model = folder, model
        self.results: dict[str, Result] = {}
        self.files: list[Path] = []

    @property
    def beside(self) -> Path:
        """The folder of files that stand beside the set-up: its own, unless another was asked for."""
        return self._given_folder or self.tool.path.parent

    def folder(self) -> Path:
        """Return the folder for results that the set-up names."""
        named = self.tool.text("results_directory", ".")
        if self._given_folder is not None:
            return self._given_folder
        if PureWindowsPath(named).drive and os.name != "nt":
            last = PureWindowsPath(named).name or "results"
            self.tool.remark(f"<results_directory> '{named}' is of another machine: '{last}' beside the set-up is used")
            named = last
        return self.tool.path.parent / named.replace("\\", "/")

    def model(self, holder: Section | None = None) -> tuple[Model, Path]:
        """Return the model that the set-up names, with a remark on each force that was not read."""
        section = holder or self.tool
        named = section.text("model_file")
        path = self._given_model
        if path is None:
            try:
                path = section.file("model_file", needed="the model")
            except FileError as error:
                if named:
                    raise
                raise FileError(
                    f"{error}. OpenSim's window takes the open model: give it with model= (--model)"
                ) from None
        elif named and Path(named.replace("\\", "/")).name != path.name:
            self.tool.remark(f"<model_file> is '{named}'; '{path}' was given and is used")
        assert path is not None
        model = load_model(path)
        skipped = [] if model.audit is None else [r for r in model.audit.about("skipped") if r.name and not _is_idle(r)]
        if skipped:
            self.tool.remark(f"of the model, not read: {listed([f'{r.element} {r.name}' for r in skipped], 6)}")
        return model, path

    def loads(self) -> ExternalForces | None:
        """Return the external loads."""
        path = self.tool.file("external_loads_file")
        return None if path is None else load_external_forces(path)

    def write(
        self, path: Path, title: str, table: tuple[Floats, Mapping[str, Floats]], *, degrees: bool = False
    ) -> None:
        """Write columns over time as OpenSim does, which adds the ending to names without one."""
        path = path if path.suffix.lower() in (".sto", ".mot") else path.with_name(f"{path.name}.sto")
        write_storage(path, title, *table, degrees=degrees)
        self.files.append(path)

    def done(self, model: Model) -> SetupRun:
        """Return what was done."""
        notes = [*self.tool.remarks]
        for name, result in self.results.items():
            notes += [f"{name}: {note}" for note in result.report.notes]
        return SetupRun(self.tool.kind, self.tool.name, model, self.results, tuple(self.files), tuple(notes))


def _is_idle(remark: Remark) -> bool:
    """Return whether what was not read has no part in the motion."""
    return "drawing" in remark.message or remark.element in ("ObjectGroup", "PhysicalOffsetFrame")


def in_degrees(model: Model, name: str, values: Floats) -> Floats:
    """Return a coordinate (or its rates) as OpenSim writes it: angles in degrees."""
    plain = {
        axis.function.coordinate
        for joint in model.joints.values()
        for axis in joint.axes
        if axis.motion == "rotation" and isinstance(axis.function, Linear)
    }
    return values * _DEGREES if name in angles(model) and name in plain else values


def motion_of(job: Job, model: Model, path: Path) -> Trajectory:
    """Return the coordinates of a file by their plain names; what it lacks stays at its default, with a remark."""
    table = plain_names(load(path, model=model, angles=()), model)
    missing = [name for name in model.moving if name not in table]
    if len(missing) == len(model.moving) and missing:
        raise FileError(f"{path}: none of its columns is a coordinate of '{model.name}': {listed(table.names, 6)}")
    columns = {name: table.values(name) for name in table.names}
    units = table.units
    for name in missing:
        columns[name] = np.full(len(table), model.coordinates[name].default)
        units[name] = "rad" if name in angles(model) else "m"
    if missing:
        job.tool.remark(f"{path.name} lacks coordinates, which stay at their default: {listed(missing)}")
    return Trajectory(table.time, columns, units)


def plain_names(table: Trajectory, model: Model) -> Trajectory:
    """Return states with the names that they have here: ``/jointset/knee/angle/value`` is ``angle``."""
    columns: dict[str, Floats] = {}
    units: dict[str, str] = {}
    for name in table.names:
        parts = name.strip("/").split("/")
        new = name
        if len(parts) > 1:
            owner, field_ = parts[-2:]
            new = {"value": owner, "speed": f"{owner}.speed", "activation": f"{owner}.activation"}.get(field_, name)
            new = f"{owner}.fibre_length" if field_ == "fiber_length" else new
        elif name.endswith("_u") and name[:-2] in model.coordinates:
            new = f"{name[:-2]}.speed"
        elif name.partition(".")[0] in model.muscles and name.endswith(".fiber_length"):
            new = f"{name.partition('.')[0]}.fibre_length"
        if new in columns:
            raise DataError(f"two columns are '{new}'; one of them is '{name}'")
        columns[new], units[new] = table.values(name), table.units[name]
    return Trajectory(table.time, columns, units)


def window(times: Floats, first: float, last: float) -> tuple[float, float]:
    """Return the first and last time that count: the rows at or just before the ends of the range, as in OpenSim."""
    if last < times[0] or first > times[-1]:
        raise DataError(
            f"the time range {first:g} to {last:g} s lies outside of the motion ({times[0]:g} to {times[-1]:g} s)"
        )
    begin = max(0, int(np.searchsorted(times, first + _ROUNDING, side="right")) - 1)
    end = max(0, int(np.searchsorted(times, last + _ROUNDING, side="right")) - 1)
    return float(times[begin]), float(times[end])


def with_rates(model: Model, motion: Trajectory, cutoff: float | None) -> Trajectory:
    """Return all coordinates with speeds and accelerations: filtered, on splines through the whole motion."""
    whole = coordinate_motion(model, motion, cutoff)
    tables = {"": whole.q, ".speed": whole.v, ".acceleration": whole.vdot}
    return Trajectory(
        whole.time,
        {
            f"{name}{ending}": table[:, place]
            for ending, table in tables.items()
            for place, name in enumerate(whole.names)
        },
    )


def cutoff_of(tool: Section) -> float | None:
    """Return the cut-off frequency (Hz) of the low-pass filter on coordinates; None filters nothing."""
    cutoff = tool.number("lowpass_cutoff_frequency_for_coordinates", -1.0)
    return cutoff if cutoff > 0.0 else None


def elements_of(path: Path) -> Element | None:
    """Return the ``<Model>`` of an OpenSim file, for what a model does not keep; None for other files."""
    if path.suffix.lower() != ".osim":
        return None
    return read_document(read_bytes(path, LARGEST_FILE), str(path)).model


def coordinates_in_file(path: Path, model: Model) -> list[str]:
    """Return the coordinates of a model in the order of its file, which motions from OpenSim have."""
    root = elements_of(path)
    named = [] if root is None else [part.name for part in root.walk() if part.tag == "Coordinate"]
    return list(dict.fromkeys([*(name for name in named if name in model.coordinates), *model.coordinates]))


def force_groups(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the groups of forces that a model file defines, with their members."""
    model = elements_of(path)
    found = [] if model is None else [part for part in model.walk() if part.tag == "ObjectGroup"]
    return {part.name: part.names("members") for part in found}


def clamped_coordinates(path: Path, model: Model) -> tuple[str, ...]:
    """Return the coordinates that the file clamps to their ranges, which inverse kinematics keeps."""
    root = elements_of(path)
    found: Sequence[Element] = [] if root is None else [part for part in root.walk() if part.tag == "Coordinate"]
    return tuple(
        part.name
        for part in found
        if part.name in model.moving and model.coordinates[part.name].range and part.flag("clamped", default=False)
    )
