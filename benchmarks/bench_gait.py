"""Walking of gait2d: following data with 100 nodes, cold and warm, without data with 50, and growth with the mesh.

The paper's problems took half an hour (002-12), its solutions by IPOPT some thousand iterations and well under an hour
(002-19).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from timing import below, figure

import myodyne as my

SETTINGS = my.Settings(tolerance=1e-4)


def run() -> list[dict[str, Any]]:
    tracking = my.load_problem("gait2d_tracking")
    assert isinstance(tracking, my.Problem)
    # What is compiled is kept: compiling belongs to the first solve of a structure, not to every one.
    few = my.Settings(most_iterations=2)
    compiling, _ = _clocked(lambda: my.solve(tracking, nodes=[12], settings=few, audit=False))
    rows = [figure("first solve of a structure: expressions and compilation", compiling, "s")]
    cold, walk = _clocked(lambda: my.solve(tracking, nodes=100, settings=SETTINGS, audit=False))
    rows += [below("following Winter's data, 100 nodes, cold", cold, "s", 4.0), *_split("cold", walk)]
    changed = tracking.with_weights(effort=105.0)
    warm, again = _clocked(lambda: my.solve(changed, nodes=[100], guess=walk, settings=SETTINGS, audit=False))
    rows += [below("the same with another weight of effort, warm", warm, "s", 0.7), *_split("warm", again)]
    predictive = my.load_problem("gait2d_predictive")
    assert isinstance(predictive, my.Problem)
    free, _ = _clocked(lambda: my.solve(predictive, nodes=[21], guess=predictive.guess, audit=False))
    rows.append(below("walking without data, one start, 20 intervals of Radau for half a cycle", free, "s", 30.0))
    everything = my.solve(predictive)
    assert everything.report.optimum is not None
    # Eight starts on two cores in 25 s: 50 s of processor time.
    rows.append(
        below("walking without data, eight starts, mesh refined", everything.report.optimum.cpu_seconds, "s", 50.0)
    )
    return rows + _growth(tracking, walk)


def _clocked(work: Any) -> tuple[float, Any]:
    """Return the processor time of some work, and what it gives; a solve that failed counts with what it reached."""
    started = time.process_time()
    try:
        result = work()
    except my.SolveError as error:
        result = error.result
    return time.process_time() - started, result


def _split(what: str, walk: my.Solution) -> list[dict[str, Any]]:
    optimum = walk.report.optimum
    assert optimum is not None
    share = 100 * optimum.linear_seconds / optimum.cpu_seconds
    return [
        figure(f"iterations, {what}", float(optimum.iterations), ""),
        figure(f"share of the optimiser and its linear algebra, {what}", share, "%"),
    ]


def _growth(problem: my.Problem, walk: my.Solution) -> list[dict[str, Any]]:
    """Return the time of an iteration on ever finer meshes, and the power with which it grows."""
    counts, times = (25, 50, 100, 200, 400), []
    plain = problem.model_copy(update={"continuation": ()})
    guess = my.Trajectory(walk.time, {name: walk.values(name) for name in walk.names})
    # The first solve loads what was compiled, which would be counted to the first mesh.
    _clocked(lambda: my.solve(plain, nodes=[12], settings=my.Settings(most_iterations=1), audit=False))
    for count in counts:
        spent: list[tuple[float, int]] = []
        for iterations in (5, 45):
            settings = my.Settings(tolerance=1e-12, most_iterations=iterations, approach=0)
            _, reached = _clocked(
                lambda n=count, s=settings: my.solve(plain, nodes=[n], guess=guess, settings=s, audit=False)
            )
            spent.append((reached.report.optimum.cpu_seconds, reached.report.optimum.iterations))
        # What a solve needs before its first iteration is not part of an iteration.
        times.append((spent[1][0] - spent[0][0]) / (spent[1][1] - spent[0][1]))
    power = float(np.polyfit(np.log(counts), np.log(times), 1)[0])
    rows = [
        figure(f"an iteration with {count} nodes", 1e3 * seconds, "ms")
        for count, seconds in zip(counts, times, strict=True)
    ]
    return [*rows, below("power of the number of nodes with which an iteration grows", power, "", 1.2)]
