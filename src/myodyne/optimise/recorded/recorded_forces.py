"""Recorded forces and control laws as fields of problems, written to and read from plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainSerializer, PlainValidator

from myodyne.data import ExternalForce, ExternalForces, Trajectory
from myodyne.simulate.control.feedback import Feedback

_TEXTS = ("name", "body", "force_frame", "point_frame")
_COLUMNS = ("force", "point", "torque")


def _forces(value: object) -> ExternalForces:
    if isinstance(value, ExternalForces):
        return value
    if not isinstance(value, Mapping) or not {"forces", "records"} <= set(value):
        raise ValueError(f"external forces must be ExternalForces (from my.load_external_forces), not {value!r:.60}")
    records = [Trajectory(record["time"], record["columns"], record["units"]) for record in value["records"]]
    forces = []
    for force in value["forces"]:
        fields: dict[str, Any] = {name: force[name] for name in _TEXTS}
        fields |= {name: force[name] and tuple(force[name]) for name in _COLUMNS}
        forces.append(ExternalForce(data=records[force["record"]], **fields))
    return ExternalForces(forces, value.get("notes", ()))


def _plain(value: ExternalForces) -> dict[str, Any]:
    # Forces often share a record, which is written once.
    records: list[Trajectory] = []
    forces = []
    for force in value.values():
        number = next((n for n, record in enumerate(records) if record is force.data), len(records))
        if number == len(records):
            records.append(force.data)
        forces.append({"record": number, **{name: getattr(force, name) for name in (*_TEXTS, *_COLUMNS)}})
    plain = [
        {
            "time": record.time.tolist(),
            "units": record.units,
            "columns": {name: record.values(name).tolist() for name in record.names},
        }
        for record in records
    ]
    return {"forces": forces, "records": plain, "notes": list(value.notes)}


RecordedForces = Annotated[ExternalForces, PlainValidator(_forces), PlainSerializer(_plain)]


def _law(value: object) -> Feedback:
    if isinstance(value, Feedback):
        return value
    if not isinstance(value, str):
        raise ValueError(f"feedback must be a my.Feedback, not {value!r:.60}; Python controllers cannot be optimised")
    return Feedback.from_text(value)


if TYPE_CHECKING:
    ControlLaw: TypeAlias = Feedback
else:
    # Pydantic would look up the names in the annotations of a dataclass, which are those of CasADi.
    ControlLaw = Annotated[Any, PlainValidator(_law), PlainSerializer(Feedback.to_text)]
