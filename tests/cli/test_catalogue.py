"""``myodyne models``, ``inspect``, ``schema``, ``cache`` and ``convert``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import typer

import myodyne as my
from myodyne.cli.arguments import SERIES_ENDINGS
from myodyne.cli.laboratory import anatomy
from myodyne.cli.main import app
from myodyne.files.series import timeseries
from myodyne.paths import fitted as fitted_paths
from support.wrapped_arm import wrapped_arm

DOCS = Path(__file__).parents[2] / "docs"


class TestNames:
    """Commands that do not exist."""

    @pytest.mark.parametrize(
        ("tried", "meant"),
        [("id", "inverse"), ("inverse_dynamics", "inverse"), ("optimize", "solve"), ("plott", "plot")],
    )
    def test_what_was_meant(self, cli, tried: str, meant: str) -> None:
        done = cli(tried)
        assert done.code == 2
        assert f"Did you mean '{meant}'?" in done.err

    def test_the_examples_of_all_pages_use_commands_that_exist(self, cli) -> None:
        commands = set(typer.main.get_command(app).commands)
        used = {
            (page.name, found)
            for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
            for found in re.findall(r"`myodyne (?!-)([a-z][a-z_-]*)", page.read_text("utf-8"))
        }
        assert len(used) > 20
        assert sorted(place for place in used if place[1] not in commands) == []


class TestModels:
    def test_json_lists_every_built_in(self, cli) -> None:
        done = cli("models", "--json")
        assert done.code == 0
        found = {item["name"]: item for item in done.json["models"]}
        assert tuple(found) == my.builtin_models()
        jumper = my.load_model("jumper_skeleton")
        assert found["jumper_skeleton"] == {
            "name": "jumper_skeleton",
            "bodies": 4,
            "coordinates": 4,
            "moving": 4,
            "muscles": 0,
            "constraints": 0,
            "controls": 3,
            "mass": pytest.approx(75.0),
            "source": jumper.source,
        }
        assert found["jumper"]["muscles"] == 6

    def test_table_names_every_built_in(self, cli) -> None:
        done = cli("models")
        assert done.code == 0
        lines = done.out.splitlines()
        for name in my.builtin_models():
            assert any(line.split()[:1] == [name] for line in lines)


class TestInspect:
    def test_json_holds_the_model_and_what_follows_from_it(self, cli) -> None:
        found = cli("inspect", "jumper_skeleton", "--json").json
        model = my.load_model("jumper_skeleton")
        assert found["hash"] == model.hash
        assert found["mass"] == pytest.approx(75.0)
        assert found["degrees_of_freedom"] == 4
        assert found["controls"] == ["ankle_motor", "knee_motor", "hip_motor"]
        assert found["coordinates"]["knee"]["range"] == list(model.coordinates["knee"].range)
        assert found["coordinates"]["knee"]["unit"] == "rad"
        assert list(found["bodies"]) == list(model.bodies)
        assert found["forces"]["knee_motor"]["gain"] == 440.0
        eq = my.equations_of(model, compiled=False)
        positions = eq.body_poses(eq.state()[:4])
        moments = [
            body.mass * (turn @ body.centre_of_mass + at)
            for body, turn, at in zip(model.bodies.values(), *positions, strict=True)
        ]
        np.testing.assert_allclose(found["centre_of_mass"], sum(moments) / model.mass, atol=1e-12)

    def test_ligaments_are_shown_by_the_bodies_they_run_over(self) -> None:
        path = my.PointPath(points=(("thigh", (0.0, -0.4, 0.0)), ("shank", (0.01, -0.03, 0.0))))
        text = anatomy.part_text(my.Ligament(path=path, slack_length=0.03, stiffness=1e5))
        assert text.startswith("path thigh → shank, slack length 0.03, stiffness 1e+05")

    def test_constraints_take_degrees_of_freedom(self, cli) -> None:
        found = cli("inspect", "four_bar", "--json").json
        assert len(found["coordinates"]) == 3
        assert found["degrees_of_freedom"] == 1

    def test_constraints_that_repeat_each_other_count_once(self, cli, tmp_path: Path) -> None:
        bar = my.load_model("four_bar")
        again = bar.with_parts(constraints={"again": bar.constraints["loop"]})
        my.save_model(again, tmp_path / "twice.yaml")
        assert cli("inspect", "twice.yaml", "--json").json["degrees_of_freedom"] == 1

    def test_tables_show_degrees_beside_radians(self, cli) -> None:
        done = cli("inspect", "jumper_skeleton")
        assert done.code == 0
        knee = next(line for line in done.out.splitlines() if line.split()[:1] == ["knee"] and "°" in line)
        assert "-2.356 to 0.087 rad (-135° to 4.985°)" in knee
        assert "turns about -z by knee" in done.out
        for title in ("Bodies", "Joints", "Coordinates", "Forces", "Markers"):
            assert f"\n{title}" in done.out

    @pytest.mark.parametrize("model", my.builtin_models())
    def test_every_built_in_can_be_shown(self, cli, model: str) -> None:
        done = cli("inspect", model)
        assert done.code == 0
        for name in my.load_model(model).coordinates:
            assert name in done.out

    def test_locked_coupled_and_odd_joints_are_described(self) -> None:
        joint = my.Joint(
            parent=my.Placement(body="ground"),
            child=my.Placement(body="arm"),
            coordinates={"a": my.Coordinate(), "b": my.Coordinate(locked=True)},
            axes=(
                my.Axis(
                    motion="rotation",
                    direction=(0.6, 0.8, 0.0),
                    function=my.Linear(coordinate="a", slope=2.0, offset=1.0),
                ),
                my.Axis(motion="translation", direction="y", function=my.Product(factors=("a", "b"))),
            ),
        )
        assert anatomy.motion_text(joint) == "turns about (0.6, 0.8, 0) by 2 a +1; slides along y by product(a, b)"
        assert anatomy.motion_text(my.weld("ground", "arm")) == "welded"
        assert anatomy.state_text(my.Coordinate(locked=True)) == "locked"
        assert anatomy.state_text(my.Coordinate(coupled="a")) == "follows a"


class TestOpenSim:
    FILE = Path(__file__).parents[1] / "fixtures" / "opensim" / "elements" / "leg_40000.osim"

    def test_nothing_is_fitted_to_show_paths_over_surfaces(
        self, cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        my.save_model(wrapped_arm(), tmp_path / "arm.yaml")
        monkeypatch.setattr(fitted_paths, "closest_fit", lambda *_: pytest.fail("a path was fitted"))
        done = cli("inspect", str(tmp_path / "arm.yaml"))
        assert done.code == 0
        assert "triceps_long" in done.out

    def test_the_account_of_a_file_is_shown(self, cli) -> None:
        done = cli("inspect", str(self.FILE))
        assert done.code == 0
        audit = my.load_model(self.FILE).audit
        lines = [line.split() for line in done.out.splitlines()]
        for kind, count in audit.counts.items():
            assert [kind, str(count.read), *([str(count.skipped)] if count.skipped else [])] in lines
        assert "Elements of the file (OpenSim 40000)" in done.out
        for title in ("Bodies", "Joints", "Coordinates", "Surfaces", "Muscles"):
            assert f"\n{title}" in done.out
        assert "\nRemarks" not in done.out

    def test_remarks_on_a_file_are_shown(self, cli) -> None:
        file = self.FILE.parents[1] / "skeleton" / "reversed.osim"
        remarks = cli("inspect", str(file)).out.partition("\nRemarks")[2]
        told = my.load_model(file).audit.remarks
        assert told
        assert all(remark.name in remarks for remark in told)
        assert "reversed" in remarks

    def test_json_holds_the_account(self, cli) -> None:
        found = cli("inspect", str(self.FILE), "--json").json
        model = my.load_model(self.FILE)
        assert found["audit"] == model.audit.model_dump(mode="json")
        assert list(found["surfaces"]) == list(model.surfaces)
        assert "audit" not in cli("inspect", "pendulum", "--json").json

    def test_remarks_alike_are_folded(self) -> None:
        remarks = [my.Remark(fate="skipped", element="Probe", name=f"p{n}", message=f"'p{n}' is {n}") for n in range(5)]
        other = my.Remark(fate="skipped", element="Probe", name="q", message="is different")
        rows = anatomy.folded([*remarks, other])
        assert rows == [
            ("skipped", "Probe p0", "", "'p0' is 0 (and 4 more like this)"),
            ("skipped", "Probe q", "", "is different"),
        ]

    def test_many_names_are_counted(self) -> None:
        assert anatomy.names_text([f"m{n}" for n in range(30)]).startswith("30: m0, m1, ")

    def test_models_become_yaml_and_opensim_files_again(self, cli, tmp_path: Path) -> None:
        assert cli("convert", str(self.FILE), "leg.yaml").code == 0
        assert cli("convert", "leg.yaml", "leg.osim").code == 0
        assert my.load_model(tmp_path / "leg.osim") == my.load_model(self.FILE)


class TestConvert:
    @pytest.mark.parametrize("ending", SERIES_ENDINGS)
    @pytest.mark.parametrize("other", SERIES_ENDINGS)
    def test_time_series_keep_everything(self, cli, tmp_path: Path, ending: str, other: str) -> None:
        run = my.simulate(my.load_model("pendulum"), duration=0.05, start={"angle": 0.5})
        my.save(run, tmp_path / f"run{ending}")
        done = cli("convert", f"run{ending}", f"copy{other}", "--json")
        assert done.code == 0
        assert done.json["rows"] == len(run)
        assert done.json["columns"] == len(run.names)
        assert my.load(tmp_path / f"copy{other}") == run

    def test_markers_keep_header_and_gaps(self, cli, tmp_path: Path) -> None:
        markers = my.Markers(
            [0.0, 0.01], ["heel"], [[[0.1, 0.2, 0.3]], [[np.nan] * 3]], {"Units": "m", "CameraRate": "7"}
        )
        my.save_markers(markers, tmp_path / "a.trc")
        assert cli("convert", "a.trc", "b.trc", "--json").json["markers"] == 1
        assert (tmp_path / "a.trc").read_bytes() == (tmp_path / "b.trc").read_bytes()
        for name in ("b.sto", "b.mot", "b.csv", "b.nc"):
            assert cli("convert", "a.trc", name).code == 0
            assert cli("convert", name, "c.trc").code == 0
            assert my.load_markers(tmp_path / "c.trc") == markers

    def test_recordings_give_markers_or_forces(self, cli, tmp_path: Path) -> None:
        ezc3d = pytest.importorskip("ezc3d", reason="the extra c3d is not installed")
        file = ezc3d.c3d()
        file["data"]["points"] = np.ones((4, 1, 3))
        for name, value in (("RATE", [50.0]), ("LABELS", ["heel"]), ("UNITS", ["m"])):
            file["parameters"]["POINT"][name]["value"] = value
        file.write(str(tmp_path / "walk.c3d"))
        assert cli("convert", "walk.c3d", "walk.trc", "--json").json["rows"] == 3
        assert my.load_markers(tmp_path / "walk.trc")["heel"].tolist() == [[1.0, 1.0, 1.0]] * 3
        assert "has no force plates" in cli("convert", "walk.c3d", "walk.mot").err
        assert "its markers go to .trc" in cli("convert", "walk.c3d", "walk.yaml").err

    def test_degrees_are_known_from_a_model_or_by_names(self, cli, tmp_path: Path) -> None:
        text = "a\nversion=1\ninDegrees=yes\nendheader\ntime\tangle\n0\t0\n1\t180\n"
        (tmp_path / "a.mot").write_text(text)
        refused = cli("convert", "a.mot", "a.csv")
        assert refused.code != 0
        assert "does not say which columns are angles" in refused.err
        for options, last in (
            (["--model", "pendulum"], np.pi),
            (["--angle", "angle"], np.pi),
            (["--no-angles"], 180.0),
        ):
            assert cli("convert", "a.mot", "a.csv", *options).code == 0
            assert my.load(tmp_path / "a.csv").final == {"angle": last}

    def test_gaps_are_kept(self, cli, tmp_path: Path) -> None:
        holed = my.Trajectory([0.0, 1.0], {"knee": [0.1, float("nan")]}, {"knee": "rad"})
        my.save(holed, tmp_path / "holed.csv")
        assert cli("convert", "holed.csv", "holed.nc").code == 0
        assert my.load(tmp_path / "holed.nc", gaps=True) == holed

    def test_models_are_written_anew(self, cli, tmp_path: Path) -> None:
        (tmp_path / "rod.yaml").write_text(
            "# untidy\njoints: {pivot: {child: rod, parent: ground, pin: {coordinate: angle}}}\nname: rod\n"
            "bodies: {rod: {inertia: 0.08, mass: 1.0}}\n"
        )
        done = cli("convert", "rod.yaml", "tidy.yml")
        assert (done.code, done.out) == (0, "")
        assert "tidy.yml" in done.err
        assert my.load_model(tmp_path / "tidy.yml") == my.load_model(tmp_path / "rod.yaml")
        assert (tmp_path / "tidy.yml").read_text().startswith("name: rod")

    def test_the_model_of_a_run_comes_out_of_it(self, cli, tmp_path: Path) -> None:
        model = my.load_model("pendulum")
        my.save(my.simulate(model, duration=0.05), tmp_path / "run.nc")
        assert cli("convert", "run.nc", "model.yaml").code == 0
        assert my.load_model(tmp_path / "model.yaml").hash == model.hash

    @pytest.mark.parametrize(
        ("source", "result", "told"),
        [
            ("pendulum", "a.nc", "is a model"),
            ("pendulum", "a.xml", "must end in"),
            ("jumper", "a.osim", "no counterpart"),
            ("pendulum", "missing/a.yaml", "there is no folder"),
            ("pendulm", "a.yaml", "did you mean 'pendulum'"),
            ("missing.nc", "a.sto", "missing.nc"),
            ("columns.csv", "a.yaml", "contains only columns"),
        ],
    )
    def test_what_cannot_be_is_refused(self, cli, tmp_path: Path, source: str, result: str, told: str) -> None:
        my.save(my.Trajectory([0.0], {"knee": [0.1]}), tmp_path / "columns.csv")
        done = cli("convert", source, result)
        assert (done.code, done.out) == (2, "")
        assert told in done.err
        assert not (tmp_path / result).exists()


class TestUpkeep:
    def test_schema_is_the_published_one(self, cli) -> None:
        done = cli("schema")
        assert done.code == 0
        assert json.loads(done.out) == my.model_schema()

    def test_cache_counts_and_clears(self, cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path / "cache"))
        empty = cli("cache", "--json").json
        assert empty["folder"] == str(tmp_path / "cache")
        assert (empty["entries"], empty["bytes"]) == (0, 0)
        for number in range(3):
            entry = tmp_path / "cache" / f"entry{number}"
            entry.mkdir()
            (entry / "code.so").write_bytes(b"x" * 1000)
        assert "3" in cli("cache").out
        full = cli("cache", "--json").json
        assert (full["entries"], full["bytes"]) == (3, 3000)
        cleared = cli("cache", "--clear", "--json").json
        assert (cleared["removed_entries"], cleared["removed_bytes"], cleared["entries"]) == (3, 3000, 0)
        assert not list((tmp_path / "cache").iterdir())


def test_endings_are_those_that_can_be_written() -> None:
    from myodyne.cli import arguments

    assert tuple(timeseries._FORMATS) == (*arguments.SERIES_ENDINGS, *arguments.MARKER_ENDINGS)
    run = my.simulate(my.load_model("pendulum"), duration=0.05)
    with pytest.raises(my.FileError) as refused:
        my.animate(run, "film.avi")
    assert all(ending in str(refused.value) for ending in arguments.ANIMATION_ENDINGS)
