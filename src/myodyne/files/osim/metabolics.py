"""Metabolic probes of an OpenSim model, read as the settings of the metabolic power that every muscle has here."""

from __future__ import annotations

from collections.abc import Mapping

from myodyne.files.osim.document import Element, Reading
from myodyne.model.muscles.muscle import Muscle

_PROBES = ("Umberger2010MuscleMetabolicsProbe", "Bhargava2004MuscleMetabolicsProbe")
# That of the metabolic power here (kg/m³), which probes may replace; it counts like a smaller specific tension.
_DENSITY = 1059.7
# Switches of the probes, and what is computed here in any case.
_FIXED = {
    "activation_maintenance_rate_on": True,
    "activation_rate_on": True,
    "maintenance_rate_on": True,
    "shortening_rate_on": True,
    "mechanical_work_rate_on": True,
    "enforce_minimum_heat_rate_per_muscle": True,
    "basal_rate_on": False,
}


def read_metabolics(reading: Reading, model: Element, muscles: Mapping[str, Muscle]) -> dict[str, Muscle]:
    """Return the muscles with the share of slow fibres and the specific tension of the first probe that has them."""
    found = dict(muscles)
    for probe in (element for element in model.walk() if element.tag in _PROBES):
        named = [part for part in probe.walk() if part.tag.endswith("_MetabolicMuscleParameter")]
        for part in named:
            name = part.name.rsplit("/", 1)[-1]
            muscle = muscles.get(name)
            if muscle is None:
                reading.skip(part, "names no muscle of the model")
                continue
            changes = _settings(part, muscle)
            if found[name] is not muscle and changes != _held(found[name]):
                reading.approximate(part, "an earlier probe has other numbers for this muscle, which count")
                reading.read(part)
                continue
            found[name] = muscle.model_copy(update=changes)
            reading.read(part)
        reading.read(probe, whole=True)
        other = [tag for tag, usual in _FIXED.items() if probe.has(tag) and probe.flag(tag, usual) is not usual]
        kind = "metabolic_power" if probe.tag == _PROBES[0] else "metabolic_power_bhargava"
        note = f"read as settings of <muscle>.{kind}, which leaves out the basal rate"
        reading.approximate(probe, note + (f" and other settings of {', '.join(other)}" if other else ""))
    return found


def _held(muscle: Muscle) -> dict[str, float]:
    return {"slow_fibres": muscle.slow_fibres, "specific_tension": muscle.specific_tension}


def _settings(part: Element, muscle: Muscle) -> dict[str, float]:
    """Return the share of slow fibres, and the specific tension (Pa) that gives the mass of the probe."""
    slow = min(max(part.number("ratio_slow_twitch_fibers", 0.5), 0.0), 1.0)
    tension = part.number("specific_tension", 2.5e5) * (_DENSITY / part.number("density", _DENSITY))
    if part.flag("use_provided_muscle_mass", False):
        mass = part.number("provided_muscle_mass")
        tension = _DENSITY * muscle.max_force * muscle.optimal_fibre_length / mass
    return {"slow_fibres": slow, "specific_tension": tension if tension > 0.0 else muscle.specific_tension}
