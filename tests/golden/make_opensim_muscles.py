"""Writes ``opensim_muscle_curves.csv`` and ``opensim_metabolics.csv`` beside itself, with OpenSim's Python package.

Made with OpenSim 4.6 (``pip install opensim==4.6`` in an environment of its own; no test needs it):
``python tests/golden/make_opensim_muscles.py``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import opensim as osim

HERE = Path(__file__).parent
LENGTHS, SPEEDS = np.linspace(0.3, 1.9, 33), np.linspace(-1.5, 1.5, 31)
STRETCHES, TENDONS = np.linspace(0.9, 1.9, 21), np.linspace(0.98, 1.12, 29)


def with_muscle(muscle: Any, probes: Iterable[Any] = ()) -> tuple[Any, Any, Any]:
    """Return a model in which a muscle pulls a body along a line, its state, and the muscle in it."""
    model = osim.Model()
    body = osim.Body("block", 1.0, osim.Vec3(0), osim.Inertia(1))
    model.addBody(body)
    model.addJoint(osim.SliderJoint("rail", model.getGround(), body))
    muscle.addNewPathPoint("origin", model.updGround(), osim.Vec3(0))
    muscle.addNewPathPoint("insertion", body, osim.Vec3(0))
    model.addForce(muscle)
    for probe in probes:
        model.addProbe(probe)
        probe.addMuscle("m", 0.4, *((40.0, 133.0, 74.0, 111.0) if "Bhargava" in type(probe).__name__ else ()))
    state = model.initSystem()
    return model, state, type(muscle).safeDownCast(model.getMuscles().get(0))


def placed(model: Any, state: Any, length: float, tendon: float, active: float) -> None:
    """Set fibre length (optimal lengths), tendon length (slack lengths) and activation."""
    model.getCoordinateSet().get(0).setValue(state, 0.1 * length + 0.2 * tendon)
    model.setStateVariableValue(state, "/forceset/m/activation", active)
    model.setStateVariableValue(state, "/forceset/m/fiber_length", 0.1 * length)
    model.realizeVelocity(state)


def curve_rows() -> list[tuple[str, str, str, str, str]]:
    rows: list[tuple[str, str, str, str, str]] = []

    def add(family: str, curve: str, case: str, places: Iterable[float], function: Callable[[float], float]) -> None:
        rows.extend((family, curve, case, repr(float(at)), repr(float(function(float(at))))) for at in places)

    for case, curves in (
        (
            "",
            (
                osim.ActiveForceLengthCurve(),
                osim.ForceVelocityCurve(),
                osim.FiberForceLengthCurve(),
                osim.TendonForceLengthCurve(),
            ),
        ),
        (
            "other",
            (
                osim.ActiveForceLengthCurve(0.5, 0.8, 1.6, 0.5, 0.05),
                osim.ForceVelocityCurve(0.1, 0.3, 4.0, 0.05, 0.2, 1.6, 0.3, 0.5),
                osim.FiberForceLengthCurve(0.05, 0.6, 0.3, 4.5, 0.4),
                osim.TendonForceLengthCurve(0.04, 40.0, 0.5, 0.8),
            ),
        ),
    ):
        names, places = ("force_length", "force_velocity", "parallel", "tendon"), (LENGTHS, SPEEDS, STRETCHES, TENDONS)
        for name, at, curve in zip(names, places, curves, strict=True):
            add("millard", name, case, at, curve.calcValue)

    muscle = osim.DeGrooteFregly2016Muscle()
    muscle.setName("m")
    keep = with_muscle(muscle)
    add("degroote_fregly", "force_length", "", LENGTHS, keep[2].calcActiveForceLengthMultiplier)
    add("degroote_fregly", "force_velocity", "", SPEEDS, keep[2].calcForceVelocityMultiplier)
    add("degroote_fregly", "parallel", "", STRETCHES, keep[2].calcPassiveForceMultiplier)
    add("degroote_fregly", "tendon", "", TENDONS, keep[2].calcTendonForceMultiplier)

    for name, kind in (("thelen", osim.Thelen2003Muscle), ("millard", osim.Millard2012EquilibriumMuscle)):
        model, state, fibre = with_muscle(kind("m", 1000.0, 0.1, 0.2, 0.0))

        def told(
            question: Callable[[], float],
            length: float,
            tendon: float,
            active: float,
            model: Any = model,
            state: Any = state,
        ) -> float:
            placed(model, state, length, tendon, active)
            model.realizeDynamics(state)
            return question()

        def force(pull: Callable[[Any], float], state: Any = state) -> Callable[[], float]:
            return lambda: pull(state) / 1000.0

        def velocity(fibre: Any = fibre, state: Any = state) -> float:
            return float(fibre.getFiberVelocity(state) / 0.1)

        if name == "thelen":
            add(
                name,
                "force_length",
                "",
                LENGTHS,
                lambda at, f=fibre, s=state, t=told: t(lambda: f.getActiveForceLengthMultiplier(s), at, 1.02, 0.5),
            )
            add(
                name,
                "parallel",
                "",
                STRETCHES,
                lambda at, f=fibre, t=told, p=force: t(p(f.getPassiveFiberForce), at, 1.02, 0.5),
            )
            add(name, "tendon", "", TENDONS, lambda at, f=fibre, t=told, p=force: t(p(f.getTendonForce), 1.0, at, 0.5))
        for length in (0.8, 1.2):
            for active in (0.05, 0.4, 1.0):
                add(
                    name,
                    "velocity",
                    f"{length} {active}",
                    np.linspace(1.001, 1.06, 16),
                    lambda at, l=length, a=active, t=told, v=velocity: t(v, l, at, a),
                )

    dynamics = osim.MuscleFirstOrderActivationDynamicModel()
    dynamics.set_activation_time_constant(0.015)
    dynamics.set_deactivation_time_constant(0.05)
    for excitation in (0.05, 0.5, 1.0):
        add(
            "thelen",
            "activation",
            f"{excitation}",
            (0.05, 0.2, 0.5, 0.8, 1.0),
            lambda at, u=excitation: dynamics.calcDerivative(at, u),
        )
    return rows


def metabolic_rows() -> list[list[str]]:
    umberger = osim.Umberger2010MuscleMetabolicsProbe(True, True, False, True)
    umberger.set_use_Bhargava_recruitment_model(False)
    umberger.set_include_negative_mechanical_work(False)
    bhargava = osim.Bhargava2004MuscleMetabolicsProbe(True, True, True, False, True)
    bhargava.set_use_force_dependent_shortening_prop_constant(True)
    for name, probe in (("umberger", umberger), ("bhargava", bhargava)):
        probe.setName(name)
    model, state, fibre = with_muscle(
        osim.Millard2012EquilibriumMuscle("m", 1000.0, 0.1, 0.2, 0.0), (umberger, bhargava)
    )
    draw = np.random.default_rng(1)
    rows = []
    while len(rows) < 40:
        length, tendon, active, excitation = draw.uniform((0.5, 1.0, 0.02, 0.02), (1.5, 1.06, 1.0, 1.0))
        placed(model, state, length, tendon, active)
        model.setControls(state, osim.Vector(1, excitation))
        model.realizeDynamics(state)
        velocity = fibre.getFiberVelocity(state) / 0.1
        if abs(velocity) < 15.0:
            powers = [probe.computeProbeInputs(state)[0] for probe in (umberger, bhargava)]
            rest = fibre.getFiberForce(state) - fibre.getActiveFiberForce(state)
            rows.append([repr(float(number)) for number in (length, velocity, active, excitation, *powers, rest)])
    return rows


def main() -> None:
    for name, head, rows in (
        ("curves", ("family", "curve", "case", "at", "value"), curve_rows()),
        (
            "metabolics",
            ("length", "velocity", "active", "excitation", "umberger", "bhargava", "passive_force"),
            metabolic_rows(),
        ),
    ):
        file = "opensim_muscle_curves.csv" if name == "curves" else "opensim_metabolics.csv"
        with (HERE / file).open("w", encoding="utf-8", newline="") as stream:
            stream.write(
                f"# OpenSim {osim.GetVersionAndDate().split()[1].rstrip(',')}, written by make_opensim_muscles.py\n"
            )
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(rows)


if __name__ == "__main__":
    main()
