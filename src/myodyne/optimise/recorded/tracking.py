"""Tracking: goals that compare a movement with recorded data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, PlainSerializer, PlainValidator, model_validator

from myodyne.data import Trajectory
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND, Model, Part
from myodyne.model.part import Direction, Name, NonNegative, Positive, Vector
from myodyne.numerics.rotations import rotation
from myodyne.optimise.expressions import End, Ends, Expression, Scope
from myodyne.optimise.goals import Goal
from myodyne.types import Floats

if TYPE_CHECKING:
    from casadi import SX


def _trajectory(value: object) -> Trajectory:
    if isinstance(value, Trajectory):
        return value
    if isinstance(value, Mapping) and {"time", "columns"} <= set(value):
        return Trajectory(value["time"], value["columns"], value.get("units"))
    raise ValueError(f"a Trajectory is expected (from my.load), not {value!r:.60}")


def _plain(value: Trajectory) -> dict[str, Any]:
    columns = {name: value.values(name).tolist() for name in value.names}
    return {"time": value.time.tolist(), "columns": columns, "units": value.units}


Recorded = Annotated[Trajectory, PlainValidator(_trajectory), PlainSerializer(_plain)]


class Accelerometer(Part):
    """What a sensor on a body reads along its ``direction``: acceleration less gravity (m/s²), in the body's axes.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Accelerometer(body="shank", at=(0.0, -0.2, 0.0), direction="y").direction
    (0.0, 1.0, 0.0)
    """

    kind: Literal["accelerometer"] = "accelerometer"
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    direction: Direction

    def expression(self, scope: Scope) -> SX:
        """Return the reading as an expression."""
        import casadi as ca

        a = scope.assembly
        _check_body(self.body, a.model)
        velocity = a.kinematics.point_velocity(self.body, self.at)
        acceleration = ca.jtimes(velocity, a.q, a.v) + ca.jtimes(velocity, a.v, a.vdot)
        turned = a.kinematics.body_pose(self.body).rotation.T @ (acceleration - a.gravity)
        return ca.dot(ca.DM(self.direction), turned)


class Gyroscope(Part):
    """What a sensor on a body reads along its ``direction``: angular velocity (rad/s), in the body's axes.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Gyroscope(body="shank", direction="z").kind
    'gyroscope'
    """

    kind: Literal["gyroscope"] = "gyroscope"
    body: Name
    direction: Direction

    def expression(self, scope: Scope) -> SX:
        """Return the reading as an expression."""
        import casadi as ca

        kinematics = scope.assembly.kinematics
        _check_body(self.body, scope.assembly.model)
        turned = kinematics.body_pose(self.body).rotation.T @ kinematics.angular_velocity(self.body)
        return ca.dot(ca.DM(self.direction), turned)


def inertial_sensors(model: Model) -> dict[str, Accelerometer | Gyroscope]:
    """Return what the inertial sensors of a model read, along the axes of each: ready for `Track`.

    Columns are ``<sensor>.acceleration_x`` to ``_z`` (acceleration less gravity, m/s²) and
    ``<sensor>.angular_velocity_x`` to ``_z`` (rad/s).

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(sensors={"imu": my.Placement(body="rod", at=(0.0, -0.3, 0.0))})
    >>> my.inertial_sensors(rod)["imu.angular_velocity_z"].direction
    (0.0, 0.0, 1.0)
    """
    found: dict[str, Accelerometer | Gyroscope] = {}
    for name, place in model.sensors.items():
        # Adding zero leaves no -0.0, which would be printed.
        axes = dict(zip("xyz", (rotation(place.orientation).T + 0.0).tolist(), strict=True))
        for letter, along in axes.items():
            reading = Accelerometer(body=place.body, at=place.at, direction=tuple(along))
            found[f"{name}.acceleration_{letter}"] = reading
        for letter, along in axes.items():
            found[f"{name}.angular_velocity_{letter}"] = Gyroscope(body=place.body, direction=tuple(along))
    return found


def _check_body(body: str, model: Model) -> None:
    if body != GROUND and body not in model.bodies:
        raise ModelError(unknown_name("body of a sensor", body, tuple(model.bodies)))


def _named(scope: Scope | End, target: str | tuple[str, ...]) -> SX:
    """Return a quantity by its name, or the sum of several."""
    first, *others = (target,) if isinstance(target, str) else target
    return sum((scope[part] for part in others), scope[first])


# The deviation of what was not recorded: its error counts nothing.
_UNKNOWN = 1e100

Sensor = Annotated[Accelerometer | Gyroscope, Field(discriminator="kind")]


class Track(Goal):
    """The mean of ``((model - data) / deviation)²`` over all columns and over time.

    Columns are coordinates, speeds, markers (``heel.position_x``), contact forces, excitations, any output, or
    readings of sensors. With ``summed`` it is the integral over time of the sum over all columns.

    Parameters
    ----------
    data
        Columns over time (s, counted like the problem's). Rows that are not a number are gaps, as of a marker that was
        hidden or a sensor that came later: there the column costs nothing.
    of
        What a column is in the model, where its name differs: another name, several whose sum it is, or a
        sensor.
    deviations
        Standard deviations in the units of the columns: one for all, one for each, or columns over time.
    stretched
        Whether the whole record covers the whole movement, whatever its duration.
    summed
        Whether it is the integral of the sum instead of the mean.
    start_share
        How much the very start counts beside all of the movement. Radau's points leave it out: what is followed there
        may be anywhere, above all the forces of stiff contacts.

    Examples
    --------
    >>> import myodyne as my
    >>> data = my.Trajectory([0.0, 1.0], {"knee": [0.0, 0.5]}, {"knee": "rad"})
    >>> my.Track(data=data, deviations=0.05).channels()
    ('knee', 'knee deviation')
    """

    numeric: ClassVar[frozenset[str]] = frozenset({"weight", "label", "data", "deviations", "stretched", "start_share"})

    kind: Literal["track"] = "track"
    data: Recorded
    of: dict[Name, Name | Annotated[tuple[Name, ...], Field(min_length=1)] | Sensor] = Field(default_factory=dict)
    deviations: Positive | dict[Name, Positive] | Recorded = 1.0
    stretched: bool = Field(default=False, strict=True)
    summed: bool = Field(default=False, strict=True)
    start_share: NonNegative = 0.0

    def __init__(self, data: Trajectory | None = None, **values: object) -> None:
        Part.__init__(self, data=data, **values)

    @model_validator(mode="after")
    def _agrees(self) -> Track:
        if not self.data.names:
            raise ValueError("data: there are no columns to track")
        names = {"of": list(self.of)}
        if isinstance(self.deviations, dict | Trajectory):
            names["deviations"] = list(self.deviations if isinstance(self.deviations, dict) else self.deviations.names)
            self._check_deviations()
            missing = [name for name in self.data.names if name not in names["deviations"]]
            if missing:
                raise ValueError(f"deviations: column '{missing[0]}' is missing")
        for field, given in names.items():
            unknown = [name for name in given if name not in self.data.names]
            if unknown and field == "of":
                raise ValueError(f"{field}: the data have no column '{unknown[0]}'")
        return self

    def _check_deviations(self) -> None:
        if isinstance(self.deviations, Trajectory):
            for name in self.deviations.names:
                if name in self.data and not (self.deviations.values(name) > 0).all():
                    raise ValueError(f"deviations: those of '{name}' must be positive numbers at all times")

    @property
    def fingerprint(self) -> str:
        return f"{super().fingerprint}{self.data.names}"

    def split(self, model: Model) -> dict[str, Goal]:
        weight = self.weight if self.summed else self.weight / len(self.data.names)
        return {name: self._alone(name).model_copy(update={"weight": weight}) for name in self.data.names}

    def _alone(self, name: str) -> Track:
        """Return the goal with a single column."""
        given = self.deviations
        if isinstance(given, dict):
            given = {name: given[name]}
        of = {name: self.of[name]} if name in self.of else {}
        return self.model_copy(update={"data": self.data.select([name]), "of": of, "deviations": given})

    def channels(self) -> tuple[str, ...]:
        return (*self.data.names, *(f"{name} deviation" for name in self.data.names))

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        errors = []
        for name in self.data.names:
            target = self.of.get(name, name)
            value = _named(scope, target) if isinstance(target, str | tuple) else target.expression(scope)
            errors.append((value - scope.recorded(name)) / scope.recorded(f"{name} deviation"))
        total = ca.sumsqr(ca.vertcat(*errors))
        return total * scope.duration if self.summed else total / len(errors)

    def at_ends(self, ends: Ends) -> Expression | None:
        import casadi as ca

        if not self.start_share:
            return None
        numbers = self.recorded(np.array([ends.begin]), np.zeros(1))[0]
        errors = []
        for place, name in enumerate(self.data.names):
            target = self.of.get(name, name)
            if not isinstance(target, str | tuple):
                raise ModelError(f"{self.name}: sensors cannot be followed at the very start; set start_share=0")
            deviation = numbers[len(self.data.names) + place]
            errors.append((_named(ends.start, target) - numbers[place]) / deviation)
        total = ca.sumsqr(ca.vertcat(*errors))
        mean: Expression = total * ends.duration if self.summed else total / len(errors)
        return self.start_share * mean

    def recorded(self, times: Floats, fractions: Floats) -> Floats:
        at = self.data.time[0] + fractions * (self.data.time[-1] - self.data.time[0]) if self.stretched else times
        values = self._at(self.data, at)
        if isinstance(self.deviations, Trajectory):
            deviations = self._at(self.deviations.select(list(self.data.names)), at)
        else:
            given = self.deviations
            row = [given[name] if isinstance(given, dict) else given for name in self.data.names]
            deviations = np.tile(row, (len(times), 1))
        known = np.isfinite(values)
        if not known.any(axis=0).all():
            name = self.data.names[int(np.argmin(known.any(axis=0)))]
            raise ModelError(f"{self.name}: column '{name}' has no data in the time of the movement; leave it out")
        return np.hstack([np.where(known, values, 0.0), np.where(known, deviations, _UNKNOWN)])

    def _at(self, data: Trajectory, times: Floats) -> Floats:
        first, last = data.time[0], data.time[-1]
        slack = 1e-9 * max(abs(first), abs(last), last - first)
        if times.min() < first - slack or times.max() > last + slack:
            raise ModelError(
                f"{self.name}: the data reach from {first:g} to {last:g} s, the movement from {times.min():g} to "
                f"{times.max():g} s; change the problem's start or duration, or set stretched=True"
            )
        columns = [_through(data.time, data.values(name), np.clip(times, first, last)) for name in data.names]
        return np.column_stack(columns)


def _through(time: Floats, column: Floats, at: Floats) -> Floats:
    """Return a column at other times, NaN within its gaps; each stretch between gaps is interpolated alone."""
    # A cubic through the rows: linear pieces would have corners, which no mesh resolves.
    from scipy.interpolate import CubicSpline

    found = np.full(len(at), np.nan)
    known = np.flatnonzero(np.isfinite(column))
    for part in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        if not part.size:
            continue
        times, values = time[part], column[part]
        inside = (at >= times[0]) & (at <= times[-1])
        if len(part) < 4:
            found[inside] = np.interp(at[inside], times, values)
        else:
            found[inside] = CubicSpline(times, values)(at[inside])
    return found
