"""gait_report: a walk or a run judged as gait analysis does, beside people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from myodyne.analyse.gait.cycle import GaitCurve, Stride, sampled, strides_of
from myodyne.analyse.gait.events import Stance, check_alternating, check_moving, check_touching, has_stride, stances
from myodyne.analyse.gait.legs import JOINTS, SIDES, Leg, Side
from myodyne.analyse.gait.measures import GaitCost, GaitMeasure, costs, kind_of, measures
from myodyne.analyse.gait.norms import curve_norm
from myodyne.analyse.gait.plausibility import flat_speed, implausible
from myodyne.analyse.gait.record import GaitRecord, record_of
from myodyne.analyse.gait.timing import MuscleTiming, timings
from myodyne.analyse.gait.verdict import exceptions
from myodyne.analyse.gait.whole import whole_record
from myodyne.data import DataError, ExternalForces, Result, Trajectory
from myodyne.errors import listed, unknown_name
from myodyne.model import Model
from myodyne.progress import task

Kind = Literal["walking", "running"]
_UNITS = {"angle": "°", "moment": "N m/kg", "power": "W/kg"}


@dataclass(frozen=True, eq=False)
class GaitReport:
    """What `gait_report` finds.

    Angles are positive in flexion (dorsiflexion at the ankle), moments in extension (plantarflexion), powers where the
    joint does work; ground forces act on the foot. All curves begin with the strike of their foot.

    Parameters
    ----------
    model, kind, speed
        The model's name, ``"walking"`` or ``"running"``, and the speed (m/s).
    stances
        Strikes, toe-offs and what landed first.
    measures
        Stride, cadence, stance, step width ..., each beside that of people where a source is at hand.
    curves
        Angles, moments, powers and ground forces of both sides, in percent of the cycle.
    costs
        Metabolic power and cost of transport by two models; empty without muscles.
    muscles
        When each muscle is on.
    findings
        What no person does: force peaks, stops, hops, sliding feet, muscles at their bounds.
    exceptions
        In which ways this differs from people; the verdict in parts.
    coordinates
        The coordinates of the model that were read as hip, knee and ankle.
    notes
        How the strides were found, and what else a reader should know.

    Examples
    --------
    >>> import myodyne as my
    >>> my.gait_report(my.simulate(my.load_model("gait2d"), 0.05))
    Traceback (most recent call last):
    ...
    myodyne.data.plain.DataError: both feet stay on the ground all the time: this is standing, not a gait
    """

    model: str
    kind: Kind
    speed: float
    stances: tuple[Stance, ...]
    measures: Mapping[str, GaitMeasure]
    curves: tuple[GaitCurve, ...]
    costs: tuple[GaitCost, ...]
    muscles: tuple[MuscleTiming, ...]
    findings: tuple[str, ...]
    exceptions: tuple[str, ...]
    coordinates: Mapping[Side, Mapping[str, str]]
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The judgement in one sentence."""
        verb = {"walking": "walks", "running": "runs"}[self.kind]
        if not self.exceptions:
            return f"{verb} like people, as far as norms are available"
        return f"{verb} like people except: {'; '.join(self.exceptions)}"

    def curve(self, name: str, side: Side = "right") -> GaitCurve:
        """Return a curve by name and side: ``report.curve("knee_angle")``."""
        for curve in self.curves:
            if (curve.name, curve.side) == (name, side):
                return curve
        known = [curve.name for curve in self.curves if curve.side == side]
        raise DataError(unknown_name(f"curve of the {side} side", name, known))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data that JSON can hold."""
        from myodyne.analyse.gait.plain import report_data

        return report_data(self)

    def __str__(self) -> str:
        from myodyne.analyse.gait.text import report_text

        return report_text(self)

    def _repr_html_(self) -> str:
        from myodyne.analyse.gait.text import report_html

        return report_html(self)


def gait_report(  # noqa: PLR0913 - a walk, and what recordings may need
    walk: Trajectory,
    model: Model | None = None,
    *,
    forces: ExternalForces | None = None,
    mirrored: bool | None = None,
    cycle: tuple[float, float] | None = None,
    resting: float = 1.2,
    least: float = 20.0,
    cutoff: float | None = None,
) -> GaitReport:
    """Return how a walk or run compares with people: events, measures, curves, muscles, energy, and a verdict.

    Hip, knee and ankle are found by name (``right_knee``, ``knee_angle_r``), or by their order in the leg; the sense of
    each from the axis it turns about, x forwards and y up.

    Parameters
    ----------
    walk
        A simulation, an optimum, or a recorded motion with ``forces``.
    model
        The model that moves; not needed for results, which hold theirs.
    forces
        Recorded ground forces, from `load_external_forces`; without them those of the model's contacts count.
    mirrored
        Whether the motion is half a cycle whose other half is its mirror image; None finds it out: the end is then the
        start with sides exchanged.
    cycle
        Start and end (s) of a stride in a recorded motion; None finds it from the strikes, or from the angles where no
        foot strikes twice.
    resting
        Metabolic rate of the whole body beside its muscles (W/kg); 1.2 by Umberger et al. (2003).
    least
        Vertical force (N) above which a foot is on the ground.
    cutoff
        Cut-off frequency (Hz) of the low-pass filter on a recorded motion; None filters nothing.

    Examples
    --------
    >>> import myodyne as my
    >>> my.gait_report(my.Trajectory([0.0, 1.0], {"right_hip": [0.0, 0.1]}))
    Traceback (most recent call last):
    ...
    myodyne.data.plain.DataError: a recorded motion does not contain its model: gait_report(motion, model, forces=...)
    """
    model = _model_of(walk, model)
    threshold = _positive("least", least) / (model.mass * float(np.linalg.norm(model.gravity)) or 1.0)
    with task(f"Gait of '{model.name}'"):
        walk, held = _completed(_named_as_coordinates(walk, model), model)
        record, legs, notes = record_of(model, walk, forces, cutoff)
        check_moving(record, threshold)
        struck = cycle is None and mirrored is not True and has_stride(record, threshold)
        whole = whole_record(record, mirrored, cycle, struck)
        check_touching(whole.record, threshold)
        steps = stances(whole.record, threshold)
        strides = strides_of(whole, steps)
        first = strides["right"] or strides["left"]
        check_alternating(steps, (first[0].start, first[0].end))
        speed, record, belt = _speed(whole.record, strides)
    return _report(
        model, legs, (record, strides, steps, threshold), speed, resting, (*held, *notes, *whole.notes, *belt)
    )


def _report(
    model: Model,
    legs: Mapping[Side, Leg],
    found: tuple[GaitRecord, dict[Side, list[Stride]], dict[Side, list[Stance]], float],
    speed: float,
    resting: float,
    notes: Sequence[str],
) -> GaitReport:
    record, strides, _, threshold = found
    kind: Kind = kind_of(record, strides, threshold)
    curves = tuple(curve for side in SIDES if strides[side] for curve in _curves(record, side, strides[side], kind))
    table = measures(record, strides, threshold, kind, speed)
    spent = costs(record, strides, speed, _positive("resting", resting, zero=True), walking=kind == "walking")
    muscles = tuple(
        one
        for side in SIDES
        if strides[side]
        for one in timings(record, side, strides[side], walking=kind == "walking")
    )
    findings = implausible(record, strides, kind, muscles)
    unusual = exceptions(kind, speed, table, curves, findings)
    return GaitReport(
        model.name,
        kind,
        speed,
        tuple(stride.stance for side in SIDES for stride in strides[side]),
        table,
        curves,
        spent,
        muscles,
        findings,
        unusual,
        {side: dict(leg.coordinates) for side, leg in legs.items()},
        tuple(notes),
    )


def _curves(record: GaitRecord, side: Side, strides: Sequence[Stride], kind: Kind) -> list[GaitCurve]:
    names = [f"{joint}_{quantity}" for quantity in _UNITS for joint in JOINTS]
    units = [unit for unit in _UNITS.values() for _ in JOINTS]
    axes = ["x", "y"] if not record.legs[side]["force_z"].any() else ["x", "y", "z"]
    names += [f"force_{axis}" for axis in axes]
    units += ["body weights"] * len(axes)
    return [
        GaitCurve(name, side, unit, sampled(record, record.legs[side][name], strides), curve_norm(name, kind))
        for name, unit in zip(names, units, strict=True)
    ]


def _speed(record: GaitRecord, strides: Mapping[Side, Sequence[Stride]]) -> tuple[float, GaitRecord, tuple[str, ...]]:
    """Return the speed over the ground (m/s), the record with sliding measured against that, and remarks.

    On a treadmill the body stays and the loaded feet go back.
    """
    stride = (strides["right"] or strides["left"])[0]
    travelled = np.diff([np.interp(edge, record.time, record.com[:, 0]) for edge in (stride.start, stride.end)])
    speed = float(travelled[0]) / stride.duration
    belt = float(np.mean([flat_speed(record, one) for side in SIDES for one in strides[side]]))
    if belt < -0.3 and abs(speed) < 0.3 * -belt:
        legs = {
            side: {**leg, "slip": np.where(leg["slip"] != 0.0, leg["slip"] - belt, 0.0)}
            for side, leg in record.legs.items()
        }
        note = (
            f"on a treadmill: the loaded feet go back at {-belt:.2f} m/s, which is added to the body's {speed:.2f} m/s"
        )
        return speed - belt, replace(record, legs=legs), (note,)
    if speed < 0.1:
        raise DataError(
            f"the body moves at {speed:.2g} m/s along x in a stride: a gait must go forwards along x, with y up. "
            f"Rotate the recording first"
        )
    return speed, record, ()


def _model_of(walk: Trajectory, model: Model | None) -> Model:
    if not isinstance(walk, Trajectory):
        raise DataError(f"a gait report needs a motion: a Result, a Solution or a Trajectory, not {walk!r:.60}")
    if model is not None:
        if not isinstance(model, Model):
            raise DataError(f"model must be a Model (from my.load_model), not {model!r:.60}")
        return model
    own = getattr(walk, "model", None)
    if isinstance(own, Model):
        return own
    data = walk.model_data if isinstance(walk, Result) else None
    if data is None:
        raise DataError("a recorded motion does not contain its model: gait_report(motion, model, forces=...)")
    return Model.model_validate(data)


def _named_as_coordinates(walk: Trajectory, model: Model) -> Trajectory:
    """Return a motion whose columns are called as OpenSim's states, ``/jointset/knee/angle/value``, by coordinate."""
    short = {name: name.removesuffix("/value").rpartition("/")[2] for name in walk.names if name.endswith("/value")}
    if not set(short.values()) & set(model.coordinates):
        return walk
    columns = {short.get(name, name): walk.values(name) for name in walk.names}
    units = {short.get(name, name): unit for name, unit in walk.units.items()}
    return Trajectory(walk.time, columns, units, walk.notes)


def _completed(walk: Trajectory, model: Model) -> tuple[Trajectory, tuple[str, ...]]:
    """Return a recorded motion with toes and hands that it lacks held at their defaults, and a remark on those.

    Coupled coordinates follow from the others: what was recorded of them is left out.
    """
    if isinstance(walk, Result):
        return walk, ()
    carrying = {joint.parent.body for joint in model.joints.values()}
    ends = [
        name
        for joint in model.joints.values()
        if joint.child.body not in carrying
        for name in joint.coordinates
        if not any(word in name.lower() for word in JOINTS)
    ]
    missing = [name for name in model.moving if name in ends and name not in walk]
    still = {name: np.full(len(walk), model.coordinates[name].default) for name in missing}
    coupled = {name for name, part in model.coordinates.items() if part.coupled is not None}
    columns = {name: walk.values(name) for name in walk.names if name not in coupled}
    units = {name: unit for name, unit in walk.units.items() if name in columns}
    filled = Trajectory(walk.time, {**columns, **still}, units, walk.notes)
    return filled, ((f"not in the motion, so held at their defaults: {listed(missing)}",) if missing else ())


def _positive(name: str, value: object, *, zero: bool = False) -> float:
    bad = isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value)
    if bad or float(value) < 0.0 or (not zero and float(value) == 0.0):  # type: ignore[arg-type]
        raise DataError(f"{name} must be a {'number, at least 0' if zero else 'positive number'}, not {value!r:.40}")
    return float(value)  # type: ignore[arg-type]
