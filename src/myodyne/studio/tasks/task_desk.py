"""One user's work on a task: its history, the optima found so far, and the solve that is watched."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from myodyne.data import DataError, Trajectory
from myodyne.errors import FileError, MyodyneError
from myodyne.files import load, save
from myodyne.files.atomic import atomically
from myodyne.optimise import Settings, Solution
from myodyne.studio.exports import exported
from myodyne.studio.history import History
from myodyne.studio.reference import Reference
from myodyne.studio.showing import Beside, Message, finite, pinned, scene_message
from myodyne.studio.summary import Fact, summary_of
from myodyne.studio.tasks.chain import Chain, Link, Step, task_script
from myodyne.studio.tasks.task import SPEEDS, STRENGTHS, WEIGHTS, Task, apply_task, task_edit_from
from myodyne.studio.tasks.watch import Order, Seen, Solved, Watch

# A walk near the last one, soon: no iterations before those with second derivatives, and a barrier that stays near.
QUICK = Settings(tolerance=1e-4, approach=0, options={"mu_init": 1e-5})


class TaskDesk:
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
        send: Callable[[Message], None],
        file: Path | None = None,
        reference: Reference | None = None,
    ) -> None:
        self.history = History(task)
        self.chain = Chain()
        self._file, self._send = file, send
        self._lock = threading.Lock()
        self._pinned: tuple[Beside, ...] = ()
        self._reference = reference
        self._ghost = () if reference is None else (reference.ghost(task.problem.model),)
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

    def receive(self, data: Mapping[str, Any]) -> None:
        """Do what a page asks for; what cannot be done is answered with the reason."""
        try:
            self._do(data)
        except MyodyneError as error:
            self._send(Message({"kind": "refused", "reason": str(error)}))

    def _do(self, data: Mapping[str, Any]) -> None:
        match data.get("kind"):
            case "edit":
                edit = task_edit_from(data.get("edit"))
                self._change(self.history.moved(apply_task(self.history.present, edit), edit))
            case "undo":
                self._change(self.history.undone())
            case "redo":
                self._change(self.history.redone())
            case "pause" | "resume" as word:
                self._paused = word == "pause" and self.watch.busy
                self.watch.pause() if self._paused else self.watch.resume()
                status = "paused" if self._paused else "computing" if self.watch.busy else "idle"
                self._send(Message({"kind": "status", "status": status}))
            case "stop":
                self._paused = False
                self.watch.stop()
            case "improve":
                self._order(self.history.present, Settings())
            case "pin":
                self._pin()
            case "export":
                self._export(data)
            case other:
                raise DataError(f"a task does not know the message {other!r:.40}")

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
        self._send(Message({"kind": "status", "status": "computing"}))
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
            self._send(Message({"kind": "status", "status": f"failed: {solved.failure or 'there is no solution'}"}))
            return
        stopped = solution.report.status == "interrupted"
        better = self.chain.find(task)
        if better is not None and not _lower(solution, better.solution):
            self._send(Message({"kind": "refused", "reason": "no better movement was found; the last one stays"}))
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
        notes: list[str] = []
        if self._reference is not None:
            distances, notes = self._reference.facts_or_note(movement, model)
            facts = (*facts, *distances)
        data = scene_message(model, movement, task.name, facts=facts, others=(*self._pinned, *self._ghost))
        block = data.pop("block")
        self._send(Message({"kind": "scene", "status": status, "notes": notes, **data}, block))

    def _pin(self) -> None:
        link = self.chain.find(self.history.present)
        if link is None:
            raise DataError("there is no optimum to pin yet; wait until the status is idle")
        self._pinned = (pinned(link.solution, link.solution.model, _facts(link.solution)),)
        self._show(link.solution, _facts(link.solution), "idle")

    def _export(self, data: Mapping[str, Any]) -> None:
        link = self.chain.find(self.history.present)
        if link is None:
            raise DataError("there is no optimum to export yet; wait until the status is idle")
        self._send(Message(exported(link.solution, self.history.present.name, data.get("ending"), data.get("request"))))

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
            "undo": len(self.history.past),
            "redo": len(self.history.future),
        }

    def _save(self) -> None:
        """Write the task and its optimum, so that a crash loses nothing."""
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        present = self.history.present
        with atomically(self._file) as unfinished:
            unfinished.write_text(json.dumps(present.to_dict(), allow_nan=False), encoding="utf-8")
        link = self.chain.find(present)
        if link is not None:
            save(link.solution, self._optimum)

    @property
    def _optimum(self) -> Path:
        assert self._file is not None
        return self._file.with_suffix(".nc")

    def _recover(self) -> None:
        """Go on where the last studio ended, if it left anything."""
        if self._file is None or not self._file.is_file():
            return
        try:
            task = self.history.present.with_changes_of(json.loads(self._file.read_text(encoding="utf-8")))
            solution = load(self._optimum) if self._optimum.is_file() else None
        except (OSError, ValueError, MyodyneError) as error:
            raise FileError(f"{self._file}: the saved task cannot be read ({error!s:.200}); start with --new") from None
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
    if "com.position_x" in solution:
        way = solution.values("com.position_x")
        facts.append(Fact("speed", "Mean speed", float(way[-1] - way[0]) / solution.duration, "m/s"))
    return (*facts, *summary_of(solution, solution.model))


def _goals(parts: Mapping[str, float]) -> list[Fact]:
    return [Fact(f"goal-{name.replace(' ', '-')}", f"Goal: {name}", value, "") for name, value in parts.items()]
