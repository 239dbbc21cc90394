"""The curves of van Soest and Bobbert and the activation of Hatze: published forms, limits, and recorded jumps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.physics import activation
from myodyne.physics.curves import van_soest_bobbert as curves
from support.jumps import CALCIUM, JUMPS, STEP, recorded

JUMPER = my.load_model("jumper").muscles
SOLEUS = JUMPER["soleus"]
# Below 0.001 a fibre does not become any slower.
ACTIVE = np.array([0.001, 0.005, 0.05, 0.1, 0.3, 0.31, 0.7, 1.0])
LENGTHS = np.array([0.5, 0.6, 0.7, 0.99, 1.0, 1.01, 1.2, 1.5])


def evaluated(expression: Callable[..., Any], *arguments: Any, derivatives: bool = False) -> np.ndarray:
    """Return the values of an expression, or its derivatives, a row for each argument."""
    symbols = [ca.SX.sym(f"x{number}") for number in range(len(arguments))]
    value = expression(*symbols)
    function = ca.Function(
        "f", symbols, [ca.densify(ca.gradient(value, ca.vertcat(*symbols))) if derivatives else value]
    )
    columns = np.broadcast_arrays(*arguments)
    found = np.array(function.map(columns[0].size)(*(column.reshape(1, -1) for column in columns)))
    return found.reshape(-1, *columns[0].shape)


def contractile(length: Any, velocity: Any, active: Any, **options: bool) -> np.ndarray:
    return evaluated(lambda *x: curves.contractile(SOLEUS, *x), length, velocity, active, **options)


def published_velocity(length: np.ndarray, force: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Return the velocity of the contractile element at a force, as Wong has it after van Soest and Bobbert."""
    a, b, steeper, most, straight = 0.41, 5.2, 2.0, 1.5, 200.0
    isometric = 1 - ((length - 1) / 0.56) ** 2
    slowed = np.minimum(1, active / 0.3)
    a = np.where(length > 1, a * isometric, a)
    relative = force / active
    concentric = -slowed * b * ((isometric + a) / (relative + a) - 1)
    asymptote = -most * isometric
    rise = -slowed * b * (isometric + asymptote) ** 2 / (steeper * (isometric + a))
    shift = -rise / (isometric + asymptote)
    with np.errstate(divide="ignore"):
        eccentric = rise / (relative + asymptote) + shift
    beyond = slowed * straight * (relative + asymptote) + shift + 2 * np.sqrt(-rise * slowed * straight)
    eccentric = np.where(relative <= -np.sqrt(-rise / (slowed * straight)) - asymptote, eccentric, beyond)
    return np.where(relative <= isometric, concentric, eccentric)


def test_the_force_undoes_the_published_velocity() -> None:
    share = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 1.01, 1.2, 1.4, 1.49, 1.6, 2.0])
    length, active, share = np.meshgrid(LENGTHS, ACTIVE, share, indexing="ij")
    force = share * active * (1 - ((length - 1) / 0.56) ** 2)
    velocity = published_velocity(length, force, active)
    assert velocity.min() < -10
    assert velocity.max() > 40
    np.testing.assert_allclose(contractile(length, velocity, active)[0], force, rtol=1e-9, atol=1e-12)


def test_slopes_at_rest() -> None:
    """A fibre that lengthens is twice as stiff as one that shortens, at every activation."""
    for active in ACTIVE:
        slower, faster = (contractile(1.0, side * 1e-7, active, derivatives=True)[1] for side in (-1, 1))
        assert float(faster) == pytest.approx(2 * float(slower), rel=1e-3)


def test_the_fastest_fibre_is_slower_where_it_is_less_active_and_where_it_is_short() -> None:
    vmax = 5.2 / 0.41
    assert SOLEUS.max_velocity == pytest.approx(vmax, rel=1e-11)
    for length, active, expected in (
        (1.0, 1.0, vmax),
        (1.4, 1.0, vmax),
        (1.0, 0.15, vmax / 2),
        (0.8, 1.0, vmax * (1 - (0.2 / 0.56) ** 2)),
    ):
        assert abs(float(contractile(length, -expected, active)[0])) < 1e-9


EVERYWHERE = np.meshgrid(
    np.r_[-3.0, -0.5, 0.0, np.linspace(0.2, 1.8, 17), 1.44, 2.89, 2.9, 4.0],
    np.r_[-1000.0, np.linspace(-15, 15, 25), 1000.0],
    np.r_[0.0, 1e-9, ACTIVE],
)


def test_finite_and_increasing_everywhere() -> None:
    length, velocity, active = EVERYWHERE
    force, slopes = contractile(length, velocity, active)[0], contractile(length, velocity, active, derivatives=True)
    assert np.all(np.isfinite(force))
    assert np.all(np.isfinite(slopes))
    assert np.all(slopes[1][active > 0] > 0)
    assert np.all(np.diff(force, axis=0)[:, :, 1:] > 0)
    assert np.all(force[active == 0] == 0)


def test_a_slack_tendon_and_a_tight_parallel_element_can_balance() -> None:
    """Far below zero the force goes on falling, so that some velocity meets any passive force."""
    force = contractile(1.5, np.array([-1e3, -2e3, -4e3]), 0.5)[0]
    assert force[0] < -1
    np.testing.assert_allclose(np.diff(force)[1] / np.diff(force)[0], 2.0, rtol=1e-9)


def test_elastic_elements() -> None:
    lengths = np.array([0.0, 1.0, 1.03, 1.04]) * SOLEUS.tendon_slack_length
    np.testing.assert_allclose(evaluated(lambda x: curves.tendon(SOLEUS, x), lengths)[0], [0, 0, 0.5625, 1], atol=1e-9)
    tight = evaluated(lambda x: curves.parallel(SOLEUS, x), np.array([0.5, 1.5, 1.53, 1.56]))[0]
    np.testing.assert_allclose(tight, [0, 0, 0.125, 0.5], atol=1e-12)


def test_the_parallel_element_must_be_stretched_where_its_stress_is_given() -> None:
    with pytest.raises(my.ModelError, match=r"parallel_slack 1.6 must lie below 1 \+ width 0.56"):
        my.VanSoestBobbert1993(parallel_slack=1.6)


# ---- activation -----------------------------------------------------------------------------------------------


def active_state(state: Any, length: Any, **options: bool) -> np.ndarray:
    return evaluated(lambda *x: activation.active_state(SOLEUS, x[0], ca.SX(0), x[1]), state, length, **options)


def test_active_state_is_as_published() -> None:
    hatze, state, length = SOLEUS.activation, np.linspace(0.01, 1, 12)[:, None], LENGTHS
    sensitivity = hatze.sensitivity * (2.9 - 1) / (2.9 / length - 1)
    bound = (sensitivity * CALCIUM * state) ** 2
    np.testing.assert_allclose(active_state(state, length)[0], (0.005 + bound) / (1 + bound), rtol=1e-12)


def test_active_state_is_finite_and_does_not_fall_with_calcium() -> None:
    length, _, state = EVERYWHERE
    assert np.all(np.isfinite(active_state(state, length, derivatives=True)))
    assert np.all(np.diff(active_state(state, length)[0], axis=2) >= 0)
    assert float(active_state(0.0, 1.0)[0]) == pytest.approx(0.005, rel=1e-6)


def test_calcium_follows_excitation() -> None:
    rate = evaluated(lambda *x: activation.rate(SOLEUS, *x), np.array([0.2, 1.0]), np.array([1.0, 0.2]))
    np.testing.assert_allclose(rate[0], [9.0, -9.0])


# ---- recorded jumps -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", JUMPS)
def test_each_curve_of_the_recorded_muscles(name: str) -> None:
    """Columns are printed with six digits, so that curves agree as far as their arguments are known."""
    jump = recorded(name)
    c, force = jump.columns, jump.header["max_force"]
    np.testing.assert_allclose(active_state(c["calcium"] / CALCIUM, c["fibre"])[0], c["active"], atol=5e-6)
    for number, muscle in enumerate(JUMPER.values()):
        length = c["whole"][:, number] - c["fibre"][:, number] * muscle.optimal_fibre_length
        tension = evaluated(lambda x, muscle=muscle: curves.tendon(muscle, x), length)[0]
        np.testing.assert_allclose(tension, c["tension"][:, number] / force[number], atol=5e-4)
        assert np.all(evaluated(lambda x, muscle=muscle: curves.parallel(muscle, x), c["fibre"][:, number]) == 0)
    assert np.all(c["parallel"] == 0)


@pytest.mark.parametrize("name", JUMPS)
def test_the_recorded_fibres_move_as_their_forces_say(name: str) -> None:
    """A step of the recording is the mean of the velocities at its ends, but where an excitation rises meanwhile."""
    jump = recorded(name)
    length, active = jump.columns["fibre"], jump.columns["active"]
    force = jump.columns["tension"] / jump.header["max_force"]
    velocity = published_velocity(length, force, active)
    np.testing.assert_allclose(contractile(length, velocity, active)[0], force, rtol=1e-9, atol=1e-12)
    moved, expected = np.diff(length, axis=0) / STEP, (velocity[1:] + velocity[:-1]) / 2
    onset = np.abs(jump.time[1:, None] - jump.header["onset"]) < 2 * STEP
    # Lengths above one are printed to 1e-5, which makes 0.01 of the velocity; the rest is what Heun's method leaves.
    np.testing.assert_allclose(moved[~onset], expected[~onset], atol=0.06)
    assert np.mean(np.abs(moved - expected) < 0.011) > 0.98
    assert np.median(np.abs(moved - expected)) < 0.003
    assert np.mean(velocity > 0.02) > 0.1, "some fibres lengthen"
    assert velocity.min() < -5
