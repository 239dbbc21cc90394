"""Ground forces that no person makes, as notes for the report of a solve."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from myodyne.data import Trajectory
from myodyne.model import Model
from myodyne.optimise.goals.feet import GroundContact, feet_of
from myodyne.types import Floats

# Body weights by which a force goes up and down at every node before that is worth a note.
_SAWTOOTH = 0.2
# So many changes of direction in a row are no impact followed by a rebound.
_TEETH = 4
# People who run load a foot with two to three body weights (Novacheck 1998); sprinters reach about four.
_PEAK = 4.0
# Share of body weight below which a foot bears nothing, and share of the time that makes a flight.
_UNLOADED, _FLIGHT = 0.02, 0.05
# Two feet whose forces correlate like this push at the same time.
_TOGETHER = 0.9


def ground_force_notes(movement: Trajectory, model: Model, *, steady: bool) -> list[str]:
    """Return what is implausible about the ground forces of a movement, in words.

    ``steady`` says that the movement is a gait of constant average speed. Only then are force peaks and hops on both
    feet implausible; in a jump or a landing they are not.
    """
    weight = model.mass * float(np.linalg.norm(model.gravity))
    if not weight > 0 or not any(isinstance(part, GroundContact) for part in model.forces.values()):
        return []
    up = "xyz"[int(np.argmax(np.abs(model.gravity)))]
    loads = {
        foot: np.sum([movement.values(f"{contact}.force_{up}") for contact in contacts], axis=0) / weight
        for foot, contacts in feet_of(model, {}, "ground forces").items()
        if all(f"{contact}.force_{up}" in movement for contact in contacts)
    }
    notes = [_sawtooth_note(foot, sawtooth(load)) for foot, load in loads.items() if sawtooth(load) > _SAWTOOTH]
    if steady:
        notes += [_peak_note(foot, load) for foot, load in loads.items() if load.max() > _PEAK]
        notes += _hop_notes(list(loads.values()))
    return notes


def sawtooth(values: Floats) -> float:
    """Return by how much values go up and down from node to node: the amplitude of the largest run of teeth."""
    teeth = np.diff(values, 2) / 4.0
    turning = np.array([first * second < 0 for first, second in pairwise(teeth)], bool)
    height = np.minimum(np.abs(teeth[:-1]), np.abs(teeth[1:])) * turning
    runs = [height[start : start + _TEETH].min() for start in range(len(height) - _TEETH + 1)]
    return float(max(runs, default=0.0))


def _sawtooth_note(foot: str, size: float) -> str:
    return (
        f"the ground force on '{foot}' goes up and down by {size:.2g} body weights from node to node: the scheme does "
        "not see what happens between them; solve with my.Radau() or my.BackwardEuler()"
    )


def _peak_note(foot: str, load: Floats) -> str:
    return (
        f"the ground force on '{foot}' peaks at {load.max():.2g} body weights; people reach 1.0 to 1.5 in walking and "
        "2 to 3 in running: let impacts cost something, with my.ContactForceRate()"
    )


def _hop_notes(loads: list[Floats]) -> list[str]:
    if len(loads) != 2 or min(np.ptp(load) for load in loads) == 0:
        return []
    flight = float(np.mean(loads[0] + loads[1] < _UNLOADED))
    together = float(np.corrcoef(loads[0], loads[1])[0, 1])
    if flight < _FLIGHT or together < _TOGETHER:
        return []
    return ["the body hops: both feet push at the same time, then both leave the ground"]
