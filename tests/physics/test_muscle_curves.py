"""Curves of muscles: derivatives, published values, norms, monotony, and numbers that are symbols."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.model.muscles import corner_curves
from myodyne.physics.curves import millard
from myodyne.physics.curves.shapes import held_parameters
from support.muscles import (
    FAMILIES,
    OPENSIM_DEGROOTE,
    a_muscle,
    curve_expressions,
    values,
    with_symbols,
)

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden" / "opensim_muscle_curves.csv"
SYMPY_TABLE = HERE.parents[2] / "shared" / "data" / "muscle_curves" / "degroote2016_sympy_values.csv"
RANGES = {"force_length": (0.1, 2.0), "force_velocity": (-1.6, 1.6), "parallel": (0.1, 2.0), "tendon": (0.9, 1.15)}
CURVES = tuple(RANGES)
# Where the published slope or curvature jumps: no difference may straddle these.
KINKS = {
    ("van_soest_bobbert", "force_length"): (0.44, 1.56),
    ("van_soest_bobbert", "force_velocity"): (0.0,),
    ("van_den_bogert", "force_velocity"): (0.0,),
    ("thelen", "force_velocity"): (0.0,),
    ("thelen", "tendon"): (1.0,),
    ("thelen", "parallel"): (1.0,),
    ("tabulated", "force_velocity"): (0.0,),
    ("tabulated", "tendon"): (1.0,),
}


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("name", FAMILIES)
def test_derivatives_agree_with_differences(name: str, curve: str) -> None:
    symbol, expression = curve_expressions(a_muscle(FAMILIES[name]))[curve]
    at = np.linspace(*RANGES[curve], 1999)
    for kink in KINKS.get((name, curve), ()):
        at = at[np.abs(at - kink) > 1e-3]
    step = 1e-5
    shifted = [values(symbol, expression, at + way * step) for way in (-2, -1, 1, 2)]
    differences = (shifted[0] - 8 * shifted[1] + 8 * shifted[2] - shifted[3]) / (12 * step)
    exact = values(symbol, expression, at, order=1)
    # Curvature that jumps (parabolas, straight ends) spoils differences next to the jump by its size times the step.
    np.testing.assert_allclose(exact, differences, atol=2e-5 * max(1.0, float(np.abs(exact).max())))
    assert np.quantile(np.abs(exact - differences), 0.98) < 1e-7 * max(1.0, float(np.abs(exact).max()))


# The points of a table say what they say.
@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "tabulated"])
def test_forces_are_normalised(name: str) -> None:
    family = FAMILIES[name]
    curves = curve_expressions(a_muscle(family))

    def at(curve: str, place: float) -> float:
        return float(values(*curves[curve], np.array([place]))[0])

    # De Groote's rounded coefficients give 1.0023 at rest, 0.012 at maximal shortening, 0.994 at the optimal length.
    assert at("force_velocity", 0.0) == pytest.approx(1.0023206225485 if name == "degroote_fregly" else 1.0, abs=1e-13)
    assert at("force_length", 1.0) == pytest.approx(0.994139886622616 if name == "degroote_fregly" else 1.0, abs=1e-14)
    assert at("force_velocity", -1.0) == pytest.approx(0.0, abs=0.015 if name == "degroote_fregly" else 1e-14)
    strain = family.tendon_strain
    # A faint linear spring (N/m) comes on top of van den Bogert's parabolas.
    faint = 10.0 * 0.2 * strain / 1000.0 if name == "van_den_bogert" else 0.0
    assert at("tendon", 1 + strain) == pytest.approx(1.0 + faint, abs=1e-12)
    if name in ("degroote_fregly", "thelen", "millard"):
        slack = getattr(family, "parallel_slack", 1.0) if name == "millard" else 1.0
        assert at("parallel", slack + family.parallel_strain) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("active", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("name", FAMILIES)
def test_force_grows_with_velocity(name: str, active: float) -> None:
    symbol, expression = curve_expressions(a_muscle(FAMILIES[name]), active)["force_velocity"]
    at = np.linspace(-2.5, 2.5, 2001)
    slopes = values(symbol, expression, at, order=1)
    # Millard's curve is level beyond the maximal velocities by default; the damping of the fibres takes over there.
    inside = np.abs(at) < 0.999 if name == "millard" else np.full(at.shape, True)
    assert np.all(slopes[inside] > 0)
    assert np.all(slopes >= 0)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("name", FAMILIES)
def test_numbers_may_be_symbols(name: str, curve: str) -> None:
    muscle = a_muscle(FAMILIES[name], pennation=0.2)
    taken: list[tuple[Any, float]] = []
    symbolic = with_symbols(muscle, taken)
    symbol, expression = curve_expressions(symbolic)[curve]
    function = ca.Function("f", [symbol, *(number for number, _ in taken)], [expression])
    at = np.linspace(*RANGES[curve], 57)
    found = [float(function(place, *(number for _, number in taken))) for place in at]
    np.testing.assert_allclose(found, values(*curve_expressions(muscle)[curve], at), rtol=1e-12, atol=1e-13)


# ---- published values -----------------------------------------------------------------------------------------

SYMPY_NAMES = {"fl_active": "force_length", "fl_passive": "parallel", "fv": "force_velocity", "tendon": "tendon"}


@pytest.mark.skipif(
    not SYMPY_TABLE.is_file(), reason="the table of SymPy's curves (shared/data/muscle_curves) is not here"
)
@pytest.mark.parametrize("curve", ["fl_active", "fl_passive", "fv", "tendon"])
def test_de_groote_as_tabulated(curve: str) -> None:
    with SYMPY_TABLE.open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["curve"] == curve]
    assert len(rows) >= 15
    at, expected = (np.array([float(row[key]) for row in rows]) for key in ("x", "value"))
    np.testing.assert_allclose(de_groote(curve, at), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("curve", ["fl_active", "fl_passive", "fv", "tendon"])
def test_de_groote_as_in_sympy(curve: str) -> None:
    biomechanics = pytest.importorskip("sympy.physics.biomechanics", reason="this SymPy has no biomechanics")
    sympy = pytest.importorskip("sympy")
    theirs = {
        "fl_active": biomechanics.FiberForceLengthActiveDeGroote2016,
        "fl_passive": biomechanics.FiberForceLengthPassiveDeGroote2016,
        "fv": biomechanics.FiberForceVelocityDeGroote2016,
        "tendon": biomechanics.TendonForceLengthDeGroote2016,
    }[curve]
    x = sympy.Symbol("x")
    function = sympy.lambdify(x, theirs.with_defaults(x).doit(), "mpmath")
    at = np.linspace(
        *{"fl_active": (0.3, 1.8), "fl_passive": (0.3, 1.8), "fv": (-1.5, 1.5), "tendon": (0.95, 1.12)}[curve], 61
    )
    expected = np.array([float(function(place)) for place in at])
    np.testing.assert_allclose(de_groote(curve, at), expected, rtol=1e-12, atol=1e-12)


def de_groote(curve: str, at: np.ndarray) -> np.ndarray:
    return values(*curve_expressions(a_muscle(my.DeGrooteFregly2016()))[SYMPY_NAMES[curve]], at)


def opensim(family: str, curve: str, case: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Return places and values of a curve of OpenSim 4.6."""
    with GOLDEN.open(encoding="utf-8") as stream:
        next(stream)
        rows = [
            row for row in csv.DictReader(stream) if (row["family"], row["curve"], row["case"]) == (family, curve, case)
        ]
    assert rows
    return np.array([float(row["at"]) for row in rows]), np.array([float(row["value"]) for row in rows])


OTHER_MILLARD = my.Millard2012(
    shortest=0.5,
    shoulder=0.8,
    longest=1.6,
    shallow_slope=0.5,
    floor=0.05,
    concentric_slope=0.1,
    concentric_slope_near=0.3,
    isometric_slope=4.0,
    eccentric_slope=0.05,
    eccentric_slope_near=0.2,
    eccentric_force=1.6,
    concentric_curviness=0.3,
    eccentric_curviness=0.5,
    parallel_slack=1.05,
    parallel_strain=0.55,
    parallel_low_stiffness=0.3,
    parallel_steepness=4.5 * 0.55,
    parallel_curviness=0.4,
    tendon_strain=0.04,
    tendon_steepness=1.6,
    tendon_toe_force=0.5,
    tendon_curviness=0.8,
)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("case, shape", [("", my.Millard2012()), ("other", OTHER_MILLARD)], ids=["default", "other"])
def test_millard_as_in_opensim(curve: str, case: str, shape: my.Millard2012) -> None:
    at, expected = opensim("millard", curve, case)
    np.testing.assert_allclose(values(*curve_expressions(a_muscle(shape))[curve], at), expected, rtol=0, atol=2e-13)


@pytest.mark.parametrize("curve", CURVES)
def test_de_groote_as_in_opensim(curve: str) -> None:
    at, expected = opensim("degroote_fregly", curve)
    np.testing.assert_allclose(
        values(*curve_expressions(a_muscle(OPENSIM_DEGROOTE))[curve], at), expected, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("curve", ["force_length", "parallel", "tendon"])
def test_thelen_as_in_opensim(curve: str) -> None:
    at, expected = opensim("thelen", curve)
    np.testing.assert_allclose(
        values(*curve_expressions(a_muscle(my.Thelen2003()))[curve], at), expected, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("active", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("length", [0.8, 1.2])
@pytest.mark.parametrize(
    "name, curves, damping", [("thelen", my.Thelen2003(), 0.0), ("millard", my.Millard2012(floor=0.0), 0.01)]
)
def test_fibres_move_as_in_opensim(name: str, curves: Any, damping: float, length: float, active: float) -> None:
    """At the fibre velocity that OpenSim finds for a stretch of the tendon, our forces balance.

    OpenSim's damping is per maximal velocity, here 10 lengths/s, ours per length/s. Its damped muscles have no floor.
    """
    stretch, velocity = opensim(name, "velocity", f"{length} {active}")
    muscle = a_muscle(curves, damping=damping)
    from support.muscles import response_function

    drive = np.zeros((7, len(stretch)))
    drive[0], drive[2], drive[3], drive[4] = 0.1 * length + 0.2 * stretch, length, velocity, active
    balance = np.asarray(
        response_function(muscle, derivatives=False).map(len(stretch))(drive, np.zeros((1, len(stretch))))
    )[1]
    # OpenSim clamps Thelen's fibres at zero speed where they are slack, and iterates Millard's to its own tolerance.
    np.testing.assert_allclose(balance, 0.0, atol=1e-7)


# ---- corners ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("shape", [my.Millard2012(), OTHER_MILLARD], ids=["default", "other"])
def test_corners_meet_with_one_value_slope_and_curvature(curve: str, shape: my.Millard2012) -> None:
    symbol, expression = curve_expressions(a_muscle(shape))[curve]
    knots = corner_curves.CURVES[curve](shape).knots
    at = np.array([knot.at for knot in knots])
    here = values(symbol, expression, at), values(symbol, expression, at, order=1)
    np.testing.assert_allclose(here[0], [knot.value for knot in knots], atol=1e-13)
    np.testing.assert_allclose(
        here[1], [knot.slope for knot in knots], atol=1e-10 * max(1.0, float(np.abs(here[1]).max()))
    )
    near = 1e-9
    left, right = (values(symbol, expression, at + way * near, order=2) for way in (-1, 1))
    size = np.abs(values(symbol, expression, np.linspace(*RANGES[curve], 999), order=2)).max()
    np.testing.assert_allclose(left / size, right / size, atol=1e-4)
    np.testing.assert_allclose(left / size, 0.0, atol=1e-4)


@pytest.mark.parametrize("close", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("share", [0.006, 0.05, 0.3, 0.5, 0.8, 0.99])
def test_quintics_are_inverted_to_rounding(share: float, close: float) -> None:
    from myodyne.physics.curves.shapes import _parameter

    place = ca.SX.sym("place")
    closeness = 0.1 + 0.8 * close
    u = np.linspace(0.0, 1.0, 501)
    reached = (1 - closeness) * u**3 * (10 - 15 * u + 6 * u**2) + closeness * (
        share * (1 - (1 - u) ** 5) + (1 - share) * u**5
    )
    found = values(place, _parameter(place, share, closeness), reached)
    again = (1 - closeness) * found**3 * (10 - 15 * found + 6 * found**2) + closeness * (
        share * (1 - (1 - found) ** 5) + (1 - share) * found**5
    )
    np.testing.assert_allclose(again, reached, atol=2e-12)
    assert found[0] == 0.0
    assert found[-1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("damping", [0.01, 0.1])
@pytest.mark.parametrize("active", [0.0, 0.02, 0.5, 1.0])
def test_velocities_are_found_from_forces(active: float, damping: float) -> None:
    muscle = a_muscle(my.Millard2012()).model_copy(update={"damping": damping})
    velocity, force, length = ca.SX.sym("velocity"), ca.SX.sym("force"), ca.SX(0.9)
    forward = millard.contractile(muscle, length, velocity, ca.SX(active)) + damping * velocity
    back, missed, slope = millard.balanced_velocity(muscle, length, ca.SX(active), force)
    # Both beyond the maximal velocity and at the knots.
    at = np.append(np.linspace(-1.5, 1.5, 3001), [-1.0, -0.9, 0.0, 0.9, 1.0]) * muscle.max_velocity
    reached = values(velocity, forward, at)
    np.testing.assert_allclose(values(force, back, reached), at, rtol=0, atol=1e-10)
    np.testing.assert_allclose(values(force, missed, reached), 0.0, atol=1e-14)
    np.testing.assert_allclose(values(force, slope, reached), values(velocity, forward, at, order=1), rtol=1e-7, atol=0)


@pytest.mark.parametrize("curve", CURVES)
def test_held_parameters_have_the_slope_of_the_search(curve: str) -> None:
    muscle = a_muscle(my.Millard2012())
    symbol, expression = curve_expressions(muscle)[curve]
    with held_parameters() as held:
        same, bare = curve_expressions(muscle)[curve]
    assert len(held) >= 1
    slope = ca.jacobian(bare, same)
    for name, found in held:
        bare, slope = ca.substitute(bare, name, found), ca.substitute(slope, name, found)
    at = np.linspace(*RANGES[curve], 1999)
    np.testing.assert_allclose(values(same, bare, at), values(symbol, expression, at), rtol=0, atol=1e-12)
    exact = values(symbol, expression, at, order=1)
    np.testing.assert_allclose(values(same, slope, at), exact, rtol=0, atol=1e-9 * np.abs(exact).max())


# ---- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, wrong, message",
    [
        (my.Millard2012, {"shortest": 0.8}, "shortest 0.8 and shoulder 0.73 must increase"),
        (my.Millard2012, {"longest": 1.05}, "longest 1.05 must lie above 1.1"),
        (my.Millard2012, {"isometric_slope": 0.5}, "the force_velocity curve cannot bend once"),
        (my.Millard2012, {"concentric_slope": 0.25}, "the force_velocity curve cannot bend once"),
        (my.Millard2012, {"parallel_low_stiffness": 2.0}, "the parallel curve cannot bend once"),
        (my.Millard2012, {"tendon_steepness": 0.9}, "tendon_steepness"),
        (my.Millard2012, {"tendon_curviness": 1.2}, "tendon_curviness"),
        (my.Thelen2003, {"eccentric_limit": 0.5}, "eccentric_limit 0.5 of eccentric_force 1.4"),
        (my.Thelen2003, {"tendon_strain": float("nan")}, "tendon_strain"),
        (my.Thelen2003, {"tendon_toe_force": 1.0}, "tendon_toe_force"),
        (my.DeGrooteFregly2016, {"c2": 1.2}, "c2 1.2 must lie below"),
        (my.DeGrooteFregly2016, {"c1": 1.5}, "c1 1.5 must lie below"),
        (my.DeGrooteFregly2016, {"d1": 0.3}, "force grows with velocity"),
        (my.DeGrooteFregly2016, {"parallel_slack": 1.7}, "parallel_slack 1.7"),
        (my.DeGrooteFregly2016, {"b11": "0.8"}, "b11"),
    ],
)
def test_curves_that_no_muscle_has_are_refused(kind: Any, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        kind(**wrong)
