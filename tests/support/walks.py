"""Walks without a solve: Winter's mean angles and ground forces on gait2d, as a recording with plates."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import myodyne as my
from myodyne.optimise.builtin.gait2d import closed, walking_guess

SIDES = ("right", "left")


def people() -> tuple[my.Model, my.Trajectory, my.ExternalForces]:
    """Return gait2d, a cycle of Winter's mean angles on a steadily moving pelvis, and the mean forces (N)."""
    model, norm = my.load_model("gait2d"), my.winter_gait(count=100)
    data = closed(norm.mean, norm.duration, model)
    guess = walking_guess(model, data, norm.speed)
    columns = {name: guess.values(name) for name in guess.names} | {"pelvis_tilt": np.zeros(len(guess))}
    motion = my.Trajectory(guess.time, columns)
    return model, motion, plates(motion, {name: data.values(name) for name in data.names})


def plates(motion: my.Trajectory, columns: Mapping[str, np.ndarray], first: str = "right") -> my.ExternalForces:
    """Return plates below both feet, from columns such as ``right_ground_force_y`` (N).

    The force goes from the heel to the toe of a foot as its stance goes on, over 62 % of the cycle; that of the
    ``first`` foot begins with the motion.
    """
    found = []
    equations = my.equations_of(my.load_model("gait2d"))
    turns, places = equations.body_poses(np.column_stack([motion.values(name) for name in equations.coordinates]))
    phase = motion.time / motion.time[-1]
    for side in SIDES:
        behind = 0.0 if side == first else 0.5
        share = np.clip(((phase + behind) % 1.0) / 0.62, 0.0, 1.0)
        local = np.column_stack([-0.06 + 0.2236 * share, np.full(len(share), -0.0702), np.zeros(len(share))])
        number = equations.bodies.index(f"{side}_foot")
        point = places[:, number] + np.einsum("nij,nj->ni", turns[:, number], local)
        table = {f"{side}_{axis}": columns[f"{side}_ground_force_{axis}"] for axis in "xy"}
        table[f"{side}_z"] = np.zeros(len(phase))
        table |= {f"{side}_p{axis}": point[:, number] for number, axis in enumerate("xyz")}
        x, y, z, px, py, pz = table
        found.append(
            my.ExternalForce(
                side, f"{side}_foot", my.Trajectory(motion.time, table), force=(x, y, z), point=(px, py, pz)
            )
        )
    return my.ExternalForces(found)


def changed(motion: my.Trajectory, **columns: np.ndarray) -> my.Trajectory:
    """Return a motion with some columns replaced."""
    table = {name: columns.get(name, motion.values(name)) for name in motion.names}
    return my.Trajectory(motion.time, table, motion.units)
