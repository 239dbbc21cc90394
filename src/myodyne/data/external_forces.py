"""Measured forces on bodies: ground forces under feet, pulls on handles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.plain import DataError, Fields
from myodyne.data.recordings.smoothing import spline_through
from myodyne.data.trajectory import Trajectory
from myodyne.errors import unknown_name
from myodyne.numerics.filters import NaturalSpline
from myodyne.types import Floats

Columns = tuple[str, str, str]
D = TypeVar("D")

# OpenSim puts cubic splines through four rows or more, and straight lines through fewer.
_FEWEST_FOR_SPLINES = 4


class AppliedForce(NamedTuple):
    """An external force at some times: force (N), point (m) and torque (N m), each an array (times, 3).

    Without a point the force acts at the origin of its body: ``point`` then is None.
    """

    force: Floats
    point: Floats | None
    torque: Floats


@dataclass(frozen=True, eq=False)
class ExternalForce:
    """A recorded force on a body: three columns of force, of the point it acts at, and of a torque.

    Parameters
    ----------
    name, body
        Its own name, and the body it acts on.
    data
        The record that holds the columns.
    force, point, torque
        Names of the columns x, y, z of force (N), point (m) and torque (N m); None where there is none.
    force_frame, point_frame
        The body in whose axes force and torque, and in whose frame the point, are given.

    Examples
    --------
    >>> columns = {name: [0.0, 1.0] for name in ("fx", "fy", "fz")}
    >>> pull = ExternalForce("pull", "hand", Trajectory([0.0, 1.0], columns), force=("fx", "fy", "fz"))
    >>> pull.at([0.5]).force.tolist(), pull.at([0.5]).point
    ([[0.5, 0.5, 0.5]], None)
    """

    name: str
    body: str
    data: Trajectory
    force: Columns | None = None
    point: Columns | None = None
    torque: Columns | None = None
    force_frame: str = "ground"
    point_frame: str = "ground"

    def __post_init__(self) -> None:
        if self.force is None and self.torque is None:
            raise DataError(f"external force '{self.name}' has neither a force nor a torque")
        if self.force is None and self.point is not None:
            raise DataError(f"external force '{self.name}' has a point of application but no force")
        for name, columns in self._parts.items():
            if len(columns) != 3 or len(set(columns)) != 3:
                raise DataError(f"the {name} of external force '{self.name}' needs three columns, not {columns}")
            for column in columns:
                if column not in self.data:
                    raise DataError(f"external force '{self.name}': {unknown_name('column', column, self.data.names)}")
                values = self.data.values(column)
                missing = ~np.isfinite(values)
                if missing.any():
                    raise DataError(
                        f"external force '{self.name}': '{column}' is {values[missing][0]} at "
                        f"{self.data.time[missing][0]:g} s; points of small forces are often unknown: "
                        "fill them in, for example with the last known point"
                    )

    @property
    def _parts(self) -> dict[str, Columns]:
        parts = {"force": self.force, "point": self.point, "torque": self.torque}
        return {name: columns for name, columns in parts.items() if columns is not None}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExternalForce) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.body))

    def to_dict(self) -> dict[str, Any]:
        """Return the force as plain data that JSON can hold, with the columns that it uses."""
        columns = list(dict.fromkeys(column for part in self._parts.values() for column in part))
        return {
            "name": self.name,
            "body": self.body,
            "data": {
                "time": self.data.time.tolist(),
                "columns": {column: self.data.values(column).tolist() for column in columns},
                "units": {column: self.data.units[column] for column in columns},
            },
            **{name: list(part) for name, part in self._parts.items()},
            "force_frame": self.force_frame,
            "point_frame": self.point_frame,
        }

    @classmethod
    def from_dict(cls, data: object) -> ExternalForce:
        """Return the force that `to_dict` wrote; unknown fields and wrong types raise errors that name them."""
        read = Fields("external force", data, [item.name for item in fields(cls)])
        record = Fields("external force.data", read.table("data"), ("time", "columns", "units"))
        columns = record.table("columns")
        return cls(
            read.text("name"),
            read.text("body"),
            Trajectory(record.sequence("time"), columns, record.texts("units")),
            force=_column_names(read, "force"),
            point=_column_names(read, "point"),
            torque=_column_names(read, "torque"),
            force_frame=read.text("force_frame", "ground"),
            point_frame=read.text("point_frame", "ground"),
        )

    @property
    def start(self) -> float:
        """The first time of the record (s)."""
        return float(self.data.time[0])

    @property
    def end(self) -> float:
        """The last time of the record (s)."""
        return float(self.data.time[-1])

    def at(self, times: ArrayLike) -> AppliedForce:
        """Return force, point and torque at some times (s), on natural cubic splines as OpenSim takes them.

        A time may lie beyond the record by no more than the distance of its rows.
        """
        wanted = np.atleast_1d(np.asarray(times, dtype=np.float64))
        self._check_inside(wanted)
        columns = [column for part in self._parts.values() for column in part]
        rows = self._interpolate(wanted)
        found = dict(zip(columns, rows.T, strict=True))

        def part(names: Columns | None) -> Floats | None:
            return None if names is None else np.column_stack([found[name] for name in names])

        force, torque = part(self.force), part(self.torque)
        nothing = np.zeros((len(wanted), 3))
        return AppliedForce(
            nothing if force is None else force, part(self.point), nothing if torque is None else torque
        )

    def polynomials(self) -> tuple[Floats, dict[str, Floats]]:
        """Return the same splines as breaks (s) and polynomials between them: (pieces, powers, 3) of each part by name.

        Powers are those of the time since a break, the lowest first.
        """
        if len(self.data) == 1:
            breaks, table = np.array([0.0, 1.0]), self._table.T[None]
        else:
            breaks, table = self._spline.pieces(self._slack)
        return breaks, {name: table[:, :, 3 * number : 3 * number + 3] for number, name in enumerate(self._parts)}

    @property
    def _slack(self) -> float:
        """How far (s) beyond the record its splines are continued."""
        return self.data.duration / (len(self.data) - 1)

    @cached_property
    def _table(self) -> Floats:
        return np.array([self.data.values(column) for part in self._parts.values() for column in part])

    @cached_property
    def _spline(self) -> NaturalSpline:
        names = [column for part in self._parts.values() for column in part]
        degree = 3 if len(self.data) >= _FEWEST_FOR_SPLINES else 1
        return spline_through(self.data.time, self._table, names, degree)

    def _interpolate(self, times: Floats) -> Floats:
        if len(self.data) == 1:
            return np.repeat(self._table.T, len(times), axis=0)
        found: Floats = self._spline(times)
        return found

    def _check_inside(self, times: Floats) -> None:
        # A single row is a force that does not change.
        if len(self.data) == 1:
            return
        slack = self._slack
        outside = ~((times >= self.start - slack) & (times <= self.end + slack))
        if outside.any():
            raise DataError(
                f"external force '{self.name}' is known from {self.start:g} to {self.end:g} s, not at "
                f"{times[outside][0]:g} s"
            )


def _column_names(read: Fields, part: str) -> Columns | None:
    names = read.sequence(part)
    if not names:
        return None
    if len(names) != 3 or not all(isinstance(name, str) for name in names):
        raise DataError(f"{read.record}.{part}: the names of three columns are expected, not {names!r:.60}")
    return names[0], names[1], names[2]


def check_external(forces: object) -> None:
    """Refuse what is not external forces; None stands for none."""
    if forces is not None and not isinstance(forces, ExternalForces):
        raise DataError(f"external forces must be ExternalForces (from my.load_external_forces), not {forces!r:.60}")


class ExternalForces(Mapping[str, ExternalForce]):
    """Recorded forces on the bodies of a model, by name.

    Parameters
    ----------
    forces
        The forces; each name once.
    notes
        What was left out when they were read from a file.

    Examples
    --------
    >>> record = Trajectory([0.0, 1.0], {f"r_{axis}": [0.0, 10.0] for axis in ("x", "y", "z")})
    >>> step = ExternalForces([ExternalForce("right", "foot_r", record, force=("r_x", "r_y", "r_z"))])
    >>> step.bodies, step.at([1.0])["right"].force.tolist()
    (('foot_r',), [[10.0, 10.0, 10.0]])
    """

    def __init__(self, forces: Sequence[ExternalForce], notes: Sequence[str] = ()) -> None:
        named: dict[str, ExternalForce] = {}
        for force in forces:
            if force.name in named:
                raise DataError(f"two external forces are called '{force.name}'; rename one")
            named[force.name] = force
        self._forces = MappingProxyType(named)
        self._notes = tuple(notes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the forces, in order."""
        return tuple(self._forces)

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies they act on, in the order of the forces."""
        return tuple(force.body for force in self._forces.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out when they were read."""
        return self._notes

    def to_dict(self) -> dict[str, Any]:
        """Return the forces as plain data that JSON can hold."""
        return {"forces": [force.to_dict() for force in self._forces.values()], "notes": list(self._notes)}

    @classmethod
    def from_dict(cls, data: object) -> ExternalForces:
        """Return the forces that `to_dict` wrote."""
        read = Fields("external forces", data, ("forces", "notes"))
        notes = read.sequence("notes")
        if not all(isinstance(note, str) for note in notes):
            raise DataError("external forces.notes: a list of texts is expected")
        return cls([ExternalForce.from_dict(one) for one in read.sequence("forces")], notes)

    def at(self, times: ArrayLike) -> dict[str, AppliedForce]:
        """Return every force at some times (s), by name."""
        return {name: force.at(times) for name, force in self._forces.items()}

    def __getitem__(self, name: str) -> ExternalForce:
        if name not in self._forces:
            raise DataError(unknown_name("external force", name, self._forces))
        return self._forces[name]

    @overload
    def get(self, name: str, /) -> ExternalForce | None: ...

    @overload
    def get(self, name: str, /, default: ExternalForce | D) -> ExternalForce | D: ...

    # An unknown name raises no KeyError, which Mapping relies on: these two ask the table itself.
    def get(self, name: str, /, default: ExternalForce | D | None = None) -> ExternalForce | D | None:
        """Return a force, or the default where there is none of that name."""
        return self._forces.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._forces

    def __iter__(self) -> Iterator[str]:
        return iter(self._forces)

    def __len__(self) -> int:
        return len(self._forces)

    def __repr__(self) -> str:
        forces = ", ".join(f"{force.name} on {force.body}" for force in self._forces.values())
        return f"<ExternalForces: {forces or 'none'}>"
