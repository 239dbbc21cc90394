import json
import pickle

import numpy as np
import pytest

from myodyne.data import DataError, Provenance, Report, Result, Trajectory


def a_report():
    return Report(
        "stopped by event",
        message="the foot left the ground",
        steps=np.int64(120),
        rejected=3,
        evaluations=400,
        iterations=250,
        energy_error=np.float64(1.5e-9),
        drift={"loop": np.float64(2e-12)},
        wall_seconds=0.125,
        events=[(np.float64(0.31), "toe off")],
        notes=["started in the interpreter"],
    )


def a_provenance():
    return Provenance("jumper", "0123456789abcdef", scheme="Rosenbrock(step=0.003)", compiled=True, seed=7)


def a_result(**changes):
    parts = {
        "report": a_report(),
        "provenance": a_provenance(),
        "model_data": {"name": "jumper", "gravity": [0, -9.81, 0]},
    }
    return Result(Trajectory([0.0, 0.5, 1.0], {"knee": [0.0, 0.3, 0.2]}, {"knee": "rad"}), **{**parts, **changes})


def test_the_report_prints_a_short_table():
    lines = str(a_report()).splitlines()
    assert lines[0] == "stopped by event: the foot left the ground"
    assert "  steps         120 taken, 3 rejected" in lines
    assert "  energy error  1.5e-09, relative" in lines
    assert "  drift         2e-12 in loop" in lines
    assert "  event         toe off at 0.31 s" in lines
    assert "  note          started in the interpreter" in lines
    assert "  wall time     0.125 s" in lines


@pytest.mark.parametrize("energy_error", [None, 1e-300, float("inf"), 0.1 + 0.2])
def test_reports_survive_json_to_the_last_bit(energy_error):
    report = Report("failed", energy_error=energy_error, drift={"a": float("-inf"), "b": 1 / 3}, events=[(0.1, "x")])
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert Report.from_dict(json.loads(text)) == report


def test_a_report_with_not_a_number_survives_json():
    report = Report("failed", energy_error=float("nan"))
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert np.isnan(Report.from_dict(json.loads(text)).energy_error)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "fine"}, "report.status is one of 'completed'"),
        ({"status": None}, "report.status: a text is expected"),
        ({"stepps": 3}, "unknown field 'stepps': did you mean 'steps'"),
        ({"steps": -1}, "report.steps: a whole number"),
        ({"steps": True}, "report.steps: a whole number"),
        ({"steps": 1.5}, "report.steps: a whole number"),
        ({"energy_error": "small"}, "report.energy_error: a number"),
        ({"drift": [1]}, "report.drift: a table"),
        ({"drift": {"a": "b"}}, "report.drift.a: a number"),
        ({"events": [[1.0]]}, "an event is a time and a name"),
        ({"events": [[1.0, 2.0]]}, "report.events.name: a text"),
        ({"events": "no"}, "report.events: a list"),
        ({"notes": [1]}, "report.notes: a list of texts"),
    ],
)
def test_foreign_reports_are_checked_field_by_field(change, message):
    with pytest.raises(DataError, match=message):
        Report.from_dict({**a_report().to_dict(), **change})


def test_only_an_end_that_was_wanted_is_a_success():
    assert [Report(s).succeeded for s in ("completed", "stopped by event", "interrupted", "failed")] == [
        True,
        True,
        False,
        False,
    ]


def test_provenance_records_versions_and_utc():
    origin = a_provenance()
    assert origin.versions["numpy"] == np.__version__
    assert {"python", "myodyne"} <= set(origin.versions)
    assert origin.created.endswith("+00:00")
    assert Provenance.from_dict(json.loads(json.dumps(origin.to_dict()))) == origin
    assert "jumper (0123456789ab)" in str(origin)
    assert "Rosenbrock(step=0.003), compiled" in str(origin)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_name": 3}, "provenance.model_name: a text"),
        ({"compiled": "yes"}, "provenance.compiled: true or false"),
        ({"seed": "7"}, "provenance.seed: a whole number"),
        ({"versions": {"numpy": 2}}, "provenance.versions: a table of texts"),
        ({"password": "x"}, "unknown field 'password'"),
    ],
)
def test_foreign_provenance_is_checked_field_by_field(change, message):
    with pytest.raises(DataError, match=message):
        Provenance.from_dict({**a_provenance().to_dict(), **change})


def test_a_result_reads_like_a_trajectory():
    run = a_result()
    assert run["knee"].attrs["units"] == "rad"
    assert run.at(0.25) == {"knee": 0.15}
    assert isinstance(run, Trajectory)
    assert type(run.trajectory) is Trajectory
    assert run.trajectory != run
    assert repr(run) == "<Result: 3 rows, 1 column, 0 to 1 s, stopped by event>"


@pytest.mark.parametrize(
    "part", [lambda r: r.select("knee"), lambda r: r.slice(0.5), lambda r: r.resampled([0.2, 0.3])]
)
def test_parts_of_a_result_keep_report_and_origin(part):
    piece = part(a_result())
    assert type(piece) is Result
    assert piece.report == a_report()
    assert piece.provenance.seed == 7
    assert piece.model_data["name"] == "jumper"


def test_the_model_data_cannot_be_changed_from_outside():
    given = {"name": "jumper", "gravity": [0, -9.81, 0]}
    run = a_result(model_data=given)
    given["gravity"][1] = 0.0
    run.model_data["name"] = "other"
    assert run.model_data == {"name": "jumper", "gravity": [0, -9.81, 0]}
    assert a_result(model_data=None).model_data is None


def test_model_data_may_be_json_text_and_must_be_json():
    assert a_result(model_data='{"name": "jumper", "gravity": [0, -9.81, 0]}').model_data == a_result().model_data
    with pytest.raises(DataError, match="plain JSON data"):
        a_result(model_data={"mass": float("nan")})
    with pytest.raises(DataError, match="not JSON"):
        a_result(model_data="{").model_data  # noqa: B018 - reading is the test
    with pytest.raises(DataError, match="not a table"):
        a_result(model_data="[1]").model_data  # noqa: B018 - reading is the test


def test_equality_and_pickle():
    origin = a_provenance()
    run = a_result(provenance=origin)
    assert run == a_result(provenance=origin, model_data='{"name": "jumper", "gravity": [0, -9.81, 0]}')
    assert run != a_result(provenance=origin, report=Report("failed"))
    assert run != a_result(provenance=origin, model_data=None)
    assert pickle.loads(pickle.dumps(run)) == run
