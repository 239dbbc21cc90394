"""Walking in space with 80 muscles that follows a recording and needs no residual forces."""

from __future__ import annotations

from math import radians
from pathlib import Path

import numpy as np

from myodyne.data import Trajectory
from myodyne.files import load, load_external_forces, load_model, with_function_paths
from myodyne.model import DeGrooteFregly2016, HeActivation, Model, Muscle, SmoothSphereContact
from myodyne.numerics.schemes import Radau
from myodyne.optimise.builtin.moco_inverse3d import walk
from myodyne.optimise.conditions import SteadyActivation, SteadyFibres
from myodyne.optimise.goals import Goal, Smoothness
from myodyne.optimise.problem import Problem
from myodyne.optimise.recorded.track_motion import tracking
from myodyne.optimise.recorded.tracking import Track
from myodyne.optimise.settings import Settings

_START, _END = 0.48, 1.61  # s
# Between rows of the recording that are followed (s): it is filtered at 6 Hz.
_STEP = 0.01
# Standard errors: those of a skeleton fitted to markers, and of the plates as a part of their peak.
_ERRORS = {"rad": radians(1.0), "m": 0.01, "plates": 0.04}
_INTERVALS = 50
# Excitations could otherwise alternate between the two points of an interval, which is longer than activation takes.
_STEADY = Smoothness(of="activations", scale=10.0, weight=1.0, label="activation rates")


def moco_tracking3d(folder: Path) -> Problem:
    """A walk of 80 elastic muscles in space that follows recorded angles and ground forces without residual forces.

    The subject of OpenSim Moco's 3D walking example stands on the soles of ``gait3d``, which has its feet. Legs are
    moved by muscles alone, trunk and arms by the motors of the source, toes by springs.
    """
    data = folder / "data" / "moco_inverse3d"
    model = walker(
        load_model(folder / "models_osim" / "subject_walk_scaled.osim"),
        data / "subject_walk_scaled_FunctionBasedPathSet.xml",
    )
    problem = tracking(
        model,
        recorded(data / "coordinates.sto", model),
        load_external_forces(data / "grf_walk.xml"),
        errors=_ERRORS,
        effort=5.0,
        nodes=_INTERVALS + 1,
    )
    return problem.model_copy(
        update={
            "name": "moco_tracking3d",
            "source": "Recording and model: OpenSim Moco, example3DWalking; contacts and toes of gait3d",
            # Midpoint lets contact forces alternate from node to node, unseen by the equations between them.
            "scheme": Radau(degree=2),
            # From static optimisation: what leads far away at first, a large barrier or other iterations, is left out.
            "settings": Settings(tolerance=1e-3, approach=0, barrier=1e-2),
            "goals": (*(_from_the_start(goal) for goal in problem.goals), _STEADY),
            "conditions": (*problem.conditions, SteadyActivation(), SteadyFibres()),
        }
    )


def _from_the_start(goal: Goal) -> Goal:
    """Return a goal that counts the first instant as much as an interval."""
    return goal.model_copy(update={"start_share": 1.0 / _INTERVALS}) if isinstance(goal, Track) else goal


def recorded(file: Path, model: Model) -> Trajectory:
    """Return the recorded coordinates of the part that force plates cover."""
    motion = walk(load(file, model=model), model)
    return motion.resampled(np.linspace(_START, _END, round((_END - _START) / _STEP) + 1))


def walker(model: Model, paths: Path) -> Model:
    """Return the subject with polynomial paths, smooth muscles, soles and elastic toes."""
    model = with_function_paths(model, paths)
    feet = load_model("gait3d")
    soles = {name: part for name, part in feet.forces.items() if isinstance(part, SmoothSphereContact)}
    toes = {name: part for name, part in feet.forces.items() if name.startswith("mtp_angle")}
    return model.with_parts(
        muscles={name: _smooth(part) for name, part in model.muscles.items()}, forces={**soles, **toes}
    )


def _smooth(muscle: Muscle) -> Muscle:
    """Return a muscle with the curves and the activation of gait3d; its tendon stays elastic."""
    return muscle.model_copy(
        update={
            "curves": DeGrooteFregly2016(parallel_strain=0.7),
            "activation": HeActivation(activation_time=0.015, deactivation_time=0.06),
        }
    )
