"""The optima of a studio, each found from the one before, and the Python that finds them again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, fields

from myodyne.optimise import Settings, Solution
from myodyne.studio.tasks.task import Task

# Optima that are kept; older ones are solved again where undo comes to them.
_KEPT = 200


@dataclass(frozen=True, eq=False)
class Step:
    """How an optimum was found: from a file, or for which task, from which other, with which settings."""

    task: Task
    before: Step | None = None
    settings: Settings | None = None
    loaded: str = ""
    stopped: bool = False


@dataclass(frozen=True, eq=False)
class Link:
    """An optimum and how it was found."""

    step: Step
    solution: Solution


class Chain:
    """Optima by task."""

    def __init__(self) -> None:
        self._links: OrderedDict[str, Link] = OrderedDict()
        self.last: Link | None = None

    def add(self, link: Link) -> None:
        """Keep an optimum; it is what the next solve starts from."""
        self._links[link.step.task.key] = self.last = link
        while len(self._links) > _KEPT:
            self._links.popitem(last=False)

    def find(self, task: Task) -> Link | None:
        """Return the optimum of a task and make it the last; None where there is none."""
        found = self._links.get(task.key)
        self.last = found or self.last
        return found


def task_script(task: Task, last: Step | None) -> str:
    """Return a script that finds the last optimum in the way it was found.

    Examples
    --------
    >>> from myodyne.studio.tasks.task import opened_task
    >>> task, _ = opened_task("sliding_mass")
    >>> print(task_script(task, Step(task)).splitlines()[-2])
    found = my.solve(problem, nodes=21, audit=False)
    """
    steps: list[Step] = []
    while last is not None:
        steps.insert(0, last)
        last = last.before
    kind, name = task.origin
    lines = ["import myodyne as my", ""]
    lines.append(
        f"problem = my.load({name!r}).problem" if kind == "solution" else f"problem = my.load_problem({name!r})"
    )
    for step in steps:
        lines += _step(step)
    if not steps:
        lines.append("# No movement has been found yet.")
    elif steps[-1].task.key != task.key:
        lines.append("# The present task has not been solved yet.")
    return "\n".join([*lines, "my.show(found)"] if steps else lines) + "\n"


def _step(step: Step) -> list[str]:
    if step.loaded:
        return [f"found = my.load({step.loaded!r})"]
    task = step.task
    lines = []
    if step.before is None:
        guess = first_guess_code(task)
        start = [f"guess={guess}"] if guess else []
        nodes = repr(task.problem.nodes)
    else:
        start, nodes = ["guess=found"], f"[{task.problem.nodes}]"
    settings = [] if step.settings is None else [f"settings={_settings(step.settings)}"]
    if step.stopped:
        lines.append("# This solve was stopped by hand; to its end it gives other numbers.")
    words = ", ".join([_problem(task), f"nodes={nodes}", *start, *settings, "audit=False"])
    return [*lines, f"found = my.solve({words})"]


def first_guess_code(task: Task) -> str:
    """Return the guess of a first solve, as code; empty where the problem has one start alone."""
    if not task.problem.starts:
        return ""
    return "problem.guess" if task.problem.guess is not None else "problem.starts[0]"


def _problem(task: Task) -> str:
    code, numbers = "problem", task.numbers
    if numbers:
        code += f".with_model(problem.model.free({', '.join(map(repr, numbers))})).with_values({numbers!r})"
    if task.weights:
        code += f".with_weights(**{dict(task.weights)!r})"
    return code if task.speed is None else f"{code}.with_speed({task.speed!r})"


def _settings(settings: Settings) -> str:
    plain = Settings()
    words = [
        f"{item.name}={getattr(settings, item.name)!r}"
        for item in fields(settings)
        if getattr(settings, item.name) != getattr(plain, item.name)
    ]
    return f"my.Settings({', '.join(words)})"
