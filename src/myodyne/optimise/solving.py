"""From a problem and a guess to the best movement near it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from myodyne.data import Optimum, Report, Trajectory
from myodyne.data.report import Status
from myodyne.errors import ModelError, SolveError
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.advice import advice
from myodyne.optimise.audit import at_bounds, largest_violation, undefined_terms, worst_violations
from myodyne.optimise.ipopt.approach import NEAR, SAME, WARM, optimised
from myodyne.optimise.ipopt.run import Outcome
from myodyne.optimise.ipopt.watching import Watch, Watcher
from myodyne.optimise.problem import Phases, Problem, settings_for
from myodyne.optimise.replay import audited
from myodyne.optimise.settings import Option, Settings
from myodyne.optimise.solution import Solution, solution_of, with_wall_time
from myodyne.optimise.stages import Stage, continuation_of, mesh_sequence, stages_of
from myodyne.optimise.storage.checkpoint import default_checkpoint, read_checkpoint, write_checkpoint
from myodyne.optimise.transcription.initial import initial_unknowns
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.optimise.transcription.scales import scales_of
from myodyne.optimise.transcription.transfer import transferred
from myodyne.progress import Task, task
from myodyne.simulate.motions import refuse_motions
from myodyne.types import Floats

# Stages before the last need not be solved more exactly than this.
_BEFORE_LAST = 1e-1
# IPOPT's options where data are followed through easier problems: multipliers take the step that is best for the dual
# violation, and the easier ones end at a larger barrier. Still larger ones (1e-2) lead to poorer minima of some
# problems (docs/decisions/0015-approach-by-the-curvature-of-goals.md).
_FOLLOWING: dict[str, Option] = {"alpha_for_y": "min-dual-infeas"}
_EASIER: dict[str, Option] = {"compl_inf_tol": 3e-4}
# The barrier parameter at which the optimiser ends, of the tolerance: to start below it is to leave the solution.
_LAST = 0.1


def solve_once(  # noqa: PLR0913 - as `solve`
    problem: Problem | Phases,
    scheme: Transcription | None = None,
    nodes: int | Sequence[int] | None = None,
    guess: Trajectory | None = None,
    *,
    settings: Settings | None = None,
    checkpoint: str | Path | None = None,
    audit: bool = True,
    show: bool | None = None,
    watch: Watch | None = None,
) -> Solution:
    """Return the solution from one guess; the arguments are those of `solve`."""
    began = time.perf_counter()
    _check_argument_types(problem, guess, settings)
    parts = problem.phases if isinstance(problem, Phases) else (problem,)
    for part in parts:
        refuse_motions(part.model, "solve")
    scheme = scheme or parts[0].scheme
    # Under a given motion the problem is nearly convex: solving on a coarse mesh first would only cost time.
    direct = isinstance(guess, Solution) or all(part.motion is not None for part in parts)
    counts = mesh_sequence(nodes, parts[0].nodes, direct)
    settings = settings_for(problem, settings)
    warm = isinstance(guess, Solution)
    easier = [] if warm else continuation_of(parts)
    stages = stages_of(counts, easier)
    file = default_checkpoint(problem) if checkpoint is None else Path(checkpoint)
    with task(f"Solving '{problem.name}'", show=show) as solving:
        meshes = _own_meshes(problem, scheme, guess) if nodes is None else None
        meshes = meshes or [np.linspace(0.0, 1.0, counts[0])] * len(parts)
        first = Program(problem, scheme, meshes, stages[0].changed)
        start, barrier = _start(first, guess, settings.tolerance)
        run = _Run(problem, scheme, settings, file, audit, solving, began, guess, watch)
        return run.through(first, start, stages[1:], barrier)


def solve_through(
    problem: Problem, scheme: Transcription, stages: Sequence[Stage], guess: Trajectory | None, settings: Settings
) -> Solution:
    """Return the solution of the last of some stages, the first of them from a guess; a solution starts it near."""
    with task(f"Solving '{problem.name}'", show=False) as solving:
        first = Program(problem, scheme, [np.linspace(0.0, 1.0, stages[0].nodes)], stages[0].changed)
        start, barrier = _start(first, guess, settings.tolerance)
        run = _Run(problem, scheme, settings, default_checkpoint(problem), False, solving, time.perf_counter(), guess)
        return run.through(first, start, stages[1:], barrier)


def resume(
    file: str | Path,
    problem: Problem | Phases | None = None,
    *,
    settings: Settings | None = None,
    show: bool | None = None,
) -> Solution:
    """Return the solution of a solve that was interrupted, from its checkpoint.

    Parameters
    ----------
    file
        The checkpoint.
    problem
        The problem, needed where it holds functions (`Custom`, `CustomCondition`), which are not in the file.
    settings, show
        As in `solve`; those of the interrupted solve unless given.

    Examples
    --------
    >>> import myodyne as my
    >>> my.resume("walk.checkpoint")
    Traceback (most recent call last):
    myodyne.errors.FileError: walk.checkpoint: no such checkpoint
    """
    began = time.perf_counter()
    found = read_checkpoint(file)
    whole = problem or found.problem
    if whole is None:
        raise ModelError(
            f"{file}: the problem has goals or conditions that are functions, which are not stored in the file; "
            "give the problem too: my.resume(file, problem)"
        )
    program = Program(whole, found.scheme, list(found.meshes), found.settings["changed"])
    if program.count != len(found.iterate.unknowns) or program.rows != len(found.iterate.rows):
        raise ModelError(
            f"{file}: the checkpoint belongs to another problem: it has {len(found.iterate.unknowns)} "
            f"unknowns, the problem {program.count}"
        )
    own = {name: found.settings[name] for name in ("tolerance", "most_iterations", "approach", "options")}
    stages = [Stage(int(nodes), dict(changed)) for nodes, changed in found.settings["stages"]]
    chosen, audit = settings or Settings(**own), found.settings["audit"]
    with task(f"Solving '{whole.name}'", show=show) as solving:
        run = _Run(whole, found.scheme, chosen, Path(file), audit, solving, began)
        return run.through(program, found.iterate, stages, NEAR)


def continued(program: Program, start: Iterate, settings: Settings, *, audit: bool, show: bool | None) -> Solution:
    """Return the solution on a mesh near that of an iterate which solved the problem on another."""
    began = time.perf_counter()
    file = default_checkpoint(program.problem)
    with task(f"Solving '{program.problem.name}'", show=show) as solving:
        run = _Run(program.problem, program.scheme, settings, file, audit, solving, began)
        return run.through(program, start, [], WARM)


@dataclass
class _Run:
    """One solve, from its first mesh to its last."""

    problem: Problem | Phases
    scheme: Transcription
    settings: Settings
    file: Path
    audit: bool
    task: Task
    began: float
    guess: Trajectory | None = None
    watch: Watch | None = None
    preparing: float = 0.0
    eased: bool = False

    def through(self, program: Program, start: Iterate, stages: Sequence[Stage], barrier: float | None) -> Solution:
        """Return the solution of the last of several stages; without a barrier parameter the first starts cold."""
        cpu = time.process_time()
        self.eased = program.eased
        # All until the first iteration: equations are made, differentiated, compiled or read from the cache.
        self.preparing = time.perf_counter() - self.began
        iterations, evaluating = 0, 0.0
        remaining = list(stages)
        until = None if self.settings.seconds is None else time.monotonic() + self.settings.seconds
        while True:
            outcome, status, message = self._solved(program, start, remaining, barrier, until)
            iterations += outcome.iterations
            evaluating += sum(outcome.seconds.values())
            # A stage that is not quite solved is good enough to start the next one from.
            if status == "interrupted" or not remaining:
                break
            try:
                following = Program(
                    self.problem,
                    self.scheme,
                    [np.linspace(0.0, 1.0, remaining[0].nodes)] * len(program.phases),
                    remaining[0].changed,
                )
                start = transferred(outcome.iterate, program, following)
            except KeyboardInterrupt:
                status, message = self._kept(program, outcome.iterate, remaining, "interrupted")
                break
            del remaining[0]
            # Without data to track, a larger barrier may lead to a better minimum.
            program, barrier = following, WARM if outcome.solved and program.follows_data else NEAR
        spent = time.process_time() - cpu
        optimum = self._optimum(program, outcome, iterations, spent, evaluating)
        notes = tuple(dict.fromkeys(note for phase in program.phases for note in phase.instant.notes))
        report = Report(
            status,
            message,
            iterations=iterations,
            optimum=optimum,
            evaluations=outcome.evaluations.get("rows", 0),
            notes=notes,
        )
        solution = self._timed(solution_of(program, outcome.iterate, report))
        if status == "failed":
            undefined = undefined_terms(program, outcome.iterate.unknowns)
            remedy = advice(program, self.guess, solution, optimum, undefined)
            raise SolveError(
                f"'{self.problem.name}' was not solved: {message}. " + ". ".join((*notes, remedy)), solution
            )
        if status == "completed":
            self.file.unlink(missing_ok=True)
            if self.audit:
                try:
                    self.task.update(note="replaying the solution by a simulation")
                    solution = audited(solution, program)
                except KeyboardInterrupt:
                    note = "the replay by a simulation was interrupted; my.replay(solution) repeats it"
                    solution = solution_of(program, outcome.iterate, replace(solution.report, notes=(*notes, note)))
        return self._timed(solution)

    def _timed(self, solution: Solution) -> Solution:
        return with_wall_time(solution, time.perf_counter() - self.began)

    def _solved(
        self, program: Program, start: Iterate, remaining: list[Stage], barrier: float | None, until: float | None
    ) -> tuple[Outcome, Status, str]:
        """Return the outcome on one mesh, until a time of the monotonic clock."""

        def keep(iterate: Iterate) -> None:
            self._write(program, iterate, remaining)

        watcher = Watcher(program, self.settings.tolerance, keep, self.task, until, self.watch)
        ready = time.perf_counter()
        try:
            outcome = self._optimised(program, start, watcher, barrier, last=not remaining)
            if watcher.first_seen is not None:
                self.preparing += watcher.first_seen - ready
        except KeyboardInterrupt:
            last = watcher.last or start
            outcome = Outcome(5, last, program.objective(last.unknowns), watcher.iterations)
            return outcome, *self._kept(program, last, remaining, "interrupted")
        if watcher.out_of_time:
            return outcome, *self._kept(program, outcome.iterate, remaining, "out of time")
        if watcher.stopped:
            outcome = replace(outcome, iterate=watcher.best or outcome.iterate)
            return outcome, *self._kept(program, outcome.iterate, remaining, "stopped")
        if outcome.solved:
            return outcome, "completed", outcome.status
        return outcome, "failed", outcome.status

    def _kept(self, program: Program, iterate: Iterate, remaining: Sequence[Stage], why: str) -> tuple[Status, str]:
        """Write the checkpoint of a solve that stops here; return its status and message."""
        self._write(program, iterate, remaining)
        return "interrupted", f"{why}; my.resume({str(self.file)!r}) continues"

    def _write(self, program: Program, iterate: Iterate, remaining: Sequence[Stage]) -> None:
        plain = {
            **self.settings.plain(),
            "audit": self.audit,
            "changed": program.changed,
            "stages": [[stage.nodes, dict(stage.changed)] for stage in remaining],
        }
        write_checkpoint(self.file, program, iterate, plain)

    def _optimised(
        self, program: Program, start: Iterate, watcher: Watcher, barrier: float | None, *, last: bool
    ) -> Outcome:
        tolerance = self.settings.tolerance if last else max(self.settings.tolerance, _BEFORE_LAST)
        own = (_FOLLOWING | _EASIER if program.eased else _FOLLOWING) if self.eased else {}
        settings = replace(self.settings, tolerance=tolerance, options={**own, **(self.settings.options or {})})
        return optimised(program, start, settings, watcher, barrier)

    def _optimum(self, program: Program, outcome: Outcome, iterations: int, cpu: float, evaluating: float) -> Optimum:
        unknowns, heights = outcome.iterate.unknowns, scales_of(program)[1]
        parts = program.parts_of(unknowns)
        shared = unknowns[program.shared_start :]
        return Optimum(
            objective=float(sum(parts.values())),
            parts=parts,
            largest_violation=largest_violation(program, unknowns, heights),
            violations=worst_violations(program, unknowns, heights, self.settings.tolerance),
            at_bounds=at_bounds(program, unknowns),
            # Continuation parameters are not results.
            parameters={
                name: float(shared[len(program.phases) + number])
                for number, name in enumerate(program.parameters)
                if any(name in part.parameters for part in program.parts)
            },
            duration=float(shared[: len(program.phases)].sum()),
            iterations=iterations,
            cpu_seconds=cpu,
            linear_seconds=max(cpu - evaluating, 0.0),
            prepare_seconds=self.preparing,
            unknowns=program.count,
            rows=program.rows,
            nodes=len(program.phases[0].grid.mesh),
            scheme=repr(program.scheme),
        )


def _check_argument_types(problem: object, guess: object, settings: object) -> None:
    if not isinstance(problem, Problem | Phases):
        raise ModelError(f"solve needs a my.Problem or my.Phases (from my.load_problem), not {problem!r:.60}")
    if guess is not None and not isinstance(guess, Trajectory):
        raise ModelError(f"a guess must be a my.Trajectory or a result (from my.load), not {guess!r:.60}")
    if settings is not None and not isinstance(settings, Settings):
        raise ModelError(f"settings must be my.Settings(...), not {settings!r:.60}")


def _own_meshes(problem: Problem | Phases, scheme: Transcription, guess: Trajectory | None) -> list[Floats] | None:
    """Return the meshes of a solution from which a problem with an accuracy starts: refined ones are kept."""
    refined = isinstance(problem, Problem) and problem.accuracy is not None
    if not refined or not isinstance(guess, Solution) or guess.scheme != scheme or len(guess.meshes) != 1:
        return None
    return list(guess.meshes)


def _start(program: Program, guess: Trajectory | None, tolerance: float) -> tuple[Iterate, float | None]:
    """Return where a solve begins, and its first barrier parameter, None for a cold start."""
    if isinstance(guess, Solution) and guess.scheme == program.scheme:
        old = Program(guess.problem, guess.scheme, list(guess.meshes))
        if [group.what for group in old.groups] == [group.what for group in program.groups]:
            meshes = zip(old.phases, program.phases, strict=True)
            same = all(np.array_equal(one.grid.mesh, other.grid.mesh) for one, other in meshes)
            return transferred(guess.iterate, old, program), max(SAME, _LAST * tolerance) if same else WARM
    start = Iterate.at(initial_unknowns(program, guess), program.rows)
    return start, NEAR if isinstance(guess, Solution) else None
