import numpy as np
import pytest

import myodyne as my
from myodyne.studio.changes.edits import AddHandle, FitHandles, RemoveHandle, SetInstant, apply
from myodyne.studio.changes.handles import at_instant, fitted, with_handle, without_handle
from myodyne.studio.session import opened

SPAN = (0.2, 1.0)
TIMES = np.linspace(*SPAN, 60)
WAVE = my.bezier([0.1, 0.9, 0.2, 0.7, 0.4], *SPAN)
KINDS = ["bezier", "bspline", "piecewise_linear", "piecewise_constant"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_curve_has_the_value_that_one_instant_is_given(kind):
    curve = fitted(WAVE, kind, 6, SPAN)
    changed = at_instant(curve, 0.55, 0.8)
    assert changed(0.55) == pytest.approx(0.8, abs=1e-12)
    assert changed.kind == kind


@pytest.mark.parametrize("kind", ["bezier", "bspline"])
def test_a_smooth_curve_changes_as_little_as_possible(kind):
    curve = fitted(WAVE, kind, 6, SPAN)
    found = np.array(at_instant(curve, 0.55, 0.8).values) - curve.values
    # Any other change of the handles that gives the value is longer.
    weights = np.array(
        [curve.with_value(place, one + 1.0)(0.55) - curve(0.55) for place, one in enumerate(curve.values)]
    )
    beside = np.random.default_rng(1).normal(size=(20, len(found)))
    beside -= np.outer(beside @ weights, weights) / (weights @ weights)
    assert (np.linalg.norm(found + beside, axis=1) > np.linalg.norm(found)).all()


@pytest.mark.parametrize("kind", ["bezier", "piecewise_linear"])
def test_a_handle_more_leaves_the_curve_as_it_is(kind):
    curve = fitted(WAVE, kind, 6, SPAN)
    more = with_handle(curve, 0.55, SPAN)
    assert len(more.values) == 7
    np.testing.assert_allclose(more(TIMES), curve(TIMES), atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_handles_are_removed_down_to_the_fewest(kind):
    curve = fitted(WAVE, kind, 6, SPAN)
    fewest = 4 if kind == "bspline" else 2
    for count in range(5, fewest - 1, -1):
        curve = without_handle(curve, 1, SPAN)
        assert len(curve.values) == count
    with pytest.raises(my.MyodyneError, match=f"at least {fewest}"):
        without_handle(curve, 0, SPAN)


def test_edits_stay_within_the_limits_and_the_movement():
    jump = apply(opened("jump"), FitHandles("soleus", "bezier", 5))
    high = apply(jump, SetInstant("soleus", 0.1, 7.0)).recipe.controls["soleus"]
    assert max(high.values) <= 1.0
    assert len(apply(jump, AddHandle("soleus", 0.1)).recipe.controls["soleus"].values) == 6
    assert len(apply(jump, RemoveHandle("soleus", 2)).recipe.controls["soleus"].values) == 4
    with pytest.raises(my.MyodyneError, match="is outside"):
        apply(jump, SetInstant("soleus", 9.0, 0.5))
    with pytest.raises(my.MyodyneError, match="handles 1 to 5"):
        apply(jump, RemoveHandle("soleus", 7))
    with pytest.raises(my.MyodyneError, match="Fit handles"):
        apply(opened("jump"), AddHandle("soleus", 0.1))
