"""One user's work on a task: its history, the optima found so far, and the solve that is watched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from myodyne.data import DataError, Trajectory
from myodyne.errors import MyodyneError
from myodyne.files import load, save
from myodyne.optimise import Settings, Solution
from myodyne.studio.changes.history import History
from myodyne.studio.reference import Reference
from myodyne.studio.showing import Message, finite
from myodyne.studio.summary import Fact, summary_of
from myodyne.studio.tasks.chain import Chain, Link, Step, task_script
from myodyne.studio.tasks.task import SPEEDS, STRENGTHS, WEIGHTS, Task, apply_task, task_edit_from
from myodyne.studio.tasks.watch import Order, Seen, Solved, Watch
from myodyne.studio.workplace import Send, Workplace, saved_data, unreadable

# A movement near the last one, soon: no iterations before those with second derivatives, a barrier that begins near.
# A looser tolerance leaves the barrier's part in the objective, 7 to 16 % of a walk's (benchmarks/bench_studio.py).
QUICK = Settings(tolerance=1e-5, approach=0, options={"mu_init": 1e-5})
FURTHER = Settings(tolerance=1e-6)


class TaskDesk(Workplace[Task]):
    """The state of a studio that changes a task; each change is a solve that starts from the last optimum.

    Examples
    --------
    >>> from myodyne.studio.tasks.task import opened_task
    >>> sent = []
    >>> desk = TaskDesk(*opened_task("sliding_mass"), send=sent.append)
    >>> desk.begin()
    >>> desk.watch.wait()
    >>> sent[-1].data["status"]
    'idle'
    >>> desk.close()
    """

    def __init__(
        self,
        task: Task,
        solution: Solution | None,
        send: Send,
        file: Path | None = None,
        reference: Reference | None = None,
    ) -> None:
        super().__init__(task, task.problem.model, send, file, reference)
        self.chain = Chain()
        self._ordered: Step | None = None
        self._paused = False
        self.watch = Watch(self._hear)
        if solution is not None:
            self.chain.add(Link(Step(task, loaded=task.origin[1]), solution))
        self._recover()

    def close(self) -> None:
        """End the solve."""
        self.watch.close()

    def begin(self) -> None:
        """Send everything, to a page that has just been opened."""
        self._send(Message(self._task()))
        if not self.watch.busy:
            self._present()

    def _do(self, data: Mapping[str, Any]) -> None:
        match data.get("kind"):
            case "edit":
                edit = task_edit_from(data.get("edit"))
                self._change(self.history.moved(apply_task(self.history.present, edit), edit))
            case "pause" | "resume" as word:
                self._paused = word == "pause" and self.watch.busy
                self.watch.pause() if self._paused else self.watch.resume()
                status = "paused" if self._paused else "computing" if self.watch.busy else "idle"
                self._say(status)
            case "stop":
                self._paused = False
                self.watch.stop()
            case "improve":
                self._order(self.history.present, FURTHER)
            case _:
                super()._do(data)

    def _change(self, history: History[Task]) -> None:
        with self._lock:
            self.history = history
            self._save()
        self._send(Message(self._task()))
        self._present()

    def _present(self) -> None:
        """Show the optimum of the present task, or look for it."""
        link = self.chain.find(self.history.present)
        if link is None:
            self._order(self.history.present, QUICK)
            return
        if self.watch.busy:
            # What is being solved is no longer asked for.
            self._ordered = None
            self.watch.stop()
        self._show(link.solution, _facts(link.solution), "idle")

    def _order(self, task: Task, settings: Settings) -> None:
        before = self.chain.last
        guess: Trajectory | None = before.solution if before else _first_guess(task)
        chosen = settings if before else None
        self._paused = False
        self._ordered = Step(task, before.step if before else None, chosen)
        self._say("computing")
        self.watch.solve(Order(task.changed, task.problem.nodes, guess, chosen))

    def _hear(self, answer: Seen | Solved) -> None:
        ordered = self._ordered
        if ordered is None:
            return
        if isinstance(answer, Seen):
            self._iterate(answer, ordered.task)
        else:
            self._end(answer, ordered)

    def _iterate(self, seen: Seen, task: Task) -> None:
        parts = {name: finite(value) for name, value in seen.parts.items()}
        facts = {"objective": finite(seen.objective), "infeasibility": finite(seen.infeasibility), "parts": parts}
        self._send(Message({"kind": "iterate", "iteration": seen.iteration, "seconds": seen.seconds, **facts}))
        if seen.movement is not None:
            known = [Fact("objective", "Objective", seen.objective, ""), *_goals(seen.parts)]
            known.append(Fact("iterations", "Iterations", seen.iteration, ""))
            known.append(Fact("violation", "Largest violation", seen.infeasibility, ""))
            self._show(seen.movement, tuple(known), "paused" if self._paused else "computing", task)

    def _end(self, solved: Solved, step: Step) -> None:
        self._ordered, self._paused = None, False
        task, solution = step.task, solved.solution
        if solution is None or solved.failure:
            self._say(f"failed: {solved.failure or 'there is no solution'}")
            return
        stopped = solution.report.status == "interrupted"
        better = self.chain.find(task)
        if better is not None and not _lower(solution, better.solution):
            self._refuse("no better movement was found; the last one stays")
            self._show(better.solution, _facts(better.solution), "idle")
            return
        self.chain.add(Link(replace(step, stopped=stopped), solution))
        with self._lock:
            self._save()
        facts = (*_facts(solution), Fact("seconds", "Found after", solved.seconds, "s"))
        self._send(Message(self._task()))
        self._show(solution, facts, "idle")

    def _show(self, movement: Trajectory, facts: tuple[Fact, ...], status: str, task: Task | None = None) -> None:
        task = task or self.history.present
        model = movement.model if isinstance(movement, Solution) else task.changed.model
        self._scene(movement, model, facts, status, ())

    def _pin(self) -> None:
        best = self._movement("pin")
        self._keep_beside(best, best.model, _facts(best))
        self._show(best, _facts(best), "idle")

    def _movement(self, purpose: str) -> Solution:
        link = self.chain.find(self.history.present)
        if link is None:
            raise DataError(f"there is no optimum yet to {purpose}; wait until the status is idle")
        return link.solution

    def _task(self) -> dict[str, Any]:
        """Return what the page needs of the task: sliders with their limits, the script."""
        task = self.history.present
        link = self.chain.find(task) or self.chain.last
        own = task.own_speed
        speed = None
        if own is not None:
            value = own if task.speed is None else task.speed
            speed = {"value": value, "low": SPEEDS[0] * own, "high": SPEEDS[1] * own}
        weights = [
            {
                "name": goal.name,
                "value": task.weights.get(goal.name, goal.weight),
                "low": WEIGHTS[0] * goal.weight,
                "high": WEIGHTS[1] * goal.weight,
            }
            for goal in task.problem.goals
            if goal.weight > 0
        ]
        strengths = [
            {"name": name, "value": task.strengths.get(name, 1.0), "low": STRENGTHS[0], "high": STRENGTHS[1]}
            for name in task.muscles
        ]
        return {
            "kind": "task",
            "name": task.name,
            "speed": speed,
            "weights": weights,
            "strengths": strengths,
            "script": task_script(task, None if link is None else link.step),
            **self._steps(),
        }

    def _save(self) -> None:
        """Write the task and its optimum."""
        if self._file is None:
            return
        self._write()
        link = self.chain.find(self.history.present)
        if link is not None:
            save(link.solution, self._optimum)

    @property
    def _optimum(self) -> Path:
        assert self._file is not None
        return self._file.with_suffix(".nc")

    def _recover(self) -> None:
        """Go on where the last studio ended, if it left anything."""
        data = None if self._file is None else saved_data(self._file)
        if data is None:
            return
        assert self._file is not None
        try:
            task = self.history.present.with_changes_of(data)
            solution = load(self._optimum) if self._optimum.is_file() else None
        except (OSError, ValueError, MyodyneError) as error:
            raise unreadable(self._file, error) from None
        self.history = History(task)
        if isinstance(solution, Solution):
            self.chain.add(Link(Step(task, loaded=str(self._optimum)), solution))


def _first_guess(task: Task) -> Trajectory | None:
    """Return the guess of a first solve: a problem with many starts gets its first, for they take minutes."""
    starts = task.problem.starts
    return task.problem.guess or (starts[0] if starts else None)


def _lower(one: Solution, other: Solution) -> bool:
    first, second = one.report.optimum, other.report.optimum
    return first is not None and (second is None or first.objective < second.objective)


def _facts(solution: Solution) -> tuple[Fact, ...]:
    optimum = solution.report.optimum
    assert optimum is not None
    facts = [Fact("objective", "Objective", optimum.objective, ""), *_goals(optimum.parts)]
    facts.append(Fact("iterations", "Iterations", optimum.iterations, ""))
    facts.append(Fact("violation", "Largest violation", optimum.largest_violation, ""))
    return (*facts, *summary_of(solution, solution.model))


def _goals(parts: Mapping[str, float]) -> list[Fact]:
    return [Fact(f"goal-{name.replace(' ', '-')}", f"Goal: {name}", value, "") for name, value in parts.items()]
