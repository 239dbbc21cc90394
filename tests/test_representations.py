"""How models, tables of parts, results, reports and problems print, in a terminal and in a notebook."""

from __future__ import annotations

import pickle
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import myodyne as my
from myodyne.files.models.builtin import builtin_models

HOSTILE = "<script>alert('&')<script>"
MOST = 1500


def pieces_of(html: str) -> list[str]:
    """Return the texts of HTML that must be well-formed: our HTML is XML too."""
    return [text for text in ElementTree.fromstring(html).itertext() if text]


@pytest.mark.parametrize("name", builtin_models())
def test_models_and_their_tables_are_short_and_well_formed(name: str) -> None:
    model = my.load_model(name)
    tables = (model.bodies, model.joints, model.coordinates, model.muscles, model.forces, model.constraints)
    for shown in (model, model.markers, model.surfaces, *tables):
        assert len(repr(shown)) < 300
        assert len(str(shown)) < 300
        assert len(shown._repr_html_()) < 40_000
        assert pieces_of(shown._repr_html_())
    assert name in " ".join(pieces_of(model._repr_html_()))
    for body in list(model.bodies)[:40]:
        assert body in pieces_of(model.bodies._repr_html_())


@pytest.mark.parametrize("name", ["sliding_mass", "gait2d_predictive"])
def test_problems_are_short_and_name_their_goals(name: str) -> None:
    problem = my.load_problem(name)
    assert len(repr(problem)) < 300
    assert len(str(problem)) < 300
    texts = pieces_of(problem._repr_html_())
    assert all(goal.name in texts for goal in problem.goals)
    assert all(condition.kind in texts for condition in problem.conditions)
    phases = my.Phases([problem, problem])
    assert len(repr(phases)) < 300
    assert name in pieces_of(phases._repr_html_())


def test_hostile_text_is_escaped() -> None:
    rod = my.load_model("pendulum")
    names = {"name": HOSTILE, "source": HOSTILE, "markers": {HOSTILE: my.Marker(body="rod")}}
    model = rod.model_copy(update={**names, "markers": my.model.Named(names["markers"])})
    remark = my.Remark(fate="skipped", element=HOSTILE, name=HOSTILE, message=HOSTILE, line=3)
    audit = my.Audit(file=HOSTILE, format=HOSTILE, counts={HOSTILE: my.ElementCount(read=1)}, remarks=(remark,))
    optimum = my.Optimum(1.0, parts={HOSTILE: 1.0}, violations=(my.Violation(HOSTILE, 0.0, 1.0),))
    report = my.Report("failed", HOSTILE, notes=(HOSTILE,), events=((0.1, HOSTILE),), optimum=optimum)
    columns = my.Trajectory([0.0, 1.0], {HOSTILE: [0.0, 1.0]}, {HOSTILE: "m"}, [HOSTILE])
    result = my.Result(columns, report, my.Provenance(HOSTILE, "ab"))
    problem = my.Problem(model, name=HOSTILE, source=HOSTILE, choices={HOSTILE: HOSTILE})
    for shown in (model, model.markers, audit, optimum, report, columns, result, problem):
        html = shown._repr_html_()
        assert "<script" not in html
        assert any(HOSTILE in text for text in pieces_of(html)), type(shown)


def test_reports_and_audits_are_short_however_much_they_hold() -> None:
    optimum = my.Optimum(0.5, parts={f"goal {k}": 1.0 for k in range(500)}, at_bounds={f"u{k}": 0.5 for k in range(90)})
    report = my.Report("completed", "word " * 900, notes=("note " * 90,) * 90, optimum=optimum)
    audit = my.Audit(file="a.osim", format="OpenSim", counts={f"k{n}": my.ElementCount(read=n) for n in range(99)})
    for shown in (optimum, report, audit):
        assert len(repr(shown)) < MOST
        assert pieces_of(shown._repr_html_())
    assert "objective 0.5" in repr(report)
    assert "4851 elements read" in repr(audit)
    # The whole is still printed by print.
    assert len(str(report)) > 30_000


def test_a_result_shows_its_columns_and_report() -> None:
    names = [f"q{number}" for number in range(30)]
    columns = my.Trajectory([0.0, 0.5], {name: [1.0, np.nan] for name in names}, dict.fromkeys(names, "rad"))
    result = my.Result(columns, my.Report("completed", steps=7), my.Provenance("leg", "ab", "RK4"))
    texts = pieces_of(result._repr_html_())
    assert {"leg", "RK4", "completed", "7 taken, 0 rejected", "12 of 30 columns", "q0", "rad", "nan"} <= set(texts)
    assert "q12" not in texts


def test_colours_are_left_to_the_page() -> None:
    html = my.load_model("gait2d").muscles._repr_html_()
    assert "color:" not in html
    assert "#" not in html


def test_what_is_saved_compared_and_copied_does_not_depend_on_how_it_prints(tmp_path: Path) -> None:
    model = my.load_model("gait2d")
    my.save_model(model, tmp_path / "walker.yaml")
    again = my.load_model(tmp_path / "walker.yaml")
    assert again == model
    assert again.hash == model.hash
    for thing in (model, model.muscles, my.load_problem("sliding_mass"), my.Report("completed"), my.Optimum(1.0)):
        assert pickle.loads(pickle.dumps(thing)) == thing
    # Two tables that print alike are still told apart.
    weaker = model.with_values({"right_soleus.max_force": 10.0})
    assert repr(weaker) == repr(model)
    assert repr(weaker.muscles) == repr(model.muscles)
    assert weaker != model
    assert weaker.muscles != model.muscles
    assert weaker.structure_hash != model.structure_hash
