"""Muscles in every state: what balances them and its derivatives are finite, whatever the family, activation, tendon."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.physics import activation, metabolics
from myodyne.physics.muscle import Drive, respond
from support.frames import Array
from support.muscles import ACTIVATIONS, FAMILIES, a_muscle, response_function, values

STATES = 100_000
# By default a fifth of them; all in the long run.
COUNTS = [STATES // 5, pytest.param(STATES, marks=pytest.mark.long)]


def random_drives(seed: int, number: int = STATES) -> tuple[Array, Array]:
    """Return drives, column by column, and pennations: every state a movement may meet, its corners among them."""
    draw = np.random.default_rng(seed)
    length, speed = draw.uniform(0.2, 1.8, number), draw.uniform(-15.0, 15.0, number)
    active, excitation = draw.uniform(0.0, 1.0, (2, number))
    stretch, pennation = draw.uniform(0.9, 1.12, number), draw.uniform(0.0, np.pi / 3, number)
    # Limits, and places where curves change their form, are met exactly.
    for values_, special in (
        (length, (0.2, 0.44, 0.4441, 1.0, 1.4, 1.56, 1.8)),
        (speed, (-15.0, -10.0, 0.0, 10.0, 15.0)),
        (active, (0.0, 0.01, 0.3, 1.0)),
        (excitation, (0.0, 0.01, 1.0)),
        (stretch, (1.0, 1.04, 1.049, 1.12)),
        (pennation, (0.0,)),
    ):
        chosen = draw.random(number) < 0.1
        values_[chosen] = draw.choice(special, int(chosen.sum()))
    along = np.cos(pennation)
    path = 0.1 * length * along + 0.2 * stretch
    drives = np.stack([path, 0.1 * speed, length * along, speed, active, draw.uniform(-20.0, 20.0, number), excitation])
    return drives, pennation[None, :]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
@pytest.mark.parametrize("activated", ACTIVATIONS)
@pytest.mark.parametrize("name", FAMILIES)
def test_response_and_derivatives_are_finite(name: str, activated: str, tendon: str, count: int) -> None:
    muscle = a_muscle(FAMILIES[name], activation=ACTIVATIONS[activated], tendon=tendon)
    response, jacobian = (
        np.asarray(part)
        for part in response_function(muscle).map(count)(*random_drives(len(name) + len(activated), count))
    )
    assert response.shape == (3, count)
    assert np.isfinite(response).all()
    assert np.isfinite(jacobian).all()
    # A muscle of 1000 N neither tears itself nor is empty.
    assert 500.0 < np.abs(response[0]).max() < 1e6


@pytest.mark.parametrize("name", FAMILIES)
def test_states_far_beyond_any_movement_are_finite_too(name: str) -> None:
    muscle = a_muscle(FAMILIES[name], activation=my.NoActivation())
    draw = np.random.default_rng(5)
    drives = draw.uniform(-1.0, 1.0, (7, 2000)) * np.array([10.0, 100.0, 5.0, 1e4, 2.0, 1e3, 2.0])[:, None]
    for part in response_function(muscle).map(2000)(drives, draw.uniform(0.05, 1.0, (1, 2000))):
        assert np.isfinite(np.asarray(part)).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_jacobians_agree_with_differences(name: str) -> None:
    muscle = a_muscle(FAMILIES[name], activation=my.DeGrooteActivation(), damping=0.01)
    draw = np.random.default_rng(11)
    number = 200
    # Away from where the published slopes jump: optimal and slack lengths, rest, and little activation.
    drives = draw.uniform((0.3, -0.5, 0.6, 0.2, 0.35, -5.0, 0.1), (0.3085, 0.5, 0.9, 5.0, 1.0, 5.0, 1.0), (number, 7)).T
    drives[0] = 0.1 * drives[2] + 0.2 * draw.uniform(1.005, 1.02, number)
    drives[3] *= draw.choice((-1.0, 1.0), number)
    pennation = np.full((1, number), 0.2)
    function = response_function(muscle).map(number)
    jacobian = np.asarray(function(drives, pennation)[1]).reshape(3, number, 7).transpose(0, 2, 1)
    for column in range(7):
        step = 1e-6
        shift = np.zeros((7, 1))
        shift[column] = step
        ahead, behind = (np.asarray(function(drives + way * shift, pennation)[0]) for way in (1, -1))
        size = np.maximum(np.abs(jacobian[:, column]).max(axis=1, keepdims=True), 1.0)
        np.testing.assert_allclose(jacobian[:, column] / size, (ahead - behind) / (2 * step) / size, atol=2e-6)


# ---- activation -----------------------------------------------------------------------------------------------------


def rates(kind: object, state: Array, excitation: Array) -> Array:
    muscle = a_muscle(my.Thelen2003(), activation=kind)
    a, u = ca.SX.sym("a"), ca.SX.sym("u")
    function = ca.Function("rate", [a, u], [activation.rate(muscle, a, u)])
    return np.asarray(function.map(len(state))(state[None, :], excitation[None, :])).ravel()


def test_activation_of_de_groote_as_in_sympy() -> None:
    biomechanics = pytest.importorskip("sympy.physics.biomechanics", reason="this SymPy has no biomechanics")
    import sympy

    theirs = biomechanics.FirstOrderActivationDeGroote2016.with_defaults("m")
    right = sympy.lambdify((theirs.a, theirs.e), next(iter(theirs.rhs())))
    state, excitation = np.random.default_rng(2).uniform(0.0, 1.0, (2, 200))
    expected = np.array([right(a, u) for a, u in zip(state, excitation, strict=True)])
    np.testing.assert_allclose(rates(my.DeGrooteActivation(), state, excitation), expected, rtol=1e-12, atol=1e-12)


def test_activation_of_thelen_as_in_opensim() -> None:
    import csv
    from pathlib import Path

    with (Path(__file__).parents[1] / "golden" / "opensim_muscle_curves.csv").open(encoding="utf-8") as stream:
        next(stream)
        rows = [row for row in csv.DictReader(stream) if (row["family"], row["curve"]) == ("thelen", "activation")]
    assert len(rows) == 15
    state, excitation, expected = (np.array([float(row[key]) for row in rows]) for key in ("at", "case", "value"))
    np.testing.assert_allclose(rates(my.ThelenActivation(), state, excitation), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in ACTIVATIONS if kind != "none"])
def test_activation_goes_where_the_excitation_is(kind: str) -> None:
    """It rises below the excitation and falls above, and does not fall below Thelen's minimum."""
    goal, states = 0.4, np.array([0.0, 0.2, 0.39, 0.41, 0.7, 1.0])
    found = rates(ACTIVATIONS[kind], states, np.full(6, goal))
    assert np.all(found[:3] > 0)
    assert np.all(found[3:] < 0)
    if kind == "thelen":
        assert rates(my.ThelenActivation(), np.array([0.01]), np.array([0.0])) == 0.0
        assert rates(my.ThelenActivation(), np.array([0.0]), np.array([0.0])) > 0.0


def test_without_activation_dynamics_the_excitation_acts() -> None:
    muscle = a_muscle(my.Thelen2003(), activation=my.NoActivation())
    assert not activation.has_state(muscle)
    u = ca.SX.sym("u")
    np.testing.assert_array_equal(
        values(u, activation.active_state(muscle, ca.SX(9), u, ca.SX(1)), np.array([0.0, 0.3, 1.0])), [0.0, 0.3, 1.0]
    )
    with pytest.raises(TypeError, match="kind 'none' has no state"):
        activation.rate(muscle, u, u)


# ---- metabolic power ------------------------------------------------------------------------------------------------


def power_function(muscle: my.Muscle) -> ca.Function:
    """Return a function from length, velocity, activation, excitation to the powers of both, part by part, and slopes."""
    state = ca.SX.sym("state", 4)
    drive = Drive(ca.SX(0.3), ca.SX(0), state[0], state[1], state[2], ca.SX(0), state[3])
    response = respond(muscle, drive)
    told = []
    for model in (metabolics.umberger, metabolics.bhargava):
        power = model(muscle, drive, response)
        told += [power.activation, power.shortening, power.work, power.total]
    rows = ca.vertcat(*told)
    return ca.Function("power", [state], [rows, ca.jacobian(rows, state)])


def test_metabolic_power_as_in_opensim() -> None:
    from pathlib import Path

    table = np.genfromtxt(
        Path(__file__).parents[1] / "golden" / "opensim_metabolics.csv", delimiter=",", names=True, skip_header=1
    )
    muscle = a_muscle(my.Millard2012(floor=0.0), activation=my.ThelenActivation(), slow_fibres=0.4, damping=0.01)
    states = np.stack([table[name] for name in ("length", "velocity", "active", "excitation")])
    powers = np.asarray(power_function(muscle).map(len(table))(states)[0])
    # The corners that we round are felt next to them only: 0.3 % of the mass-specific power.
    np.testing.assert_allclose(powers[3], table["umberger"], rtol=2e-3, atol=0.03)
    # OpenSim's shortening heat counts passive and damping forces with the contractile force; the paper's does not.
    velocity = 0.1 * table["velocity"]
    passive = 0.18 * table["passive_force"] * np.maximum(-velocity, 0.0)
    shortening = velocity < 0
    assert shortening.sum() > 15
    np.testing.assert_allclose(powers[7][shortening], (table["bhargava"] - passive)[shortening], rtol=2e-3, atol=0.05)
    np.testing.assert_allclose(powers[7][velocity > 0.1], table["bhargava"][velocity > 0.1], atol=0.02)


@pytest.mark.parametrize("name", FAMILIES)
def test_metabolic_power_is_finite_positive_and_smooth(name: str) -> None:
    muscle = a_muscle(FAMILIES[name], activation=my.HeActivation())
    drives, _ = random_drives(3, 20_000)
    powers, slopes = (np.asarray(part) for part in power_function(muscle).map(20_000)(drives[[2, 3, 4, 6]]))
    assert np.isfinite(powers).all()
    assert np.isfinite(slopes).all()
    mass = 1059.7 * 1000.0 / 2.5e5 * 0.1
    assert powers[3].min() > mass
    assert powers[7].min() > -1e-9
    assert powers[[3, 7]].max() < 3000.0


def test_metabolic_power_is_made_of_its_parts() -> None:
    muscle = a_muscle(my.Thelen2003(), activation=my.HeActivation(), slow_fibres=0.6)
    states = np.array([[1.0, 0.0, 0.5, 0.5], [0.9, -3.0, 0.8, 0.9], [0.0, 0.0, 0.0, 0.0]]).T
    states[0, 2] = 1.0
    powers = np.asarray(power_function(muscle).map(3)(states)[0])
    for first in (0, 4):
        np.testing.assert_allclose(powers[first : first + 3, :2].sum(axis=0), powers[first + 3, :2], rtol=1e-4)
    mass = 1059.7 * 1000.0 / 2.5e5 * 0.1
    # At the optimal length, half active and still: 1.5 × 0.5^0.6 × (128 × 0.4 + 25) W/kg, and next to no work.
    assert powers[0, 0] == pytest.approx(mass * 1.5 * 0.5**0.6 * (128 * 0.4 + 25), rel=1e-3)
    assert powers[2, 0] < 0.01 * powers[3, 0]
    # Bhargava: slow fibres by the sine of their excitation, fast ones by one minus the cosine.
    slow, fast = 0.6 * np.sin(np.pi / 4), 0.4 * (1 - np.cos(np.pi / 4))
    assert powers[4, 0] == pytest.approx(mass * (114 * slow + 244 * fast), rel=0.01)
    # At rest heat does not fall below 1 W/kg.
    assert powers[3, 2] == pytest.approx(mass, rel=0.06)
    assert powers[7, 2] == pytest.approx(mass, rel=0.06)
