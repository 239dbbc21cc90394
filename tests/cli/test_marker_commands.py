"""``myodyne ik``, ``scale`` and ``so``: what goes in, what comes out, and how they end."""

from __future__ import annotations

import importlib
import math
from pathlib import Path

import numpy as np
import pytest

import myodyne as my

module = importlib.import_module("myodyne.analyse.markers.inverse_kinematics")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A rod with markers as a file, a record of its swing, and the swing itself."""
    markers = {"top": my.Marker(body="rod"), "end": my.Marker(body="rod", at=(0.0, -1.0, 0.0))}
    motor = my.CoordinateActuator(coordinate="angle", gain=20.0)
    model = my.load_model("pendulum").with_parts(markers=markers, forces={"motor": motor})
    my.save_model(model, tmp_path / "rod.yaml")
    time = np.arange(20) / 20.0
    angle = 0.4 * np.sin(3.0 * time)
    end = np.column_stack([np.sin(angle), -np.cos(angle), 0.0 * angle])
    record = my.Markers(time, ["top", "end"], np.stack([0.0 * end, end], axis=1))
    my.save_markers(record, tmp_path / "swing.trc")
    my.save(my.Trajectory(time, {"angle": angle}, {"angle": "rad"}), tmp_path / "swing.sto")
    return tmp_path


def test_ik_finds_the_motion(cli, folder: Path) -> None:
    done = cli("ik", "rod.yaml", "swing.trc", "--out", "found.sto", "--json")
    assert done.code == 0, done.err
    assert done.json["status"] == "completed"
    assert done.json["rows"] == 20
    assert done.json["marker_rms"]["end"] < 1e-5
    found = my.load(folder / "found.sto")
    assert found.values("angle") == pytest.approx(0.4 * np.sin(3.0 * found.time), abs=1e-5)


def test_ik_takes_weights_times_and_set_ups(cli, folder: Path) -> None:
    (folder / "setup.xml").write_text("""<OpenSimDocument Version="40000"><InverseKinematicsTool><IKTaskSet><objects>
    <IKMarkerTask name="end"><apply>true</apply><weight>5</weight></IKMarkerTask>
    <IKMarkerTask name="top"><apply>false</apply><weight>1</weight></IKMarkerTask>
    <IKCoordinateTask name="angle"><apply>true</apply><weight>1000000</weight><value_type>manual_value</value_type><value>0.25</value>
    </IKCoordinateTask></objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>""")
    drawn = cli("ik", "rod.yaml", "swing.trc", "--setup", "setup.xml", "--json")
    assert list(drawn.json["marker_rms"]) == ["end"]
    assert drawn.json["final"]["angle"] == pytest.approx(0.25, abs=1e-4)
    part = cli(
        "ik",
        "rod.yaml",
        "swing.trc",
        "--weight",
        "end=2",
        "--from",
        "0.2",
        "--to",
        "0.5",
        "--start",
        "angle=10deg",
        "--json",
    )
    assert (part.json["start"], part.json["end"]) == (0.2, 0.5)
    told = cli("ik", "rod.yaml", "swing.trc")
    assert told.code == 0
    assert "largest" in told.out
    both = cli("ik", "rod.yaml", "swing.trc", "--weight", "end=2", "--setup", "setup.xml")
    assert both.code == 2
    assert "give one of them" in both.err


def test_ik_keeps_what_was_done_when_interrupted(cli, folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 5)
    solve, blocks = module._Search._solve, []

    def interrupted(self, rows, begin, *tolerance):
        if len(rows) == 5:
            blocks.append(rows)
            if len(blocks) == 3:
                raise KeyboardInterrupt
        return solve(self, rows, begin, *tolerance)

    monkeypatch.setattr(module._Search, "_solve", interrupted)
    done = cli("ik", "rod.yaml", "swing.trc", "--start", "swing.sto", "--out", "part.sto")
    assert done.code == 130
    assert "10 of 20 rows" in done.err
    assert len(my.load(folder / "part.sto")) == 10


def test_scale_writes_a_model(cli, folder: Path) -> None:
    done = cli("scale", "rod.yaml", "--factor", "rod=1,2,1", "--mass", "3", "--out", "long.yaml", "--json")
    assert done.code == 0, done.err
    long = my.load_model(folder / "long.yaml")
    assert long.mass == pytest.approx(3.0)
    assert long.markers["end"].at == (0.0, -2.0, 0.0)
    assert done.json["factors"] == {"rod": [1.0, 2.0, 1.0]}
    (folder / "scale.xml").write_text("""<OpenSimDocument Version="40000"><ScaleTool><mass>-1</mass><ModelScaler>
    <MeasurementSet><objects><Measurement name="length"><MarkerPairSet><objects><MarkerPair><markers>top end</markers></MarkerPair>
    </objects></MarkerPairSet><BodyScaleSet><objects><BodyScale name="rod"><axes>Y</axes></BodyScale></objects></BodyScaleSet>
    </Measurement></objects></MeasurementSet></ModelScaler></ScaleTool></OpenSimDocument>""")
    same = cli("scale", "long.yaml", "--setup", "scale.xml", "--static", "swing.trc", "--out", "same.yaml")
    assert same.code == 0, same.err
    assert "0.5000" in same.out
    assert my.load_model(folder / "same.yaml").markers["end"].at[1] == pytest.approx(-1.0)
    for words, told in (
        (("--factor", "rod=1,2"), "one number or three"),
        ((), "nothing changes"),
        (("--setup", "scale.xml"), "--static FILE.trc"),
        (("--factor", "rot=2"), "rod"),
    ):
        wrong = cli("scale", "rod.yaml", *words, "--out", "x.yaml")
        assert wrong.code == 2
        assert told in wrong.err


def test_static_optimisation(cli, folder: Path) -> None:
    done = cli("so", "rod.yaml", "swing.sto", "--reserves", "5", "--out", "shares.sto", "--json")
    assert done.code == 0, done.err
    assert done.json["status"] == "completed"
    shares = my.load(folder / "shares.sto")
    given = shares.values("motor.force") + shares.values("angle.reserve")
    assert given == pytest.approx(shares.values("angle.moment"), abs=1e-6)
    # Both count the same per control, so moments are shared as the squares of their strengths.
    assert shares.values("motor.force") == pytest.approx(16.0 * shares.values("angle.reserve"), abs=1e-5)
    part = cli(
        "so", "rod.yaml", "swing.sto", "--reserves", "angle=5", "--exponent", "3", "--from", "0.1", "--to", "0.6"
    )
    assert part.code == 0
    assert "completed" in part.out
    old = cli("share", "rod.yaml", "swing.sto", "--reserves", "5", "--json")
    assert old.code == 0
    assert old.json["final"] == done.json["final"]
    assert old.err == "'myodyne share' is now called 'myodyne so'; the old name will be removed in the next release.\n"
    wrong = cli("so", "rod.yaml", "swing.sto", "--reserves", "5", "--reserves", "angle=2")
    assert wrong.code == 2
    assert "NAME=STRENGTH" in wrong.err
    assert math.isfinite(done.json["final"]["objective"])


LOADS = """<OpenSimDocument Version="40000"><ExternalLoads><objects><ExternalForce name="pull">
<applied_to_body>rod</applied_to_body><force_identifier>pull_v</force_identifier></ExternalForce></objects>
<datafile>elsewhere.mot</datafile></ExternalLoads></OpenSimDocument>"""


def test_a_part_is_shared_as_it_is_within_the_whole(cli, folder: Path) -> None:
    """Filter and derivatives know what comes before the part and after it; and the record may be another file."""
    times = np.arange(20) / 20.0
    my.save(my.Trajectory(times, {f"pull_v{axis}": 3.0 + times for axis in "xyz"}), folder / "pull.sto")
    (folder / "pull.xml").write_text(LOADS)
    words = ("so", "rod.yaml", "swing.sto", "--reserves", "5", "--cutoff", "4", "--forces", "pull.xml")
    assert cli(*words, "--record", "pull.sto", "--out", "whole.sto").code == 0
    assert cli(*words, "--record", "pull.sto", "--from", "0.2", "--to", "0.5", "--out", "part.sto").code == 0
    whole, part = my.load(folder / "whole.sto").slice(0.2, 0.5), my.load(folder / "part.sto")
    assert len(part) == len(whole) == 7
    assert part.values("angle.moment") == pytest.approx(whole.values("angle.moment"), abs=1e-9)
    assert "elsewhere.mot" in cli(*words).err
    assert "--record is the record of --forces" in cli("so", "rod.yaml", "swing.sto", "--record", "pull.sto").err


def test_run_writes_what_a_setup_asks_for(cli, tmp_path: Path) -> None:
    my.save_model(my.load_model("pendulum"), tmp_path / "rod.osim")
    still = my.Trajectory([0.1 * row for row in range(8)], {"angle": [0.5] * 8}, {"angle": "rad"})
    my.save(still, tmp_path / "still.sto")
    (tmp_path / "setup.xml").write_text(
        """<OpenSimDocument Version="40000"><InverseDynamicsTool name="rod"><model_file>rod.osim</model_file>
        <coordinates_file>still.sto</coordinates_file></InverseDynamicsTool></OpenSimDocument>"""
    )
    done = cli("run", str(tmp_path / "setup.xml"), "--folder", str(tmp_path / "out"), "--json")
    assert done.code == 0
    assert "inverse_dynamics.sto" in done.out
    assert (tmp_path / "out" / "inverse_dynamics.sto").is_file()
    assert cli("run", str(tmp_path / "none.xml")).code == 2


def test_joint_loads_and_muscles_of_a_motion(cli, tmp_path: Path) -> None:
    arm = my.load_model("planar_arm")
    still = my.Trajectory([0.1 * row for row in range(8)], {name: [0.5] * 8 for name in arm.moving})
    my.save(still, tmp_path / "still.csv")
    done = cli("joint-loads", "planar_arm", str(tmp_path / "still.csv"), "--out", str(tmp_path / "loads.nc"), "--json")
    assert done.code == 0, done.err
    own = my.joint_reactions(arm, still)
    assert my.load(tmp_path / "loads.nc").rows() == pytest.approx(own.rows())
    done = cli("muscle-analysis", "planar_arm", str(tmp_path / "still.csv"), "--activation", "0.5", "--tendon", "rigid")
    assert done.code == 0, done.err
    assert "elbow_flexor" in done.out
    for words in (("joint-loads", "--axes", "mine"), ("muscle-analysis", "--tendon", "soft")):
        refused = cli(words[0], "planar_arm", str(tmp_path / "still.csv"), *words[1:])
        assert refused.code == 2
        assert words[1] in refused.err
