"""Set-ups of forward runs."""

from __future__ import annotations

import math

import numpy as np

from myodyne.analyse.setups.job import Job, SetupRun, in_degrees, motion_of
from myodyne.analyse.setups.study import with_force_sets
from myodyne.data import Result, Trajectory
from myodyne.data.curves.signals import Signal
from myodyne.equations import equations_of
from myodyne.errors import listed
from myodyne.files.setups.controls import load_controls
from myodyne.files.setups.section import Section
from myodyne.model import Model
from myodyne.native.compiler import find_compiler
from myodyne.numerics.schemes import DOP853, Rosenbrock
from myodyne.paths.geometry import wrapped_muscles
from myodyne.simulate import simulate
from myodyne.types import Floats

# Samples (s) of a run, unless the largest step is shorter.
_EVERY = 0.01
_TOLERANCE = 1e-5


def run_forward(job: Job) -> SetupRun:
    """Run a ``<ForwardTool>``."""
    tool = job.tool
    model, path = job.model()
    model, names = with_force_sets(tool, model, path)
    begin, end = tool.number("initial_time", 0.0), tool.number("final_time", 1.0)
    if not (math.isfinite(begin) and math.isfinite(end) and end > begin):
        raise tool.element.fault(f"<initial_time> {begin:g} and <final_time> {end:g} make no run")
    if tool.flag("use_specified_dt", default=False):
        tool.remark("<use_specified_dt> is not used: steps are chosen by the error")
    tolerance = tool.number("integrator_error_tolerance", _TOLERANCE)
    largest = tool.number("maximum_integrator_step_size", math.inf)
    exact = bool(wrapped_muscles(model)) and find_compiler() is not None
    kind = Rosenbrock if model.muscles and not exact else DOP853
    scheme = kind(relative=tolerance, absolute=tolerance, largest_step=largest if largest > 0.0 else math.inf)
    found = simulate(
        # Polynomials end with the ranges of the coordinates, which a forward run need not keep.
        equations_of(model, exact_paths=exact),
        end - begin,
        start=_start(job, model, begin),
        from_time=begin,
        controls=_controls(tool, model, names),
        scheme=scheme,
        every=min(_EVERY, largest, end - begin),
        external_forces=job.loads(),
    )
    job.results["forward"] = found
    _write(job, model, found, names)
    asked = [analysis.kind for analysis in tool.objects("AnalysisSet")]
    if asked:
        tool.remark(f"not run during a forward run: {listed(asked)}; run an <AnalyzeTool> on its states")
    tool.close()
    return job.done(model)


def _start(job: Job, model: Model, begin: float) -> dict[str, float]:
    """Return the states at the beginning: the row of the file at or before it, the model's defaults elsewhere."""
    path = job.tool.file("states_file")
    balanced = job.tool.flag("solve_for_equilibrium_for_auxiliary_states", default=False)
    if path is None:
        if model.muscles and not balanced:
            job.tool.remark("fibres start in balance, not at the <default_fiber_length> of the model")
        return {}
    states = motion_of(job, model, path)
    row = max(0, int(np.searchsorted(states.time, begin + 1e-9, side="right")) - 1)
    found = {}
    for name in model.moving:
        found[name] = float(states.values(name)[row])
        if f"{name}.speed" in states:
            found[f"{name}.speed"] = float(states.values(f"{name}.speed")[row])
    for name, muscle in model.muscles.items():
        if f"{name}.activation" in states:
            found[f"{name}.activation"] = float(states.values(f"{name}.activation")[row])
        if f"{name}.fibre_length" in states and muscle.tendon == "elastic" and not balanced:
            length = float(states.values(f"{name}.fibre_length")[row])
            # The thickness of a muscle stays: its fibres turn as they shorten.
            thickness = muscle.optimal_fibre_length * math.sin(muscle.pennation)
            found[f"{name}.projected_length"] = math.sqrt(max(length**2 - thickness**2, 1e-12))
    return found


def _controls(tool: Section, model: Model, names: dict[str, str]) -> dict[str, Signal]:
    """Return the controls of the controllers; actuators without one follow what the model prescribes, if anything."""
    own = {theirs: ours for ours, theirs in names.items()}
    found: dict[str, Signal] = {}
    for controller in tool.objects("ControllerSet"):
        if controller.kind != "ControlSetController":
            raise controller.element.fault("is not run; controllers are <ControlSetController>")
        if not controller.flag("enabled", default=True) or controller.flag("isDisabled", default=False):
            continue
        path = controller.file("controls_file", needed="the controls")
        assert path is not None
        read = {own.get(name, name): signal for name, signal in load_controls(path).items()}
        known = {*model.muscles, *(name for name, force in model.forces.items() if force.controlled)}
        strange = [name for name in read if name not in known]
        if strange:
            tool.remark(f"controls of what the model lacks: {listed(strange)}")
        found |= {name: signal for name, signal in read.items() if name in known}
        controller.close()
    idle = [name for name in model.muscles if name not in found and name not in model.prescribed]
    if idle:
        tool.remark(f"without excitation, as no controller drives them: {listed(idle, 4)}")
    return found


def _write(job: Job, model: Model, found: Result, names: dict[str, str]) -> None:
    radians, degrees = _states(model, found)
    stem = job.folder() / f"{job.tool.name}_states"
    job.write(stem.with_name(f"{stem.name}.sto"), job.tool.name, (found.time, radians))
    job.write(stem.with_name(f"{stem.name}_degrees.mot"), job.tool.name, (found.time, degrees), degrees=True)
    controls = {name: found.values(f"{name}.excitation") for name in model.muscles if f"{name}.excitation" in found}
    driven = (name for name, force in model.forces.items() if force.controlled)
    controls |= {names.get(name, name): _control(found, name) for name in driven}
    if controls:
        job.write(job.folder() / f"{job.tool.name}_controls.sto", "controls", (found.time, controls))


def _control(found: Trajectory, name: str) -> Floats:
    held = next((column for column in (f"{name}.control", f"{name}.excitation") if column in found), None)
    return np.zeros(len(found)) if held is None else found.values(held)


def _states(model: Model, found: Result) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return the states by OpenSim's paths, with angles in radians and in degrees."""
    radians: dict[str, Floats] = {}
    degrees: dict[str, Floats] = {}
    for name, joint in model.joints.items():
        for coordinate in joint.coordinates:
            for ending, column in (("value", coordinate), ("speed", f"{coordinate}.speed")):
                path = f"/jointset/{name}/{coordinate}/{ending}"
                values = found.values(column) if column in found else np.zeros(len(found))
                radians[path], degrees[path] = values, in_degrees(model, coordinate, values)
    for name in model.muscles:
        for ending, column in (("activation", f"{name}.activation"), ("fiber_length", f"{name}.fibre_length")):
            if column in found:
                radians[f"/forceset/{name}/{ending}"] = degrees[f"/forceset/{name}/{ending}"] = found.values(column)
    return radians, degrees
