"""Why a solve failed, likeliest first, from what was measured in it; and what to try, as code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from myodyne.data import Optimum, Trajectory
from myodyne.errors import ModelError
from myodyne.model import ConditionalPoint, ContactPoint, PointPath
from myodyne.optimise.conditions import range_of
from myodyne.optimise.goals.feet import GroundContact
from myodyne.optimise.guesses import lowest_contacts
from myodyne.optimise.problem import Problem
from myodyne.optimise.transcription.phase import PhaseProgram
from myodyne.optimise.transcription.program import Program
from myodyne.paths.geometry import wrapped_muscles

# A guess is off its bounds by this part of a range; feet are so deep in the ground, or so far above it (m).
_OFF, _DEEP, _ABOVE = 0.02, 0.02, 0.05
# Of the time at a bound: muscles that have no more to give, coordinates that are held.
_WEAK, _HELD = 0.15, 0.3
# Below this the equations hold nearly: the search did not end, rather than find nothing.
_NEARLY = 1e-3
_FEW = 25
# Body weights by which a ground force changes from node to node: a mesh that does not resolve it.
_SUDDEN = 0.7


def advice(
    program: Program, guess: Trajectory | None, stopped: Trajectory, optimum: Optimum, undefined: Sequence[str] = ()
) -> str:
    """Return what likely went wrong in a solve, the likeliest first, and what to try.

    ``guess`` is the one that was given, None for the problem's own; ``stopped`` is the movement where the solve
    stopped; ``undefined`` are names of terms that are NaN.
    """
    if undefined:
        return (
            f"NaN there: {', '.join(undefined[:4])}. Add bounds that keep the movement where everything is defined, "
            "or start from a guess there; the error's `result` holds the movement where it stopped"
        )
    worst = f"Worst: {optimum.violations[0]}. " if optimum.violations else ""
    found = list(causes(program, guess, stopped, optimum))
    kept = "The error's `result` holds the movement where it stopped. "
    if not found:
        return (
            worst + kept + "Conditions may contradict each other, or the guess may be too far: try a better guess, "
            "fewer conditions, or a coarser mesh first"
        )
    lines = [f"\n  {number}. {cause}" for number, cause in enumerate(found, start=1)]
    return worst + kept + "Likely causes, the likeliest first:" + "".join(lines)


def causes(program: Program, guess: Trajectory | None, stopped: Trajectory, optimum: Optimum) -> Iterator[str]:
    """Yield likely causes of a failure, each with what to try."""
    for phase in program.phases:
        problem = phase.problem
        start = problem.guess if guess is None else guess
        if start is not None and len(program.phases) == 1:
            yield from _guess_off_bounds(phase, start)
            yield from _feet_off_ground(problem, start)
        yield from _too_weak(problem, optimum)
        yield from _held(problem, optimum)
        yield from _jumping_paths(problem, stopped)
        yield from _rough_fits(phase)
        yield from _between_nodes(problem, stopped, optimum)
        yield from _mesh(problem, optimum)
        yield from _stiff(problem, optimum)


def _guess_off_bounds(phase: PhaseProgram, guess: Trajectory) -> Iterator[str]:
    """Yield where the guess leaves the bounds of states and controls: there the solve starts from another movement."""
    off = {}
    for name in guess.names:
        low, high = phase.ranges.get(name, (-np.inf, np.inf))
        values = guess.values(name)
        beyond = max(low - float(values.min()), float(values.max()) - high)
        size = high - low if np.isfinite(high - low) and high > low else max(abs(low), abs(high), 1.0)
        if beyond > _OFF * size:
            off[name] = beyond / size
    if off:
        name = max(off, key=lambda each: off[each])
        low, high = phase.ranges[name]
        values = guess.values(name)
        wider = f"({min(low, values.min()):.3g}, {max(high, values.max()):.3g})"
        yield (
            f"the guess leaves the bounds: '{name}' goes from {values.min():.3g} to {values.max():.3g}, allowed is "
            f"{low:.3g} to {high:.3g}"
            + (f", and {len(off) - 1} more" if len(off) > 1 else "")
            + f". Widen them, my.Bounds({{{name!r}: {wider}}}), or give a guess inside"
        )


def _feet_off_ground(problem: Problem, guess: Trajectory) -> Iterator[str]:
    try:
        heights = lowest_contacts(problem.model, guess)
    except ModelError:
        # Nothing touches the ground.
        return
    if float(heights.min()) < -_DEEP or float(heights.min()) > _ABOVE:
        where = "in" if heights.min() < 0 else "above"
        yield (
            f"in the guess the lowest contact is {100 * abs(float(heights.min())):.1f} cm {where} the ground at "
            f"{guess.time[int(np.argmin(heights))]:.3g} s: my.solve(problem, guess=my.grounded(problem.model, guess))"
        )


def _too_weak(problem: Problem, optimum: Optimum) -> Iterator[str]:
    """Yield the muscles and motors that give all they can."""
    own = {f"{name}.{kind}": name for name in problem.model.muscles for kind in ("excitation", "activation")}
    weak = {own[name]: share for name, share in optimum.at_bounds.items() if name in own and share > _WEAK}
    if weak:
        name = max(weak, key=lambda each: weak[each])
        force = problem.model.muscles[name].max_force
        yield (
            f"{len(weak)} of {len(problem.model.muscles)} muscles are fully active, most of all '{name}' for "
            f"{100 * weak[name]:.0f} % of the time; perhaps they are too weak: "
            f"problem.with_values({{'{name}.max_force': {1.5 * force:.4g}}})"
        )
    motors = {
        name.removesuffix(".control"): share
        for name, share in optimum.at_bounds.items()
        if name.endswith(".control") and share > _WEAK
    }
    if motors:
        name = max(motors, key=lambda each: motors[each])
        part = problem.model.forces.get(name)
        gain = float(getattr(part, "gain", 1.0))
        yield (
            f"the motor '{name}' is at its limit for {100 * motors[name]:.0f} % of the time: "
            f"problem.with_values({{'{name}.gain': {2 * gain:.4g}}})"
        )


def _held(problem: Problem, optimum: Optimum) -> Iterator[str]:
    """Yield the duration and coordinates that their bounds hold."""
    low, high = range_of(problem.duration)
    if "duration" in optimum.at_bounds:
        yield (
            f"the duration, {optimum.duration:.3g} s, is at its bound: "
            f"problem.with_duration(({0.7 * low:.3g}, {1.4 * high:.3g}))"
        )
    held = {n: share for n, share in optimum.at_bounds.items() if n in problem.model.moving and share > _HELD}
    if held:
        name = max(held, key=lambda each: held[each])
        yield f"'{name}' is held by its bounds for {100 * held[name]:.0f} % of the time: widen them, or check its sign"


def _jumping_paths(problem: Problem, stopped: Trajectory) -> Iterator[str]:
    """Yield the muscles whose paths gain or lose a point on the way: there length and moment arms may jump."""
    jumping: dict[str, str] = {}
    for name, muscle in problem.model.muscles.items():
        points = muscle.path.points if isinstance(muscle.path, PointPath) else ()
        for point in points:
            if isinstance(point, ConditionalPoint) and point.coordinate in stopped:
                values = stopped.values(point.coordinate)
                for end in point.range:
                    if values.min() < end < values.max():
                        jumping[name] = f"at {point.coordinate} = {end:.3g}"
    if jumping:
        name, where = next(iter(jumping.items()))
        yield (
            f"{len(jumping)} of {len(problem.model.muscles)} muscles gain or lose a point of their path on the way, as "
            f"'{name}' {where}, where an optimiser cannot follow: "
            "problem.with_model(my.smooth_paths(problem.model).model)"
        )


def _rough_fits(phase: PhaseProgram) -> Iterator[str]:
    """Yield the muscles over surfaces whose polynomials are far off their paths."""
    if not wrapped_muscles(phase.problem.model):
        return
    off = {name: fit for name, fit in phase.instant.equations.path_fits.items() if not fit.within}
    if off:
        name = max(off, key=lambda each: off[each].mean_arm)
        ranges = {each: phase.ranges[each] for each in off[name].ranges if each in phase.ranges}
        shown = ", ".join(f"'{each}': ({low:.3g}, {high:.3g})" for each, (low, high) in ranges.items())
        yield (
            f"{len(off)} paths over surfaces are fitted less closely than requested, worst '{name}' (moment arms "
            f"{1000 * off[name].mean_arm:.2g} mm off): fit them over the bounds of the movement, "
            f"problem.with_model(my.smooth_paths(problem.model, {{{shown}, ...}}).model)"
        )


def _between_nodes(problem: Problem, stopped: Trajectory, optimum: Optimum) -> Iterator[str]:
    """Yield where a ground force comes or goes within one interval of the mesh."""
    weight = problem.model.mass * float(np.linalg.norm(problem.model.gravity))
    if not weight > 0:
        return
    up = "xyz"[int(np.argmax(np.abs(problem.model.gravity)))]
    steps = {
        name: np.abs(np.diff(stopped.values(f"{name}.force_{up}"))) / weight
        for name, part in problem.model.forces.items()
        if isinstance(part, GroundContact) and f"{name}.force_{up}" in stopped
    }
    sudden = {name: float(change.max()) for name, change in steps.items() if change.size and change.max() > _SUDDEN}
    if sudden:
        name = max(sudden, key=lambda each: sudden[each])
        at = stopped.time[int(np.argmax(steps[name]))]
        part = problem.model.forces[name]
        softer = f"problem.with_values({{'{name}.stiffness': {0.3 * part.stiffness:.3g}, ...}})"  # type: ignore[union-attr]
        if isinstance(part, ContactPoint):
            softer = f"problem.with_values({{'{name}.transition': {4 * part.transition:.3g}, ...}})"
        yield (
            f"the force at '{name}' changes by {sudden[name]:.2g} body weights from one node to the next, at "
            f"{at:.3g} s: use more nodes, my.solve(problem, nodes={2 * optimum.nodes}), or smoother ground, {softer}"
        )


def _mesh(problem: Problem, optimum: Optimum) -> Iterator[str]:
    if optimum.largest_violation < _NEARLY:
        yield (
            f"the equations hold within {optimum.largest_violation:.1g}, but the solver did not converge: continue "
            f"with my.Settings(tolerance=1e-4), or from the movement where it stopped, my.solve(problem, "
            f"guess=error.result)"
        )
    elif optimum.nodes < _FEW:
        yield f"{optimum.nodes} nodes may be too few: my.solve(problem, nodes={2 * optimum.nodes})"


def _stiff(problem: Problem, optimum: Optimum) -> Iterator[str]:
    """Yield that contacts are stiff, where the equations do not hold and nothing leads to them."""
    stiff = {name: part for name, part in problem.model.forces.items() if isinstance(part, GroundContact)}
    if stiff and not problem.continuation and optimum.largest_violation >= _NEARLY:
        name, part = next(iter(stiff.items()))
        yield (
            f"{len(stiff)} stiff contacts and no easier problem before them: "
            f"problem.model_copy(update={{'continuation': ({{'{name}.stiffness': {0.3 * part.stiffness:.3g}, ...}},)}})"
        )
