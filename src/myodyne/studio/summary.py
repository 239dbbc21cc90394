"""The few numbers that describe a movement at a glance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.data import Result
from myodyne.model import Model


@dataclass(frozen=True)
class Fact:
    """A number with its name, what people call it, and its unit."""

    name: str
    label: str
    value: float
    unit: str


def summary_of(run: Result, model: Model) -> tuple[Fact, ...]:
    """Return how long, high, far and fast the centre of mass went, peak force and power, energy, cost and drift.

    Examples
    --------
    >>> import myodyne as my
    >>> run = my.load_movement("jump").run()
    >>> [fact.name for fact in summary_of(run, my.load_model("jumper"))][:2]
    ['duration', 'height']
    """
    facts = [Fact("duration", "Simulated", run.duration, "s")]
    if "com.position_y" in run:
        height = run.values("com.position_y")
        facts.append(Fact("height", "Highest centre of mass", float(np.nanmax(height)), "m"))
        facts.append(Fact("rise", "Speed upwards at the end", float(run.values("com.velocity_y")[-1]), "m/s"))
    if "com.position_x" in run:
        way = run.values("com.position_x")
        distance = float(way[-1] - way[0])
        facts.append(Fact("distance", "Distance", distance, "m"))
        if run.duration > 0.0:
            facts.append(Fact("speed", "Mean speed", distance / run.duration, "m/s"))
    ground = [f"{name}.force_y" for name, force in model.forces.items() if "contact" in force.kind]
    ground = [column for column in ground if column in run]
    if ground:
        total = np.sum([run.values(column) for column in ground], axis=0)
        facts.append(Fact("ground_force", "Peak ground force", float(np.nanmax(total)), "N"))
    facts += _effort(run, model)
    if run.report.energy_error is not None:
        facts.append(Fact("energy_error", "Energy error", float(run.report.energy_error), ""))
    if "energy.kinetic" in run and "energy.potential" in run:
        energy = run.values("energy.kinetic") + run.values("energy.potential")
        facts.append(Fact("energy_change", "Mechanical energy gained", float(energy[-1] - energy[0]), "J"))
    # One number for each kind: a model may have many constraints.
    for ending, unit in (("drift", "position"), ("drift_speed", "speed")):
        found = [abs(value) for name, value in run.report.drift.items() if name.endswith(f".{ending}")]
        if found:
            facts.append(Fact(ending, f"Largest drift of constraints, {unit}", max(found), ""))
    return tuple(facts)


def _effort(run: Result, model: Model) -> list[Fact]:
    """Return what the movement takes: the peak of power, and the metabolic energy of all muscles."""
    facts = []
    if "energy.input_power" in run:
        facts.append(Fact("power", "Peak power put in", float(np.nanmax(run.values("energy.input_power"))), "W"))
    heats = [f"{muscle}.metabolic_power" for muscle in model.muscles]
    if heats and all(column in run for column in heats):
        total = np.sum([run.values(column) for column in heats], axis=0)
        facts.append(Fact("metabolic", "Metabolic energy of muscles", float(np.trapezoid(total, run.time)), "J"))
    return facts
