"""Studies: values, failures, names, and tables that do not depend on how they were computed."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import myodyne as my
from myodyne.study import table as table_module
from myodyne.study.rows import Runner


def pendulum(**changes: Any) -> my.Study:
    arguments: dict[str, Any] = {
        "vary": my.grid({"start:angle": [0.1, 0.5, 1.0], "rod.mass": [1.0, 2.0]}),
        "measure": ["angle.min", "angle.mean", "energy.kinetic.max"],
        "duration": 0.6,
        "scheme": my.RK4(step=2e-3),
    }
    return my.Study(my.load_model("pendulum"), **{**arguments, **changes})


def compared(found: xarray.Dataset) -> xarray.Dataset:
    return found.drop_vars("seconds")


def test_rows_are_what_simulations_give() -> None:
    study = pendulum()
    found = study.run()
    assert found.sizes["row"] == 6
    model = my.load_model("pendulum").free("rod.mass").with_values({"rod.mass": 2.0})
    run = my.simulate(model, 0.6, start={"angle": 0.5}, scheme=my.RK4(step=2e-3))
    row = found.isel(row=3)
    assert row["start:angle"] == 0.5
    assert row["rod.mass"] == 2.0
    assert float(row["angle.min"]) == pytest.approx(run.values("angle").min(), rel=1e-13)
    assert float(row["energy.kinetic.max"]) == pytest.approx(run.values("energy.kinetic").max(), rel=1e-13)
    assert float(row["angle.mean"]) == pytest.approx(np.trapezoid(run.values("angle"), run.time) / 0.6)


def test_a_grid_unstacks_to_its_axes() -> None:
    found = pendulum().run()
    square = found.set_index(row=["start:angle", "rod.mass"]).unstack("row")
    assert square["angle.min"].shape == (3, 2)


def test_without_a_duration_the_measure_is_a_function_of_the_model() -> None:
    def weight(model: my.Model) -> float:
        return model.value("rod.mass") * 9.81

    found = my.Study(my.load_model("pendulum"), vary=my.grid({"rod.mass": [1.0, 3.0]}), measure=weight).run()
    assert found["weight"].values.tolist() == [9.81, 3 * 9.81]


def test_functions_of_runs_may_return_several_numbers() -> None:
    def ends(run: my.Result) -> dict[str, float]:
        return {"first": run.values("angle")[0], "last": run.values("angle")[-1]}

    found = pendulum(measure=[ends, "angle.max"]).run()
    assert {"first", "last", "angle.max"} <= set(found.data_vars)


def test_handles_of_controls_are_varied() -> None:
    model = my.load_model("double_pendulum")
    motor = my.CoordinateActuator(coordinate="angle1")
    driven = model.with_parts(forces={"motor": motor})
    vary = my.grid({"control:motor.time.0": [0.1, 0.3], "control:motor.value.1": [0.0, 0.5]})
    found = my.Study(driven, vary=vary, measure="angle1.max", duration=0.5, controls={"motor": my.step(0.2)}).run()
    for number, (at, after) in enumerate(vary.values):
        run = my.simulate(driven, 0.5, controls={"motor": my.step(at, after=after)})
        assert float(found["angle1.max"][number]) == run.values("angle1").max()


def test_failures_are_rows_with_their_reason_and_inputs() -> None:
    def fussy(model: my.Model) -> float:
        mass = model.value("rod.mass")
        if mass == 2.0:
            raise ValueError("two is too much")
        return float("nan") if mass == 3.0 else mass

    found = my.Study(my.load_model("pendulum"), vary=my.grid({"rod.mass": [1.0, 2.0, 3.0, -4.0]}), measure=fussy).run()
    assert found["status"].values.tolist() == ["completed", "failed", "failed", "failed"]
    assert found["reason"].values[1] == "ValueError: two is too much"
    assert "is NaN" in found["reason"].values[2]
    assert "rod.mass" in found["reason"].values[3] or "mass" in found["reason"].values[3]
    assert found["rod.mass"].values.tolist() == [1.0, 2.0, 3.0, -4.0]
    assert np.isnan(found["fussy"].values[1:]).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vary": my.grid({"rod.mas": [1.0]})}, "did you mean 'rod.mass'"),
        ({"vary": my.grid({"start:angel": [1.0]})}, "did you mean 'angle'"),
        ({"vary": my.grid({"control:motor.value.0": [1.0]})}, "has no controls"),
        ({"vary": my.grid({"gravity": [1.0]})}, "not a single number"),
        ({"measure": "angel.max"}, "did you mean 'angle'"),
        ({"measure": "angle"}, "angle.max"),
        ({"measure": "angle.biggest"}, "unknown reduction"),
        ({"measure": ["angle.max", "angle.max"]}, "appears twice"),
        ({"measure": []}, "nothing to measure"),
        ({"measure": 3.0}, "not 3.0"),
        ({"measure": {"seconds": "angle.max"}}, "column of this name"),
        ({"duration": None}, "add duration"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_row(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        pendulum(**changes)


def test_a_study_of_ranges_has_no_rows() -> None:
    with pytest.raises(my.ModelError, match=r"my\.sample"):
        pendulum(vary={"rod.mass": (1.0, 2.0)}).run()


def test_a_table_on_disk_comes_back_equal(tmp_path: Path) -> None:
    study = pendulum()
    found = study.run(out=tmp_path / "table")
    assert compared(my.load_study(tmp_path / "table")).identical(compared(found))
    assert compared(study.run()).identical(compared(found))
    with pytest.raises(my.FileError, match="resume=True"):
        study.run(out=tmp_path / "table")
    assert study.run(out=tmp_path / "table", resume=True).identical(found)


def test_a_stopped_study_goes_on_where_it_ended(tmp_path: Path) -> None:
    out, calls = tmp_path / "table", tmp_path / "calls"
    calls.mkdir()
    stop = tmp_path / "stop"
    stop.touch()

    def slow(run: my.Result, folder: str = str(calls), stop: str = str(stop)) -> float:
        name = f"{run.values('angle')[0]:g}"
        if name == "0.4" and Path(stop).exists():
            raise KeyboardInterrupt
        with (Path(folder) / name).open("a") as file:
            file.write("x")
        return float(run.final["angle"])

    study = pendulum(vary=my.grid({"start:angle": [0.1, 0.2, 0.3, 0.4, 0.5]}), measure=slow)
    with pytest.raises(KeyboardInterrupt):
        study.run(out=out)
    assert my.load_study(out).sizes["row"] == 3
    with (out / "journal.jsonl").open("ab") as journal:
        journal.write(b"[3,[0.4],{")  # what a kill leaves
    stop.unlink()
    found = study.run(out=out, resume=True)
    assert {path.name: path.read_text() for path in calls.iterdir()} == dict.fromkeys(
        ["0.1", "0.2", "0.3", "0.4", "0.5"], "x"
    )
    assert compared(found).identical(compared(study.run()))


def test_tables_of_other_studies_are_refused(tmp_path: Path) -> None:
    pendulum().run(out=tmp_path / "table")
    with pytest.raises(my.FileError, match=r"another study.*other simulation"):
        pendulum(duration=0.7).run(out=tmp_path / "table", resume=True)
    with pytest.raises(my.FileError, match="other vary"):
        pendulum(vary=my.grid({"rod.mass": [1.0]})).run(out=tmp_path / "table", resume=True)
    with pytest.raises(my.FileError, match="holds no study"):
        my.load_study(tmp_path)
    with pytest.raises(my.FileError, match="other files"):
        pendulum().run(out=tmp_path)


def test_two_cannot_write_to_one_table(tmp_path: Path) -> None:
    study = pendulum()
    with (
        table_module.opened(tmp_path / "table", {**_facts(study)}, resume=False),
        pytest.raises(my.FileError, match="another process"),
    ):
        study.run(out=tmp_path / "table", resume=True)


def _facts(study: my.Study) -> dict[str, Any]:
    from myodyne.study.running import facts_of

    return facts_of(study)


def test_a_full_disk_keeps_the_rows_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Steps that the error chooses: rows are written one by one.
    study, out = pendulum(scheme=my.DOP853()), tmp_path / "table"
    usual = table_module.Table.add
    written = 0

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def write(self, data: bytes) -> None:
            self.file.write(data[:7])
            self.file.flush()
            raise OSError(errno.ENOSPC, "No space left on device")

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    def add(self: Any, entries: Any) -> None:
        nonlocal written
        if written == 3:
            self._journal = Full(self._journal)
        usual(self, entries)
        written += 1

    monkeypatch.setattr(table_module.Table, "add", add)
    with pytest.raises(my.FileError, match="the disk is full; the rows written before are safe"):
        study.run(out=out)
    monkeypatch.undo()
    assert my.load_study(out).sizes["row"] == 3
    assert compared(study.run(out=out, resume=True)).identical(compared(study.run()))


def test_long_journals_become_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "_LONG_JOURNAL", 4)
    study = pendulum(vary=my.grid({"start:angle": np.linspace(0.1, 1.0, 20)}))
    found = study.run(out=tmp_path / "table")
    # The first batch fills the lanes of the processor; the sizes of the others depend on the clock.
    assert len(list((tmp_path / "table").glob("rows-*.parquet"))) >= 2
    assert compared(my.load_study(tmp_path / "table")).identical(compared(found))
    assert compared(found).identical(compared(study.run()))


_SCRIPT = """
import myodyne as my

def double(run):
    return 2.0 * run.final["angle"]

study = my.Study(
    my.load_model("pendulum"), vary=my.grid({"start:angle": [0.1, 0.2, 0.3, 0.4]}), measure=double, duration=0.2
)
alone, together = study.run(), study.run(my.Processes(2))
print(bool(alone.drop_vars("seconds").identical(together.drop_vars("seconds"))), int((alone["status"] == "completed").sum()))
"""


def test_processes_work_from_a_plain_script_without_a_guard(tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text(_SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["True", "4"], done.stderr


@pytest.mark.long
def test_a_row_that_kills_its_process_is_a_failed_row() -> None:
    def deadly(run: my.Result) -> float:
        import os

        if run.values("angle")[0] == 0.2:
            os._exit(3)
        return float(run.final["angle"])

    study = pendulum(vary=my.grid({"start:angle": [0.1, 0.2, 0.3]}), measure=deadly)
    found = study.run(my.Processes(1))
    assert found["status"].values.tolist() == ["completed", "failed", "completed"]
    assert "exit code 3" in found["reason"].values[1]


@pytest.mark.long
def test_one_core_two_processes_and_a_cluster_give_equal_tables(tmp_path: Path) -> None:
    study = my.Study(
        my.load_model("jumper"),
        vary=my.sample({"soleus.max_force": (4e3, 9e3), "vasti.max_force": (6e3, 1e4)}, count=60, seed=7),
        measure=["com.position_y.max", "knee.final"],
        duration=0.2,
    )
    alone = compared(study.run())
    assert (alone["status"] == "completed").all()
    assert compared(study.run(my.Processes(2))).identical(alone)
    assert compared(study.run(my.Dask(count=2), out=tmp_path / "dask")).identical(alone)


def test_the_clusters_of_others_are_named_clearly_when_they_do_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(my.MyodyneError, match="no scheduler answers"):
        pendulum().run(my.Dask("not an address"))


def test_onsets_and_splines_are_controls() -> None:
    jumper = my.load_model("jumper")
    rest = {name: muscle.default_activation for name, muscle in jumper.muscles.items()}
    timing = my.Onsets(rest, offsets=True)
    burst = timing.controls({"soleus.onset": 0.1, "soleus.offset": 0.2})["soleus"]
    assert isinstance(burst, my.Signal)
    assert burst([0.05, 0.15, 0.25]).tolist() == [rest["soleus"], 1.0, rest["soleus"]]
    never = timing.controls({"soleus.onset": 0.2, "soleus.offset": 0.1})["soleus"]
    assert isinstance(never, my.Signal)
    assert never([0.0, 0.15, 0.3]).tolist() == [rest["soleus"]] * 3
    with pytest.raises(my.ModelError, match=r"did you mean 'soleus\.onset'"):
        my.Study(jumper, vary={"soleuss.onset": (0.0, 0.1)}, measure="knee.max", duration=0.1, controls=timing)
    with pytest.raises(my.ModelError, match="at least one control"):
        my.SplineControls([])


@pytest.mark.parametrize("scheme", [my.RK4(step=2e-3), my.DOP853(), my.Rosenbrock(), my.Rosenbrock(step=2e-3, order=1)])
def test_rows_by_the_march_alone_are_those_of_simulations(scheme: Any) -> None:
    names = ["angle2.max", "angle1.speed.rms", "energy.kinetic.max", "energy.input_work.final"]
    vary = my.grid({"start:angle1": [0.3, 1.5], "gravity.y": [-9.81, -1.62]})
    study = my.Study(my.load_model("double_pendulum"), vary=vary, measure=names, duration=0.4, scheme=scheme)
    runner = Runner(study)
    assert runner._lean is not None
    for number in range(len(vary)):
        values = vary[number]
        run = runner.run(study.inputs.model(runner.model, values), values)
        expected = {name: one(run.time, run.values(one.output)) for name, one in runner._reductions.items()}
        found = runner.row(number, values).measures
        # Lanes have a sine of their own, which differs in the last bit.
        assert found == (pytest.approx(expected, rel=1e-13) if runner.side_by_side else expected)


def test_a_march_that_fails_leaves_its_row_to_the_simulation() -> None:
    spring = my.TorsionSpring(coordinate="angle", stiffness=1.0, rest=1.0)
    stiff = my.load_model("pendulum").with_parts(forces={"spring": spring})
    vary = my.grid({"spring.stiffness": [1.0, 1e9]})
    found = my.Study(stiff, vary=vary, measure="angle.max", duration=10.0, scheme=my.Euler(step=0.1)).run()
    assert found["status"].values.tolist() == ["completed", "failed"]
    assert "angle" in found["reason"].values[1]
