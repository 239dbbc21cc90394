"""What muscles could pull along a motion, their tendons taken as rigid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.analyse.changed import changed, skeleton
from myodyne.analyse.coordinate_motion import CoordinateMotion
from myodyne.analyse.muscles.jumps_along import jump_notes
from myodyne.equations import equations_of
from myodyne.equations.muscles.kinds import DRIVE, RESPONSE, kinds_of
from myodyne.equations.requests import MuscleKernel
from myodyne.model import Model, NoActivation
from myodyne.model.part import Named
from myodyne.types import Floats

_LENGTH, _SPEED, _EXCITATION = (DRIVE.index(name) for name in ("length", "speed", "excitation"))
_TENSION = RESPONSE.index("tension")


@dataclass(frozen=True, eq=False)
class Capacity:
    """Forces (N) of fully active fibres and of passive ones along the tendon, and moment arms (m), row by row.

    ``active`` and ``passive`` are (rows, muscles), ``arms`` (rows, muscles, coordinates). ``notes``
    name paths that jump.
    """

    active: Floats
    passive: Floats
    arms: Floats
    notes: tuple[str, ...] = ()


def capacity_of(model: Model, moving: CoordinateMotion, passive: bool, curves: bool) -> Capacity:
    """Return the capacity of all muscles; without ``curves`` it is their maximal force, at any length and speed.

    A fibre whose path is shorter than its tendon, or that shortens faster than it can, does not push.
    """
    rows, count = len(moving.time), len(model.muscles)
    if not count:
        nothing = np.zeros((rows, 0))
        return Capacity(nothing, nothing, np.zeros((rows, 0, len(moving.names))))
    rigid = {
        name: part.model_copy(update={"tendon": "rigid", "activation": NoActivation()})
        for name, part in model.muscles.items()
    }
    bare = changed(skeleton(model, muscles=True), muscles=Named(rigid), free_values=())
    equations = equations_of(bare)
    q = np.ascontiguousarray(moving.q)
    lengths, arms = equations.muscle_lengths(q), equations.moment_arms(q)
    notes = tuple(jump_notes(equations, moving.time, q, (lengths, arms)))
    if not curves:
        strongest = np.array([part.max_force for part in model.muscles.values()])
        return Capacity(np.tile(strongest, (rows, 1)), np.zeros((rows, count)), arms, notes)
    speeds = -np.matmul(arms, moving.v[:, :, None])[:, :, 0]
    kind_of, kinds = kinds_of(bare)
    tensions = np.zeros((2, rows, count))
    for place, (name, part) in enumerate(bare.muscles.items()):
        kernel = equations.kernel(MuscleKernel(kind_of[name], "response"))
        numbers = np.array(kinds[kind_of[name]].numbers(part), dtype=float)
        drive = np.zeros((rows, len(DRIVE)))
        drive[:, _LENGTH], drive[:, _SPEED] = lengths[:, place], speeds[:, place]
        for excitation in (0, 1):
            drive[:, _EXCITATION] = excitation
            tensions[excitation, :, place] = kernel.first(drive, numbers)[:, _TENSION]
    short = lengths <= np.array([part.tendon_slack_length for part in bare.muscles.values()])
    active = np.where(short, 0.0, np.maximum(tensions[1] - tensions[0], 0.0))
    rest = np.where(short, 0.0, np.maximum(tensions[0], 0.0))
    return Capacity(active, rest if passive else np.zeros_like(rest), arms, notes)
