"""Searches: known optima, whole numbers and choices, fronts, and searches that go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my

METHODS = (
    my.CMA(seed=1),
    my.DifferentialEvolution(seed=1),
    my.Genetic(seed=1, population=20),
    my.Annealing(seed=1, chains=2),
    my.DualAnnealing(seed=1),
    my.MultiStart(seed=1, starts=3),
)


def bowl(model: my.Model) -> float:
    """Return a quadratic function whose minimum is 0 at a mass of 2 and a gravity of -5."""
    return (model.value("rod.mass") - 2.0) ** 2 + 0.1 * (model.value("gravity.y") + 5.0) ** 2


def study(**changes: Any) -> my.Study:
    arguments: dict[str, Any] = {"vary": {"rod.mass": (1.0, 4.0), "gravity.y": (-9.81, -1.0)}, "measure": bowl}
    return my.Study(my.load_model("pendulum"), **{**arguments, **changes})


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_every_method_finds_the_minimum_of_a_bowl(method: Any) -> None:
    found = my.search(study(), method, evaluations=250)
    assert found.value < 0.01
    assert found.best["rod.mass"] == pytest.approx(2.0, abs=0.1)
    assert found.evaluations == 250
    assert np.array_equal(found.history, np.minimum.accumulate(found.table["bowl"].values))
    assert "rod.mass" in str(found)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_every_method_goes_on_where_it_stopped(method: Any, tmp_path: Path) -> None:
    whole = my.search(study(), method, evaluations=70)
    half = my.search(study(), method, evaluations=33, out=tmp_path / "table")
    assert half.evaluations == 33
    found = my.search(study(), method, evaluations=70, out=tmp_path / "table", resume=True)
    assert found.table.drop_vars("seconds").identical(whole.table.drop_vars("seconds").assign_attrs(found.table.attrs))
    again = my.load_study(tmp_path / "table")
    assert again["bowl"].values.tolist() == whole.table["bowl"].values.tolist()


def test_a_table_of_another_search_is_refused(tmp_path: Path) -> None:
    my.search(study(), my.CMA(seed=1), evaluations=8, out=tmp_path / "table")
    with pytest.raises(my.FileError, match="other search"):
        my.search(study(), my.CMA(seed=2), evaluations=8, out=tmp_path / "table", resume=True)


def test_whole_numbers_and_choices() -> None:
    vary = {"rod.mass": my.Integers(1, 4), "gravity.y": my.Choice([-9.81, -4.9, -1.62])}
    for method in (my.CMA(seed=1), my.Genetic(seed=1, population=12), my.DifferentialEvolution(seed=1)):
        found = my.search(study(vary=vary), method, evaluations=60)
        assert found.best == {"rod.mass": 2.0, "gravity.y": -4.9}
        assert set(found.table["rod.mass"].values) <= {1.0, 2.0, 3.0, 4.0}


def test_several_objectives_give_a_front() -> None:
    """Of x² and (x - 1)² each point between 0 and 1 is a compromise, on the curve √f + √g = 1."""

    def pair(model: my.Model) -> dict[str, float]:
        x, y = model.value("rod.mass") - 2.0, model.value("gravity.y") + 5.0
        return {"f": x**2 + y**2, "g": (x - 1) ** 2 + y**2}

    found = my.search(study(measure=pair), my.Genetic(seed=1, population=24), minimise=["f", "g"], evaluations=700)
    front = found.front
    assert front.sizes["row"] > 10
    assert (np.diff(front["f"].values) > 0).all()
    assert (np.diff(front["g"].values) < 0).all()
    assert np.sqrt(front["f"].values) + np.sqrt(front["g"].values) == pytest.approx(1.0, abs=0.1)
    with pytest.raises(my.ModelError, match=r"my\.Genetic"):
        my.search(study(measure=pair), my.CMA(), minimise=["f", "g"])


def test_what_is_maximised_is_not_minimised() -> None:
    found = my.search(study(), my.DifferentialEvolution(seed=1), maximise="bowl", evaluations=200)
    assert found.value == pytest.approx(4.0 + 0.1 * 4.81**2, rel=0.01)


def test_failures_are_worse_than_all_others() -> None:
    def edge(model: my.Model) -> float:
        if model.value("rod.mass") < 2.5:
            raise ValueError("too light")
        return bowl(model)

    found = my.search(study(measure=edge), my.CMA(seed=1), evaluations=200)
    assert (found.table["status"] == "failed").any()
    assert found.best["rod.mass"] == pytest.approx(2.5, abs=0.05)

    def never(model: my.Model) -> float:
        raise ValueError("no")

    nothing = my.search(study(measure=never), my.CMA(seed=1), evaluations=10)
    with pytest.raises(my.SolveError, match="none of 10 evaluations succeeded"):
        _ = nothing.best


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"minimise": ["bowl", "bowl"]}, "twice"),
        ({"evaluations": 0}, "positive whole number"),
        ({"method": "cma"}, r"my\.CMA"),
        ({"start": {"rod.mas": 1.0}}, "did you mean 'rod.mass'"),
        ({"start": {"rod.mass": 9.0}}, "outside its range"),
        ({"resume": True}, "out="),
        ({"maximise": "bowls"}, "did you mean 'bowl'"),
    ],
)
def test_what_is_wrong_with_a_search(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        my.search(study(), **{"evaluations": 5, **arguments})


def test_a_grid_has_no_ranges_to_search() -> None:
    with pytest.raises(my.ModelError, match="needs ranges"):
        my.search(study(vary=my.grid({"rod.mass": [1.0, 2.0]})))


def test_a_search_starts_where_it_is_asked_to() -> None:
    found = my.search(study(), my.MultiStart(starts=1), start={"rod.mass": 1.5}, evaluations=1)
    assert found.best["rod.mass"] == pytest.approx(1.5)


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_the_jump_by_onsets_reaches_the_published_height(method: Any) -> None:
    """Wong et al. 2016: 1.43453 m on the same body."""
    import runpy

    script = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "jump_onsets.py"))
    found = my.search(script["jump_study"](), method, maximise="flight_height", evaluations=1000)
    assert found.value > 0.995 * 1.43453
    assert found.value < 1.4366 * 1.002
