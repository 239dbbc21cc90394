"""Walking in space with 80 muscles under a given motion: the example of OpenSim's MocoInverse."""

from __future__ import annotations

from pathlib import Path

from myodyne.data import Trajectory
from myodyne.files import load, load_external_forces, load_model, with_function_paths
from myodyne.files.osim.forces.muscle_curves import DEGROOTE, NO_PARALLEL
from myodyne.model import CoordinateActuator, DeGrooteActivation, DeGrooteFregly2016, Model, Muscle
from myodyne.model.units import angles
from myodyne.numerics.schemes import Radau
from myodyne.optimise.builtin.moco_walk2d import moco_names
from myodyne.optimise.conditions import Bounds, SteadyActivation
from myodyne.optimise.goals import Effort
from myodyne.optimise.problem import Problem

_START, _END, _INTERVAL = 0.48, 1.61, 0.02  # s
_LEAST = 0.01  # of excitations and activations
_WIDER = 1.5  # active force-length curves
_WELDED = ("mtp_angle_r", "mtp_angle_l")
# Strengths (N, N m) of motors on the pelvis, whose controls are at most one, and on joints.
_RESIDUAL_FORCE, _RESIDUAL_MOMENT, _RESERVE = 50.0, 250.0, 1.0


def moco_inverse3d(folder: Path) -> Problem:
    """The excitations that produce a recorded walk with the least sum of squares.

    The motion is not filtered, and the motors on the pelvis have 250 N m and 50 N: so OpenSim 4.6 has it when it comes
    to an objective of 1.6658.
    """
    data = folder / "data" / "moco_inverse3d"
    model = walker(
        load_model(folder / "models_osim" / "subject_walk_scaled.osim"),
        data / "subject_walk_scaled_FunctionBasedPathSet.xml",
    )
    least = {f"{name}.{what}": (_LEAST, 1.0) for name in model.muscles for what in ("excitation", "activation")}
    return Problem(
        model,
        name="moco_inverse3d",
        source="OpenSim Moco, example3DWalking, solved by MocoInverse",
        start=_START,
        duration=_END - _START,
        motion=walk(load(data / "coordinates.sto", model=model), model),
        external_forces=load_external_forces(data / "grf_walk.xml"),
        goals=[Effort(of="controls", summed=True, label="excitation_effort")],
        conditions=[SteadyActivation(), Bounds(least)],
        scheme=Radau(degree=2),
        nodes=58,
    )


def walker(model: Model, paths: Path) -> Model:
    """Return the model as MocoInverse's example changes it: welded toes, motors, other muscles and their paths."""
    model = with_function_paths(model, paths)
    turning, driven = angles(model), {getattr(force, "coordinate", "") for force in model.forces.values()}
    motors = {}
    for name in model.moving:
        if name in _WELDED or name in driven:
            continue
        if name.startswith("pelvis_"):
            gain = _RESIDUAL_MOMENT if name in turning else _RESIDUAL_FORCE
            motors[f"residual_{name}"] = CoordinateActuator(coordinate=name, gain=gain, control_range=(-1.0, 1.0))
        else:
            motors[f"reserve_{name}"] = CoordinateActuator(coordinate=name, gain=_RESERVE)
    welded = model.with_values({f"{name}.locked": True for name in _WELDED})
    return welded.with_parts(muscles={name: _replaced(part) for name, part in model.muscles.items()}, forces=motors)


def _replaced(muscle: Muscle) -> Muscle:
    """Return a muscle with a rigid tendon and the curves of De Groote et al., as OpenSim replaces Millard's."""
    return muscle.model_copy(
        update={
            "tendon": "rigid",
            # OpenSim's damping is relative to the maximal velocity.
            "damping": 0.01 / muscle.max_velocity,
            "curves": DeGrooteFregly2016(**DEGROOTE, width_scale=_WIDER, parallel_strain=NO_PARALLEL),
            "activation": DeGrooteActivation(activation_time=0.01, deactivation_time=0.04, smoothness=0.1),
        }
    )


def walk(recorded: Trajectory, model: Model) -> Trajectory:
    """Return the coordinates that move."""
    named = moco_names(recorded, model)
    return named.select([name for name in named.names if name in model.moving])
