"""What a report says about values that cannot be meant: beyond their ranges, below the floor, not finite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import Equations
from myodyne.model import ContactPoint
from myodyne.numerics.rotations import rotation
from myodyne.simulate.reporting.phases import Phase, Piece
from myodyne.types import Floats

# The part of a number that a few roundings may change.
_ROUNDING = 8 * np.finfo(float).eps
# Part of a range by which a coordinate may pass its ends: a stop that holds it gives way by as much.
_BESIDE = 0.01
# A point or sphere whose lowest point is deeper than this (m), and than its radius, was not put there on purpose.
_DEEP = 0.02
# A simulation that creates or loses more of the exchanged energy than this is wrong.
_MOST_ENERGY = 0.05


def start_notes(phase: Phase) -> list[str]:
    """Return which coordinates begin outside their range: degrees, perhaps, where radians are meant."""
    notes, facts = [], phase.facts
    low, high = facts.coordinate_ranges
    begin = np.asarray(phase.rows[0][: len(low)])
    for number in np.flatnonzero(~((low <= begin) & (begin <= high))):
        name = phase.equations.coordinates[number]
        hint = "; angles are in radians (my.degrees converts)" if name in facts.turning else ""
        limits = f"[{low[number]:g}, {high[number]:g}]"
        notes.append(f"'{name}' starts at {begin[number]:g}, outside its range {limits}{hint}")
    for name, place in facts.activations.items():
        value = phase.rows[0][place]
        if not -_ROUNDING <= value <= 1 + _ROUNDING:
            notes.append(f"'{name}' starts at {value:g}, outside its range [0, 1]")
    return notes


def control_notes(pieces: Sequence[Piece]) -> list[str]:
    """Return which controls left their range: nothing cuts them off."""
    notes: dict[str, str] = {}
    for columns, phase, _, given in pieces:
        times = columns.time
        low, high = phase.facts.control_ranges
        outside = (given < low) | (given > high)
        for number in np.flatnonzero(outside.any(axis=0)):
            name, values = phase.equations.model.controls[number], given[:, number]
            if name in notes:
                continue
            muscle = name in phase.equations.muscles
            harm = "excitations outside 0…1 are not physical; " if muscle else ""
            notes[name] = (
                f"{'the excitation of muscle' if muscle else 'control'} '{name}' takes values from "
                f"{np.min(values):g} to {np.max(values):g}, beyond its range [{low[number]:g}, {high[number]:g}] first "
                f"at {times[np.argmax(outside[:, number])]:.6g} s; it was not clipped: "
                f"{harm}keep the signal in the range"
            )
    return list(notes.values())


def range_notes(pieces: Sequence[Piece]) -> list[str]:
    """Return which coordinates left their range during the motion: how far, and since when."""
    notes: dict[str, str] = {}
    for columns, phase, *_ in pieces:
        turning, (names, places, lows, highs) = phase.facts.turning, phase.facts.ranged
        table, beside = columns.rows()[:, places], _BESIDE * (highs - lows)
        outside = (table < lows - beside) | (table > highs + beside)
        # Those that begin outside are noted as such.
        left = outside.any(axis=0) & (lows <= table[0]) & (table[0] <= highs)
        for number in np.flatnonzero(left):
            name, values, low, high = names[number], table[:, number], lows[number], highs[number]
            if name in notes:
                continue
            beyond = np.flatnonzero(outside[:, number])
            excess = np.maximum(low - values, values - high)
            worst = float(values[int(np.argmax(excess))])
            shown = f"{worst:.4g} rad ({np.degrees(worst):.0f}°)" if name in turning else f"{worst:.4g} m"
            limit, why = phase.facts.limits.get(name), "no joint limit holds it; add one, or change the range"
            if limit is not None:
                why = f"its limit '{limit}' gives way; make that stiffer, or change the range"
            notes[name] = (
                f"'{name}' leaves its range [{low:g}, {high:g}] first at {columns.time[beyond[0]]:.6g} s and reaches "
                f"{shown}: {why}"
            )
    return list(notes.values())


def contact_notes(phase: Phase) -> list[str]:
    """Return which contacts begin deep in the ground: they will throw the body into the air."""
    equations, notes, contacts = phase.equations, [], phase.facts.contacts
    if not contacts:
        return []
    turns, places = equations.body_poses(np.asarray(phase.rows[0])[: len(equations.coordinates)])
    for name, contact in contacts.items():
        number = equations.bodies.index(contact.body)
        centre: Floats = turns[number] @ np.array(contact.at) + places[number]
        radius = 0.0 if isinstance(contact, ContactPoint) else contact.radius
        inwards = rotation(contact.plane.orientation)[:, 0]
        depth = float(inwards @ (centre - np.array(contact.plane.at))) + radius
        if depth > max(_DEEP, radius):
            notes.append(f"contact '{name}' starts {depth:.3g} m deep in the ground: raise the body")
    return notes


def energy_notes(error: float) -> list[str]:
    """Return that the energy balance does not close, if it does not."""
    if error <= _MOST_ENERGY:
        return []
    return [
        f"the energy balance is off by {100 * error:.2g} % of the energy that was exchanged: do not trust the motion; "
        "take a smaller step or a tighter tolerance"
    ]


def refuse_nonsense(pieces: Sequence[tuple[Trajectory, Equations]]) -> str:
    """Return which output is not a finite number, and when; empty if all are."""
    for columns, equations in pieces:
        table = columns.rows()
        bad = ~np.isfinite(table)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            return (
                f"'{columns.names[column]}' of '{equations.model.name}' is not a finite number at "
                f"{columns.time[row]:.6g} s ({table[row, column]}), nor are {int(bad.any(axis=0).sum()) - 1} other "
                "outputs: check the start, the ranges and the numbers of the model. All that was computed is in "
                "error.result."
            )
    return ""
