"""The way to a solution: approaches without exact second derivatives, and what a finer mesh is given of a coarser one."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.optimise.ipopt.approach import Approach
from myodyne.optimise.ipopt.options import ipopt_options
from myodyne.optimise.ipopt.run import Ipopt, Outcome
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.optimise.transcription.transfer import transferred
from support.small_problems import block

pytestmark = pytest.mark.usefixtures("interpreted")

SETTINGS = my.Settings(tolerance=1e-8)
TIME = np.linspace(0.0, 1.0, 21)


def following() -> my.Problem:
    """Return the problem of a mass that follows a wave with little force."""
    wave = my.Trajectory(TIME, {"way": 0.2 * np.sin(2 * np.pi * TIME)})
    goals = [my.Track(wave, deviations=0.1), my.Effort(of="controls", weight=0.01)]
    return my.Problem(block(), duration=1.0, goals=goals, guess=my.Trajectory(TIME, {"way": np.ones_like(TIME)}))


def program(problem: my.Problem, nodes: int = 21) -> Program:
    return Program(problem, my.Midpoint(), [np.linspace(0.0, 1.0, nodes)])


def test_the_approach_depends_on_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quasi-Newton from a cold start without data; goals-only with data, and from a warm start."""
    taken: list[str] = []
    for kind in ("_quasi_newton", "_goals_only"):
        kept = getattr(Approach, kind)
        monkeypatch.setattr(Approach, kind, lambda *given, kind=kind, kept=kept: (taken.append(kind), kept(*given))[1])
    alone = following().model_copy(update={"goals": following().goals[1:]})
    how = {"scheme": my.Midpoint(), "nodes": 11, "audit": False, "show": False}
    known = my.solve(alone, **how)
    my.solve(alone, guess=known, **how)
    my.solve(following(), **how)
    assert taken == ["_quasi_newton", "_goals_only", "_goals_only"]


def test_an_easier_problem_that_follows_data_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a larger barrier; without an easier one, or without data, nothing changes."""
    given: list[dict[str, object]] = []
    original = Ipopt.solve

    def watched(self: Ipopt, start: Iterate) -> Outcome:
        given.append(self._options)
        return original(self, start)

    monkeypatch.setattr(Ipopt, "solve", watched)
    goal = following().goals[1].name
    for asked in (following(), following().model_copy(update={"goals": following().goals[1:]})):
        given.clear()
        eased = asked.model_copy(update={"continuation": ({goal: 0.1},)})
        my.solve(eased, my.Midpoint(), nodes=11, audit=False, show=False)
        follows = len(asked.goals) == 2
        ends = [options.get("compl_inf_tol") for options in given]
        multipliers = {options.get("alpha_for_y") for options in given}
        assert ends == ([3e-4, 3e-4, None, None] if follows else [None] * len(ends))
        assert multipliers == ({"min-dual-infeas"} if follows else {None})
        if follows:
            assert given[1]["mu_init"] == 0.1
    given.clear()
    my.solve(following(), my.Midpoint(), nodes=11, audit=False, show=False)
    assert all("alpha_for_y" not in options for options in given)
    assert given[1]["mu_init"] == 1.0


def test_a_search_that_is_stuck_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    how = {"scheme": my.Midpoint(), "nodes": 11, "audit": False, "show": False}
    known = my.solve(following(), **how)
    assert known.report.message == "solved"
    monkeypatch.setattr("myodyne.optimise.ipopt.approach._PATIENCE", 2)
    found = my.solve(following(), **how)
    assert found.report.message == "solved, restarted with an adaptive barrier after 2 iterations"
    assert found.report.iterations > 2
    assert found.values("way") == pytest.approx(known.values("way"), abs=1e-4)
    # No more iterations than are allowed, and no other barrier than the one that somebody chose.
    for settings in (my.Settings(most_iterations=2), my.Settings(options={"mu_strategy": "monotone"})):
        with pytest.raises(my.SolveError, match="too many iterations"):
            my.solve(following(), settings=settings, **how)
    # Iterations of both ways count where neither ends.
    with pytest.raises(my.SolveError, match="too many iterations") as stuck:
        my.solve(following(), settings=my.Settings(most_iterations=3), **how)
    assert stuck.value.result.report.iterations == 3


def test_the_solution_does_not_depend_on_the_approach() -> None:
    found = []
    for approach in (0, 1, 60):
        settings = my.Settings(tolerance=1e-8, approach=approach)
        solution = my.solve(following(), my.Midpoint(), nodes=21, settings=settings, audit=False, show=False)
        found.append(solution.values("way"))
    assert np.ptp(found[0]) > 0.1
    assert found[1] == pytest.approx(found[0], abs=1e-6)
    assert found[2] == pytest.approx(found[0], abs=1e-6)


def test_goals_only_iterations_leave_out_the_curvature_of_constraints() -> None:
    """What IPOPT is given then is the curvature of the goals, whatever the multipliers are."""
    asked: list[np.ndarray] = []

    class Listening(Program):
        def hessian(self, unknowns: np.ndarray, factor: float, multipliers: np.ndarray) -> np.ndarray:
            asked.append(multipliers)
            return super().hessian(unknowns, factor, multipliers)

    given = Listening(following(), my.Midpoint(), [TIME])
    start = Iterate.at(np.full(given.count, 0.5), given.rows)
    start.unknowns = np.clip(start.unknowns, *given.bounds)
    for goals_only in (True, False):
        asked.clear()
        outcome: Outcome = Ipopt(given, ipopt_options(SETTINGS), goals_only=goals_only).solve(start)
        assert outcome.solved
        assert asked
        assert any(multipliers.any() for multipliers in asked) is not goals_only


def test_what_alternates_stays_behind() -> None:
    """The equations of the midpoint rule see nothing of it; on a finer mesh it would be a vibration."""
    coarse, fine = program(following(), 21), program(following(), 81)
    places = coarse.phases[0].grid.node_places(0, "states")
    last = coarse.phases[0].grid.node_places(1, "states")[-1]
    smooth = Iterate.at(np.zeros(coarse.count), coarse.rows)
    smooth.unknowns[places[:, 0]] = 0.3 * TIME[:-1]
    smooth.unknowns[last[0]] = 0.3
    ringing = Iterate.at(smooth.unknowns.copy(), coarse.rows)
    ringing.unknowns[places[:, 0]] += 0.05 * (-1.0) ** np.arange(20)
    ringing.unknowns[last[0]] += 0.05
    ways = fine.phases[0].grid.node_places(0, "states")[:, 0]
    expected, found = (transferred(iterate, coarse, fine).unknowns[ways] for iterate in (smooth, ringing))
    assert expected == pytest.approx(0.3 * np.linspace(0.0, 1.0, 81)[:-1], abs=1e-12)
    assert found == pytest.approx(expected, abs=1e-12)


def test_curves_are_carried_as_curves() -> None:
    """A cubic of time stays one, but for what the smoothing of the midpoint rule takes off its bends."""
    coarse, fine = program(following(), 21), program(following(), 81)
    given = Iterate.at(np.zeros(coarse.count), coarse.rows)
    given.unknowns[coarse.phases[0].grid.node_places(0, "states")[:, 0]] = TIME[:-1] ** 3
    given.unknowns[coarse.phases[0].grid.node_places(1, "states")[-1, 0]] = 1.0
    found = transferred(given, coarse, fine).unknowns[fine.phases[0].grid.node_places(0, "states")[:, 0]]
    at = np.linspace(0.0, 1.0, 81)[:-1]
    bends = 6 * at * (1 / 20) ** 2 / 4
    assert found[8:-8] == pytest.approx((at**3 + bends)[8:-8], abs=1e-4)


def test_multipliers_of_bounds_are_carried_by_the_weights_of_their_points() -> None:
    """Of Radau's two points the first counts three times as much in integrals, and so do its multipliers."""
    problem = my.load_problem("sliding_mass")
    assert isinstance(problem, my.Problem)
    coarse, fine = (my.solve(problem, my.Radau(2), nodes=[count], audit=False) for count in (11, 21))
    old, new = (Program(problem, one.scheme, list(one.meshes)) for one in (coarse, fine))
    moved = transferred(coarse.iterate, old, new)
    for point in (0, 1):
        places = new.phases[0].grid.node_places(point, "controls")[:, 0]
        # The first control is tied to the second.
        found, expected = ((one.lower + one.upper)[places][2:] for one in (moved, fine.iterate))
        assert found == pytest.approx(expected, abs=0.03 * expected.max())
