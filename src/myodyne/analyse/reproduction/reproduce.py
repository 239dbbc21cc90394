"""reproduce: forces under which a model moves as it was recorded."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from myodyne.analyse.coordinate_motion import analysis_result
from myodyne.analyse.reproduction.compare import Comparison, compare
from myodyne.analyse.reproduction.matched import March, Matched
from myodyne.analyse.reproduction.recorded import Recorded, recorded
from myodyne.analyse.reproduction.schemes import OneStage, Steppable, checked, share_of, step_of
from myodyne.analyse.reproduction.shooting import Shooting
from myodyne.data import ExternalForces, Report, Result, Trajectory
from myodyne.equations import equations_of
from myodyne.errors import ModelError, SolveError, listed
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import Midpoint
from myodyne.progress import task
from myodyne.simulate import Signal


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A reproduced movement, and the forces that reproduce it.

    Parameters
    ----------
    model
        The skeleton with a motor on every driven coordinate: ``knee_motor``, and ``pelvis_ty_residual`` on bodies that
        float. It has no muscles and no forces beside.
    controls
        What each motor does (N m, N), constant over each step: signals by name, over the motion's time.
    start
        The first state by name.
    run
        The simulated coordinates and speeds at the ends of the steps, and the controls of the steps that begin there.
    moments
        The same forces as ``<coordinate>.moment``, as inverse dynamics names them, in the middle of the steps.
    comparison
        How far the run is from the motion.
    report
        How it went, and which residual forces acted.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> time = np.linspace(0.0, 1.0, 101)
    >>> swing = my.Trajectory(time, {"angle": 0.5 * np.sin(3.0 * time)}, {"angle": "rad"})
    >>> found = my.reproduce(my.load_model("pendulum"), swing)
    >>> type(found).__name__, found.report.status, round(found.start["angle.speed"], 2)
    ('Reproduction', 'completed', 1.5)
    """

    model: Model
    controls: Mapping[str, Signal]
    start: Mapping[str, float]
    run: Result
    moments: Trajectory
    comparison: Comparison
    report: Report


def reproduce(
    model: Model,
    motion: Trajectory,
    external_forces: ExternalForces | None = None,
    *,
    by: Matched | Shooting | None = None,
    scheme: Steppable | None = None,
    residuals: bool = True,
) -> Reproduction:
    """Return forces at the joints under which a scheme simulates a recorded movement, and that simulation.

    Inverse dynamics gives the forces of an instant; a step of a simulation needs their mean, which depends on the
    scheme. The forces found here are those means, so that errors do not build up. Muscles and other forces of the model
    are left out, locked and coupled coordinates stay locked and coupled.

    Parameters
    ----------
    model, motion
        The model, and its coordinates over time as in `inverse_dynamics`; filter it first, see `Trajectory.filtered`.
    external_forces
        Recorded forces on bodies, from `load_external_forces`: they act in the poses of the simulation.
    by
        How: `Matched` reads the scheme backwards, `Shooting` iterates; ``Matched("velocity")`` by default.
    scheme
        `Midpoint` (by default), `BackwardEuler` or `Euler`, with `Shooting` also `Heun` and `RK4`. Steps without a
        length are those between the motion's rows.
    residuals
        Whether forces and moments also act on bodies that float, like a pelvis, which nothing drives in reality. They
        make up for errors in motion, masses and recorded forces; without them such a body goes where the rest
        takes it.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> time = np.linspace(0.0, 1.0, 101)
    >>> swing = my.Trajectory(time, {"angle": 0.5 * np.sin(3.0 * time)}, {"angle": "rad"})
    >>> found = my.reproduce(my.load_model("pendulum"), swing)
    >>> list(found.controls), bool(found.comparison["angle"].largest < 1e-4)
    (['angle_motor'], True)
    """
    started = clock.perf_counter()
    by = Matched() if by is None else by
    if not isinstance(by, Matched | Shooting):
        raise ModelError(f"by must be my.Matched() or my.Shooting(), not {by!r:.60}")
    scheme = checked(Midpoint() if scheme is None else scheme, one_stage=isinstance(by, Matched))
    step = step_of(scheme) if isinstance(by, Matched) else None
    with task(f"Reproducing a movement of '{getattr(model, 'name', '')}'"):
        recording = recorded(model, motion, external_forces, step, residuals)
        if isinstance(by, Matched):
            assert isinstance(scheme, OneStage)
            march = by.march(recording, share_of(scheme))
        else:
            march = by.march(recording, scheme)
    if not (np.isfinite(march.q).all() and np.isfinite(march.forces).all()):
        raise SolveError("the movement could not be reproduced: its forces are not finite")
    return _packed(recording, march, by, scheme, started)


def _packed(
    recording: Recorded, march: March, by: Matched | Shooting, scheme: Steppable, started: float
) -> Reproduction:
    model, time = recording.driven_model(), recording.movement.time
    names = recording.equations.coordinates
    turning = angles(recording.model)
    driven = [number for number in range(len(names)) if number not in recording.undriven]
    units = {name: "rad" if name in turning else "m" for name in names}
    units |= {f"{name}.speed": f"{unit}/s" for name, unit in units.items()}
    held = np.vstack([march.forces, march.forces[-1:]])[:, driven]
    motors = recording.motors()
    controls = [f"{motor}.control" for motor in motors]
    table = Trajectory.from_rows(
        time,
        [*names, *(f"{name}.speed" for name in names), *controls],
        np.hstack([march.q, march.v, held]),
        units | dict.fromkeys(controls, ""),
    )
    wanted = Trajectory.from_rows(time, names, recording.movement.q, {name: units[name] for name in names})
    comparison = compare(table, wanted)
    report = Report(
        "completed",
        steps=len(time) - 1,
        evaluations=march.evaluations,
        iterations=march.iterations,
        wall_seconds=clock.perf_counter() - started,
        notes=(*_residual_notes(recording, march), _closeness(comparison), *_force_notes(recording)),
    )
    signals = {
        motor: _constant_steps(motor, time, march.forces[:, number])
        for motor, number in zip(motors, driven, strict=True)
    }
    moments = Trajectory.from_rows(
        (time[1:] + time[:-1]) / 2,
        [f"{name}.moment" for name in names],
        march.forces,
        {f"{name}.moment": "N m" if name in turning else "N" for name in names},
    )
    start = dict(zip(table.names, map(float, table.rows()[0]), strict=True))
    return Reproduction(
        model,
        MappingProxyType(signals),
        MappingProxyType({name: start[name] for name in (*names, *(f"{name}.speed" for name in names))}),
        analysis_result(equations_of(model), model, table, f"reproduced by {by!r} with {scheme!r}", report, gaps=True),
        moments,
        comparison,
        report,
    )


def _constant_steps(name: str, time: np.ndarray, values: np.ndarray) -> Signal:
    """Return a control that is constant between two times each."""
    return Signal(f"{name}, {len(values)} steps", PiecewisePolynomial(time, values[:, None, None]))


def _residual_notes(recording: Recorded, march: March) -> list[str]:
    if not recording.floating:
        return ["no residual forces: no body floats freely"]
    names = [recording.equations.coordinates[number] for number in recording.floating]
    if not recording.residuals:
        return [f"no residual forces: {listed(names, 6)} move freely"]
    turning = angles(recording.model)
    notes = []
    for kind, unit in ((True, "N m"), (False, "N")):
        sizes = {
            name: float(np.abs(march.forces[:, number]).max())
            for name, number in zip(names, recording.floating, strict=True)
            if (name in turning) is kind
        }
        if sizes:
            most = max(sizes, key=lambda name: sizes[name])
            notes.append(f"residuals act on {listed(sizes, 6)}: at most {sizes[most]:.3g} {unit}, on '{most}'")
    return notes


def _closeness(comparison: Comparison) -> str:
    parts = []
    for unit, most in comparison.largest.items():
        worst = max((c for c in comparison.columns if c.unit == unit), key=lambda column: column.largest)
        size = f"{np.degrees(most):.3g}°" if unit == "rad" else f"{most:.3g} {unit}"
        parts.append(f"{size} in '{worst.name}'")
    return f"largest distance from the motion: {', '.join(parts)}"


def _force_notes(recording: Recorded) -> list[str]:
    left = [*recording.model.muscles, *recording.model.forces]
    notes = [] if recording.external is None else [f"recorded forces: {listed(list(recording.external), 4)}"]
    return notes + ([f"left out: {listed(left, 3)}"] if left else [])
