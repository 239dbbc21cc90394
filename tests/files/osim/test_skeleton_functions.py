"""Functions of OpenSim that no fixture moves a joint by, and what is done to functions on the way."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim.document import Reading, read_document
from myodyne.files.osim.functions import read_function, scaled
from myodyne.model.functions import Function
from support.osim_skeleton import value_of

X = "-1.5 -0.7 -0.2 0.3 0.9 1.6 2.0"
Y = "0.1 -0.05 0.08 0.02 -0.1 0.15 0.3"
AT = (-1.8, -1.2, -0.45, 0.1, 0.6, 1.3, 1.8, 2.4)
# Values of OpenSim 4.6 at these places, by half the order of the spline.
GCV = {
    1: (0.1, 0.04375, 0.015, 0.044, -0.04, 0.04285714285714286, 0.225, 0.3),
    2: (
        0.2082441731550097,
        -0.0009324925550864976,
        0.0163966903324381,
        0.06829554375443944,
        -0.0662213543615423,
        0.0140585140396065,
        0.22918478006214527,
        0.438840586500946,
    ),
    3: (
        0.3846313464834244,
        -0.054772873900976356,
        0.023984522550258618,
        0.06992449197765012,
        -0.06886917924799488,
        0.009831274502179656,
        0.23432975170079193,
        0.3703145233237543,
    ),
}


def read(text: str, *coordinates: str) -> tuple[Function, Reading]:
    document = read_document(f'<OpenSimDocument Version="40000">{text}</OpenSimDocument>'.encode(), "f.osim")
    reading = Reading(document)
    return read_function(reading, document.root.children[0], coordinates), reading


@pytest.mark.parametrize(("half", "away"), [(1, 1e-15), (2, 1e-14), (3, 1e-5)])
def test_splines_of_every_degree(half: int, away: float) -> None:
    function, reading = read(f"<GCVSpline><half_order>{half}</half_order><x>{X}</x><y>{Y}</y></GCVSpline>", "q")
    found = [value_of(function, place) for place in AT]
    assert np.allclose(found, GCV[half], rtol=0, atol=away)
    assert len(reading.remarks) == (half == 3)


def test_steps_rise_smoothly() -> None:
    function, reading = read(
        "<StepFunction><transition_start_time>0.2</transition_start_time>"
        "<transition_end_time>1.4</transition_end_time><start_value>-0.3</start_value><end_value>0.9</end_value></StepFunction>",
        "q",
    )
    expected = {0.0: -0.3, 0.2: -0.3, 0.5: -0.17578125, 0.8: 0.3, 1.1: 0.77578125, 1.4: 0.9, 2.0: 0.9}
    for place, value in expected.items():
        assert value_of(function, place) == pytest.approx(value, abs=2e-7)
    assert [remark.fate for remark in reading.remarks] == ["approximated"]
    assert "at most 1.2e-07 away" in reading.remarks[0].message


def test_a_step_without_a_value_is_that_of_opensim() -> None:
    # Printed by OpenSim 4.6: from 0.99 to 1.01, from 0 to 1.
    function, _ = read("<StepFunction/>", "q")
    found = [value_of(function, place) for place in (-3.0, 0.98, 1.0, 1.02, 5.0)]
    assert found == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0], abs=1e-8)


@pytest.mark.parametrize(
    "text",
    [
        "<LinearFunction><coefficients>0.5 0.1</coefficients></LinearFunction>",
        "<PolynomialFunction><coefficients>0.3 -0.2 1.1</coefficients></PolynomialFunction>",
        "<Sine><amplitude>-0.8</amplitude><omega>-1.3</omega><phase>0.4</phase><offset>0.1</offset></Sine>",
        f"<SimmSpline><x>{X}</x><y>{Y}</y></SimmSpline>",
        f"<PiecewiseLinearFunction><x>{X}</x><y>{Y}</y></PiecewiseLinearFunction>",
    ],
)
def test_multiplying_a_function_multiplies_its_values(text: str) -> None:
    plain, _ = read(text, "q")
    times, _ = read(f"<MultiplierFunction><function>{text}</function><scale>-2.5</scale></MultiplierFunction>", "q")
    for place in AT:
        assert value_of(times, place) == pytest.approx(-2.5 * value_of(plain, place), rel=1e-13)


def test_products_are_multiplied_once() -> None:
    product = my.Product(factors=("p", "q"))
    assert scaled(product, 3.0).coordinates == ("p", "q")
    first = scaled(product, 3.0)
    assert isinstance(first, my.Product)
    assert [getattr(factor, "slope", None) for factor in first.factors] == [3.0, 1.0]


def test_points_at_the_same_place_are_left_out_with_a_remark() -> None:
    function, reading = read("<SimmSpline><x>0 1 1 2</x><y>0 1 5 4</y></SimmSpline>", "q")
    assert isinstance(function, my.Spline) and function.x == (0.0, 1.0, 2.0)
    assert [remark.fate for remark in reading.remarks] == ["suspicious"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<SimmSpline><x>0 2 1</x><y>0 1 2</y></SimmSpline>", "must increase"),
        ("<SimmSpline><x>0 1</x><y>0 1 2</y></SimmSpline>", "2 x and 3 y"),
        ("<MultiplierFunction><scale>2</scale></MultiplierFunction>", "multiplies no function"),
        ("<StepFunction><transition_end_time>0.5</transition_end_time></StepFunction>", "not after its start"),
        (
            "<MultivariatePolynomialFunction><dimension>2</dimension><order>1</order><coefficients>1 2 3</coefficients>"
            "</MultivariatePolynomialFunction>",
            "1 coordinates",
        ),
        ("<ChebyshevFunction/>", "not supported"),
    ],
)
def test_functions_that_cannot_be_are_refused(text: str, message: str) -> None:
    with pytest.raises(my.FileError, match=message):
        read(text, "q")
