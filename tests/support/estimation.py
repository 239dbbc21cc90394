"""A walk that is known, noisy records of it, and two ways to tell the walk from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import myodyne as my
from myodyne.library.winter_gait import winter_gait
from myodyne.optimise.gait.feet import softer_contacts

Floats = NDArray[np.float64]

FIXTURES = Path(__file__).parents[1] / "fixtures"
SIDES = ("right", "left")
JOINTS = tuple(f"{side}_{joint}" for side in SIDES for joint in ("hip", "knee", "ankle"))
COORDINATES = ("pelvis_x", "pelvis_y", "pelvis_tilt", *JOINTS)
FEET = {
    f"{side}_ground_force_{axis}": (f"{side}_heel.force_{axis}", f"{side}_toe.force_{axis}")
    for side in SIDES
    for axis in "xy"
}
# Less than this (N) does not tell where a force acts.
LEAST = 20.0
CUTOFFS = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0)


def known_walk() -> my.Trajectory:
    """Return the walk to be told, with moments and forces."""
    return my.load(FIXTURES / "walk_of_a_person.csv")


def deviations(model: my.Model) -> dict[str, float]:
    """Return the standard deviations of the records: Winter's, in N, and 2 cm and 0.05 rad for the trunk."""
    norm = winter_gait().deviation
    weight = model.mass * 9.81
    typical = {name: float(np.sqrt(np.mean(norm.values(name) ** 2))) for name in norm.names}
    return {"pelvis_x": 0.02, "pelvis_y": 0.02, "pelvis_tilt": 0.05} | {
        name: value * (weight if "force" in name else 1.0) for name, value in typical.items()
    }


def noisy(walk: my.Trajectory, spread: dict[str, float], seed: int) -> my.Trajectory:
    """Return what cameras and force plates would have recorded of a walk: white noise in every row."""
    random = np.random.default_rng(seed)
    columns = {name: walk.values(name) for name in COORDINATES}
    columns |= {name: walk.values(parts[0]) + walk.values(parts[1]) for name, parts in FEET.items()}
    return my.Trajectory(
        walk.time, {name: values + random.normal(0.0, spread[name], len(values)) for name, values in columns.items()}
    )


def estimated(
    model: my.Model, record: my.Trajectory, spread: dict[str, float], guess: my.Trajectory, effort: float = 15.0
) -> my.Solution:
    """Return the walk that follows a record with little effort."""
    problem = my.Problem(
        model,
        name="estimated_walk",
        duration=record.duration,
        goals=[my.Track(record, of=FEET, deviations=spread), my.Effort(exponent=2, weight=effort)],
        conditions=[
            my.Periodic(),
            my.Bounds({"pelvis_x": (-1.0, 5.0), "pelvis_y": (0.5, 1.3), "pelvis_tilt": (-0.8, 0.8)}),
        ],
        continuation=[softer_contacts(model)],
    )
    # Softer ground first: where the feet touch a little earlier or later than they should, a solution may hang.
    # One mesh: from another solution a coarser one would only lead away.
    return my.solve(problem, nodes=[len(record)], guess=guess, audit=False, settings=my.Settings(tolerance=1e-3))


def filtered(model: my.Model, record: my.Trajectory, walk: my.Trajectory, cutoff: float) -> my.Trajectory:
    """Return angles and moments by a zero-lag filter and inverse dynamics; forces act where they do in truth."""
    motion = record.select(list(COORDINATES)).filtered(cutoff)
    # Forces hold faster parts than angles do.
    ground = record.select(list(FEET)).filtered(2 * cutoff)
    forces = []
    for side in SIDES:
        heel, toe = (walk.values(f"{side}_{part}.force_y") for part in ("heel", "toe"))
        first, second = (walk.values(f"{side}_{part}_tip.position_x") for part in ("heel", "toe"))
        place = np.where(heel + toe > LEAST, (heel * first + toe * second) / np.maximum(heel + toe, LEAST), second)
        none = np.zeros(len(record))
        data = my.Trajectory(
            record.time,
            {
                "fx": ground.values(f"{side}_ground_force_x"),
                "fy": ground.values(f"{side}_ground_force_y"),
                "fz": none,
                "px": place,
                "py": none,
                "pz": none,
            },
        )
        forces.append(my.ExternalForce(side, f"{side}_foot", data, force=("fx", "fy", "fz"), point=("px", "py", "pz")))
    moments = my.inverse_dynamics(model, motion, my.ExternalForces(forces))
    return my.Trajectory(
        record.time,
        {name: motion.values(name) for name in COORDINATES}
        | {f"{name}.moment": moments.values(f"{name}.moment") for name in JOINTS},
    )


def errors(found: my.Trajectory, walk: my.Trajectory) -> tuple[float, float]:
    """Return the root mean square errors of the joints' angles (rad) and moments (N m), averaged over the joints.

    Moments are compared between rows, as the midpoint rule balances forces there.
    """
    angles = [_root_mean_square(found.values(name) - walk.values(name)) for name in JOINTS]
    moments = [
        _root_mean_square(_between(found.values(f"{name}.moment")) - _between(walk.values(f"{name}.moment")))
        for name in JOINTS
    ]
    return float(np.mean(angles)), float(np.mean(moments))


def _between(values: Floats) -> Floats:
    middle: Floats = (values[1:] + values[:-1]) / 2
    return middle


def _root_mean_square(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
