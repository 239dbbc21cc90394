"""Mesh refinement where intervals have large errors."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from myodyne.data import Optimum
from myodyne.errors import ModelError, SolveError
from myodyne.optimise.problem import settings_for
from myodyne.optimise.replay import audited, interval_errors
from myodyne.optimise.settings import Settings
from myodyne.optimise.solution import KEPT, Solution, program_of, solution_of, with_wall_time
from myodyne.optimise.solving import continued
from myodyne.optimise.transcription.program import Program
from myodyne.optimise.transcription.transfer import transferred
from myodyne.types import Booleans, Floats

# First barrier parameter: a mesh that differs in a few intervals has nearly the same solution, which a larger one would
# leave. A tracked walk in space took 24 iterations from 1e-5.
_BARRIER = 1e-5
# With estimated second derivatives, which begin anew on each mesh: a predicted walk in space took 144 iterations.
_ESTIMATED = 1e-3


def refine(
    solution: Solution,
    error: float = 0.01,
    *,
    rounds: int = 5,
    settings: Settings | None = None,
    show: bool | None = None,
) -> Solution:
    """Return the solution on a mesh whose intervals are halved repeatedly where their error is too large.

    Their neighbours are halved too: on another mesh a foot touches the ground a little earlier or later.

    Parameters
    ----------
    solution
        What `solve` gave.
    error
        The largest error of an interval, relative to the size of each state: that of ``report.optimum.mesh_error``.
    rounds
        How often intervals are halved at most.
    settings, show
        As in `solve`.

    Examples
    --------
    >>> import myodyne as my
    >>> coarse = my.solve(my.load_problem("sliding_mass"), my.Midpoint(), nodes=[6], audit=False)
    >>> fine = my.refine(coarse, error=0.001)
    >>> len(fine.time) > 6, fine.report.optimum.mesh_error <= 0.001
    (True, True)
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"refine takes a solution (from my.solve), not {solution!r:.60}; {KEPT}")
    if not error > 0 or rounds < 1:
        raise ModelError(f"refine: error must be positive and rounds at least 1, not {error!r} and {rounds!r}")
    began = time.perf_counter()
    settings = settings_for(solution.problem, settings)
    options = settings.options or {}
    estimated = options.get("hessian_approximation") == "limited-memory"
    settings = replace(settings, options={"mu_init": _ESTIMATED if estimated else _BARRIER, **options})
    program = program_of(solution)
    if any(phase.instant.simulated is None for phase in program.phases):
        raise ModelError(f"'{solution.problem.name}' has a given motion: use more nodes instead")
    spent: list[Optimum] = []
    for number in range(rounds):
        iterate = solution.iterate
        meshes = [
            _halved(phase.grid.mesh, interval_errors(phase, iterate.unknowns) > error) for phase in program.phases
        ]
        if all(len(new) == len(phase.grid.mesh) for new, phase in zip(meshes, program.phases, strict=True)):
            break
        finer = Program(solution.problem, solution.scheme, meshes)
        try:
            solution = continued(finer, transferred(iterate, program, finer), settings, audit=False, show=show)
        except SolveError as stopped:
            raise SolveError(f"the mesh was refined {number} times, then: {stopped}", stopped.result) from None
        program = finer
        spent += [solution.report.optimum] if solution.report.optimum else []
        if solution.report.status == "interrupted":
            return with_wall_time(solution, time.perf_counter() - began)
    if not spent and solution.report.optimum is not None and solution.report.optimum.mesh_error is not None:
        return solution
    fine = audited(_with_all(solution, program, spent), program)
    return with_wall_time(fine, time.perf_counter() - began)


def _with_all(solution: Solution, program: Program, spent: list[Optimum]) -> Solution:
    """Return a solution whose report sums the costs of all rounds."""
    if not spent:
        return solution
    sums = {name: sum(getattr(one, name) for one in spent) for name in ("iterations", "cpu_seconds", "linear_seconds")}
    return solution_of(program, solution.iterate, replace(solution.report, optimum=replace(spent[-1], **sums)))


def _halved(mesh: Floats, coarse: Booleans) -> Floats:
    """Return a mesh with new nodes in the middle of some intervals and of their neighbours."""
    coarse = coarse | np.append(coarse[1:], False) | np.append(False, coarse[:-1])
    return np.sort(np.concatenate([mesh, (mesh[:-1][coarse] + mesh[1:][coarse]) / 2]))
