"""A landing on skis, estimated from noisy kinematics."""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from myodyne.data import Trajectory
from myodyne.library.generators import skier
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise.conditions import Bounds, Start, SteadyActivation
from myodyne.optimise.goals import Effort
from myodyne.optimise.problem import Problem
from myodyne.optimise.recorded.tracking import Track

# Noise of the record (m, rad).
_PLACE, _ANGLE = 0.03, 0.05
_CUTOFF = 6.0  # Hz, of the guess alone
_ROOM = {"pelvis_x": (-1.0, 30.0), "pelvis_y": (-15.0, 3.0), "pelvis_tilt": (-1.5, 1.0)}
_BEND = 0.3  # rad, which skis stay within
_FORCE = 1000.0  # N, more than which no muscle has in flight
_FIBRES = (0.5, 1.5)  # optimal lengths, between which fibres have active force


def ski_landing_estimation() -> Problem:
    """A landing on a slope with skis, from a second of noisy positions and angles at 180 Hz.

    There is no task, and nothing is known of snow forces: the movement should follow the record with little effort.
    What the record leaves open of the start is given: in flight skis are straight and still, muscles pull little, their
    fibres are where they work, and no activation comes for free.
    Solve it from coarse to fine: ``nodes=[20, 60, 181]``.
    """
    record = landing_record()
    deviations = {name: _PLACE if name in ("pelvis_x", "pelvis_y") else _ANGLE for name in record.names}
    model = skier()
    bends = [name for name in model.coordinates if name.endswith("_bend")]
    flight = (
        {name: 0.0 for bend in bends for name in (bend, f"{bend}.speed")}
        | {f"{name}.force": (-0.1 * _FORCE, _FORCE) for name in model.muscles}
        | {f"{name}.projected_length": _FIBRES for name in model.muscles}
    )
    return Problem(
        model,
        name="ski_landing_estimation",
        source="After van den Bogert et al. 2011, section 4.4. The record is a landing of the same model, found as "
        "the one with the least effort from a given flight, with white noise of 3 cm and 0.05 rad",
        duration=record.duration,
        goals=[Track(record, deviations=deviations), Effort(exponent=2, weight=5.0)],
        conditions=[Bounds(_ROOM | dict.fromkeys(bends, (-_BEND, _BEND))), Start(flight), SteadyActivation()],
        scheme=Midpoint(),
        nodes=181,
        guess=record.filtered(_CUTOFF),
    )


def landing_record() -> Trajectory:
    """Return the noisy record: the place of the hips (m), the tilt of the trunk and the angles of the joints (rad)."""
    return _columns(noise=True)


def true_landing() -> Trajectory:
    """Return the same without noise, which the estimate does not see."""
    return _columns(noise=False)


def _columns(*, noise: bool) -> Trajectory:
    text = (files("myodyne.optimise.builtin") / "ski_landing.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    names = lines[0].split(",")
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    count = (len(names) - 1) // 2
    chosen = range(1 + count, 1 + 2 * count) if noise else range(1, 1 + count)
    columns = {names[place].removesuffix(" recorded"): table[:, place] for place in chosen}
    units = {name: "m" if name in ("pelvis_x", "pelvis_y") else "rad" for name in columns}
    return Trajectory(table[:, 0], columns, units)
