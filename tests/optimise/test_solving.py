"""Solving: warm starts, meshes, continuation, sought numbers, phases, failures, and solves that were cut off."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from myodyne.optimise.ipopt import watching
from myodyne.optimise.ipopt.run import Ipopt
from support.small_problems import block

# These models are so small that compiling would take most of the time.
pytestmark = pytest.mark.usefixtures("interpreted")

RADAU = my.Radau(degree=2)
TIGHT = my.Settings(tolerance=1e-9)
AT_REST = {"way": 0.0, "way.speed": 0.0}


def fast(**changes: Any) -> my.Problem:
    """Return the problem of the mass that goes 1 m in the shortest time, 0.4 s."""
    given = {
        "duration": (0.1, 2.0),
        "goals": [my.FinalTime()],
        "conditions": [my.Start(AT_REST), my.End({"way": 1.0, "way.speed": 0.0})],
    }
    return my.Problem(block(), **{**given, **changes})


def gentle(**changes: Any) -> my.Problem:
    """Return the problem of the mass that goes 1 m in 1 s with the least squared force: it has one minimum."""
    given = {
        "name": "gentle",
        "duration": 1.0,
        "goals": [my.Effort(of="controls", label="effort")],
        "conditions": [my.Start(AT_REST), my.End({"way": 1.0, "way.speed": 0.0})],
    }
    return my.Problem(block(), **{**given, **changes})


def solved(problem: Any, **how: Any) -> my.Solution:
    """Return a solution on a small mesh without a replay."""
    return my.solve(problem, **{"scheme": RADAU, "nodes": 11, "audit": False, **how})


def objective(solution: my.Solution) -> float:
    assert solution.report.optimum is not None
    return solution.report.optimum.objective


def iterations(solution: my.Solution) -> int:
    assert solution.report.optimum is not None
    return solution.report.optimum.iterations


def interrupt(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let Ctrl-C come after so many iterations."""
    original, seen = watching.Watcher.__call__, []

    def interrupted(watcher: Any, moment: Any, current: Any) -> bool:
        seen.append(moment.iteration)
        if len(seen) == after:
            raise KeyboardInterrupt
        return original(watcher, moment, current)

    monkeypatch.setattr(watching.Watcher, "__call__", interrupted)


class TestCutOff:
    """Solves that were interrupted, killed or ran out of time go on to the same optimum."""

    @pytest.mark.parametrize("after", [1, 4, 9])
    def test_interrupted(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: int) -> None:
        whole = solved(fast(), settings=TIGHT)
        file = tmp_path / "mass.checkpoint"
        with monkeypatch.context() as patch:
            interrupt(patch, after)
            stopped = solved(fast(), settings=TIGHT, checkpoint=file)
        assert stopped.report.status == "interrupted"
        assert not stopped.report.succeeded
        assert iterations(stopped) <= after
        assert f"my.resume({str(file)!r})" in stopped.report.message
        again = my.resume(file)
        assert again.report.status == "completed"
        assert objective(again) == pytest.approx(objective(whole), abs=1e-6)
        assert again.values("way") == pytest.approx(whole.values("way"), abs=1e-6)
        assert not file.exists()

    @pytest.mark.parametrize("when", [1, 40])
    def test_interrupted_between_ipopt_and_python(self, when: int) -> None:
        """A callback that has only been entered cannot raise: ctypes would print the exception and drop it."""
        solved(fast(), settings=TIGHT)
        entered = []

        def trace(frame: Any, event: str, _value: object) -> None:
            if event == "call" and frame.f_code.co_name == "guarded":
                entered.append(True)
                if len(entered) == when:
                    signal.raise_signal(signal.SIGINT)

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            stopped = solved(fast(), settings=TIGHT)
        finally:
            sys.settrace(before)
        assert stopped.report.status == "interrupted"

    def test_interrupted_on_the_way_to_a_finer_mesh(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        file = tmp_path / "mass.checkpoint"
        whole = solved(fast(), nodes=[5, 16], settings=TIGHT)
        with monkeypatch.context() as patch:
            interrupt(patch, 3)
            stopped = solved(fast(), nodes=[5, 16], settings=TIGHT, checkpoint=file)
        assert len(stopped.time) == 5
        again = my.resume(file)
        assert len(again.time) == 16
        assert objective(again) == pytest.approx(objective(whole), abs=1e-6)

    def test_interrupted_between_two_meshes(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """What the coarse mesh has come to is kept while the fine one is made."""
        from myodyne.optimise import solving

        def interrupted(*_: Any) -> Any:
            raise KeyboardInterrupt

        file = tmp_path / "mass.checkpoint"
        with monkeypatch.context() as patch:
            patch.setattr(solving, "transferred", interrupted)
            stopped = solved(fast(), nodes=[5, 16], settings=TIGHT, checkpoint=file)
        assert stopped.report.status == "interrupted"
        assert len(stopped.time) == 5
        again = my.resume(file)
        assert objective(again) == pytest.approx(objective(solved(fast(), nodes=[16], settings=TIGHT)), abs=1e-6)

    def test_interrupted_while_it_is_replayed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A solution that was found is returned, whatever becomes of its replay."""
        # The package has a function of the same name, which hides the module from an ordinary import.
        replaying = importlib.import_module("myodyne.optimise.replay")

        def interrupted(*arguments: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(replaying, "motion_after", interrupted)
        found = solved(fast(), audit=True)
        assert found.report.status == "completed"
        assert found.report.optimum.replay is None
        assert "interrupted" in found.report.notes[0]

    def test_out_of_time(self, tmp_path: Path) -> None:
        file = tmp_path / "mass.checkpoint"
        stopped = solved(fast(), settings=my.Settings(tolerance=1e-9, seconds=1e-6), checkpoint=file)
        assert stopped.report.status == "interrupted"
        assert stopped.report.message.startswith("out of time")
        assert objective(my.resume(file)) == pytest.approx(objective(solved(fast(), settings=TIGHT)), abs=1e-6)

    def test_killed(self, tmp_path: Path) -> None:
        """Kill -9 leaves the last checkpoint, whole, from which the solve goes on."""
        file = tmp_path / "mass.checkpoint"
        script = (
            "import sys, time\n"
            "import myodyne as my\n"
            "from myodyne.optimise.ipopt import watching\n"
            "watching._CHECKPOINT = 0.0\n"
            "call = watching.Watcher.__call__\n"
            "def slow(*arguments):\n"
            "    time.sleep(0.2)\n"
            "    return call(*arguments)\n"
            "watching.Watcher.__call__ = slow\n"
            "my.solve(my.load_problem('sliding_mass'), nodes=9, settings=my.Settings(1e-9), audit=False, checkpoint=sys.argv[1])\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", script, str(file)], env={**os.environ, "MYODYNE_COMPILER": "none"}
        )
        until = time.monotonic() + 120.0
        while not file.exists() and child.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        assert child.poll() is None, "the solve ended before it could be killed"
        time.sleep(0.5)
        child.kill()
        assert child.wait(60) == -signal.SIGKILL
        again = my.resume(file)
        whole = my.solve(my.load_problem("sliding_mass"), nodes=9, settings=TIGHT, audit=False)
        assert objective(again) == pytest.approx(objective(whole), abs=1e-6)

    def test_functions_are_not_in_the_file(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        problem = gentle(goals=[my.Custom(mean=lambda at: at["push.control"] ** 2)])
        file = tmp_path / "custom.checkpoint"
        with monkeypatch.context() as patch:
            interrupt(patch, 1)
            solved(problem, checkpoint=file)
        with pytest.raises(my.ModelError, match=r"functions, which are not stored in the file; give the problem too"):
            my.resume(file)
        with pytest.raises(my.ModelError, match=r"belongs to another problem"):
            my.resume(file, fast(parameters={"block.mass": (1.0, 2.0)}))
        assert objective(my.resume(file, problem)) == pytest.approx(objective(solved(problem)), abs=1e-6)

    def test_files_that_are_no_checkpoints(self, tmp_path: Path) -> None:
        text, cut = tmp_path / "text.checkpoint", tmp_path / "cut.checkpoint"
        text.write_text("walk")
        solved(fast(), settings=my.Settings(seconds=1e-6), checkpoint=cut)
        cut.write_bytes(cut.read_bytes()[:-200])
        other = tmp_path / "other.checkpoint"
        with other.open("wb") as file:
            np.savez(file, words=np.array('{"phases": 0}'), unknowns=[0.0], lower=[0.0], upper=[0.0], rows=[0.0])
        for path in (text, cut, other):
            with pytest.raises(
                my.FileError, match=r"checkpoint: this is not a checkpoint of a solve, or it is damaged"
            ):
                my.resume(path)
        with pytest.raises(my.FileError, match=r"no such checkpoint"):
            my.resume(tmp_path / "none")
        with pytest.raises(my.FileError, match=r"there is no folder"):
            solved(fast(), settings=my.Settings(seconds=1e-6), checkpoint=tmp_path / "none" / "x.checkpoint")


class TestFailure:
    """A solve that did not succeed never looks like one that did."""

    def test_infeasible(self) -> None:
        with pytest.raises(my.SolveError, match="infeasible") as caught:
            solved(gentle(duration=0.2))
        report = caught.value.result.report
        assert report.status == "failed"
        worst = report.optimum.violations[0]
        assert worst.name.startswith("equation of way")
        assert 0.0 <= worst.time <= 0.2
        assert worst.size > 1e-3
        assert f"Worst: {worst}" in str(caught.value)
        assert len(caught.value.result.values("way")) == 11

    def test_the_worst_condition_is_named(self) -> None:
        limits = [my.Bounds({"com.position_x": (0.0, 0.5)}), my.Bounds({"com.velocity_x": (None, 0.6)})]
        with pytest.raises(my.SolveError) as caught:
            solved(gentle(conditions=[*gentle().conditions, *limits]))
        named = {violation.name for violation in caught.value.result.report.optimum.violations}
        assert named & {"com.position_x", "com.velocity_x", "equation of way", "equation of way.speed"}
        assert " s by " in str(caught.value)

    def test_too_few_iterations(self) -> None:
        with pytest.raises(my.SolveError, match="too many iterations"):
            solved(fast(), settings=my.Settings(most_iterations=2))

    def test_what_is_no_number_is_named(self) -> None:
        goal = my.Custom(mean=lambda at: (at["way"] - 9.0) ** 0.5, label="root")
        with pytest.raises(my.SolveError, match=r"NaN there: root"):
            solved(gentle(goals=[goal]))


class TestStarts:
    """Guesses, warm starts, meshes, continuation."""

    def test_warm_starts_take_fewer_iterations(self) -> None:
        cold = solved(fast(), settings=TIGHT)
        assert iterations(solved(fast(), guess=cold, settings=TIGHT)) <= 2
        slower = fast(conditions=[*fast().conditions, my.Bounds({"push.control": (-0.9, 0.9)})])
        warm = solved(slower, guess=cold, settings=TIGHT)
        again = solved(slower, settings=TIGHT)
        assert iterations(warm) < iterations(again)
        assert objective(warm) == pytest.approx(objective(again), abs=1e-6)
        finer = solved(fast(), nodes=21, guess=cold, settings=TIGHT)
        assert objective(finer) == pytest.approx(objective(solved(fast(), nodes=21, settings=TIGHT)), abs=1e-6)

    def test_a_warm_start_begins_with_the_barrier_at_which_a_solve_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A smaller one would drive the movement out of the minimum that a loose solve has found."""
        cold = solved(fast(), settings=TIGHT)
        barriers = []
        original = Ipopt.solve

        def watched(self: Any, start: Any) -> Any:
            barriers.append(self._options["mu_init"])
            return original(self, start)

        monkeypatch.setattr(Ipopt, "solve", watched)
        for tolerance in (1e-4, 1e-5, 1e-8):
            solved(fast(), guess=cold, settings=my.Settings(tolerance=tolerance, approach=0))
        assert barriers == pytest.approx([1e-5, 1e-6, 1e-6])

    def test_a_warm_start_with_numbers_that_were_not_sought(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """They begin where the model has them, not where another unknown was."""
        starts = []
        original = Ipopt.solve

        def watched(self: Any, start: Any) -> Any:
            starts.append(start.unknowns[-1])
            return original(self, start)

        monkeypatch.setattr(Ipopt, "solve", watched)
        cold = solved(fast())
        starts.clear()
        heavy = solved(fast(parameters={"block.mass": (1.0, 3.0)}), guess=cold)
        assert starts[0] == 2.0
        assert heavy.report.optimum.parameters["block.mass"] == pytest.approx(1.0, abs=1e-3)
        assert heavy.model.value("block.mass") == heavy.report.optimum.parameters["block.mass"]

    def test_any_guess_leads_to_the_one_minimum(self) -> None:
        """Standing, from data with or without speeds, straight, from another scheme, and from nothing."""
        best = objective(solved(gentle(), settings=TIGHT))
        time_ = np.linspace(3.0, 5.0, 9)
        way = np.linspace(-0.3, 1.4, 9)
        guesses = [
            my.standing(block()),
            my.standing(block(), {"way": 0.7}),
            my.Trajectory(time_, {"way": way}),
            my.Trajectory(time_, {"way": way, "way.speed": np.ones(9), "push.control": np.zeros(9)}),
            my.interpolated(block(), {"way": 0.0}, {"way": 1.0}),
            my.solve(gentle(), my.Midpoint(), nodes=15, audit=False),
            None,
        ]
        for guess in guesses:
            assert objective(solved(gentle(), guess=guess, settings=TIGHT)) == pytest.approx(best, abs=1e-8)
        with pytest.raises(DataError, match="the guess: 'way' is nan at 1 s"):
            solved(gentle(), guess=my.Trajectory([0.0, 1.0], {"way": [0.0, np.nan]}), settings=TIGHT)
        assert objective(solved(gentle(guess=guesses[2]), settings=TIGHT)) == pytest.approx(best, abs=1e-8)

    def test_a_sequence_of_meshes(self) -> None:
        direct, through = solved(fast(), nodes=[31], settings=TIGHT), solved(fast(), nodes=[5, 13, 31], settings=TIGHT)
        assert len(through.time) == len(direct.time) == 31
        assert objective(through) == pytest.approx(objective(direct), abs=1e-7)

    def test_continuation(self) -> None:
        """Easier problems before the last leave no trace in it."""
        harder = fast(continuation=[{"final_time": 0.1, "block.mass": 0.5}, {"block.mass": 1.0}])
        found = solved(harder, settings=TIGHT)
        assert objective(found) == pytest.approx(objective(solved(fast(), settings=TIGHT)), abs=1e-7)
        assert found.report.optimum.parameters == {}
        assert found.model.value("block.mass") == 2.0
