"""The synthetic arm: any number of muscles, the same for the same seed, at rest where it hangs, calm when excited."""

from __future__ import annotations

import math

import numpy as np
import pytest

import myodyne as my
from myodyne.library.generators import synthetic_arm


@pytest.mark.parametrize("count", [10, 11, 138, 1000])
def test_count(count: int) -> None:
    arm = synthetic_arm(muscles=count)
    assert len(arm.muscles) == count
    assert len(arm.moving) == 11
    crossed = {name for muscle in arm.muscles.values() for name in muscle.path.length.of}
    # Even the fewest muscles leave only the forearm alone.
    assert len(crossed) >= 10
    # In however many parts, the arm is as strong.
    assert math.fsum(muscle.max_force for muscle in arm.muscles.values()) == pytest.approx(30_000, rel=0.3)


def test_seed() -> None:
    assert synthetic_arm(muscles=20, seed=3) == synthetic_arm(muscles=20, seed=3)
    assert synthetic_arm(muscles=20, seed=3) != synthetic_arm(muscles=20, seed=4)


def test_it_stays_what_it_is() -> None:
    """Benchmarks of different days compare the same arm: these numbers were drawn once."""
    first = synthetic_arm().muscles["thorax_scapula_1"]
    assert (first.max_force, first.optimal_fibre_length, first.tendon_slack_length) == (322.34, 0.06248, 0.075411)


def test_size_of_the_paths() -> None:
    for muscle in synthetic_arm().muscles.values():
        length = muscle.path.length
        assert 1 <= len(length.of) <= 6
        assert 5 <= len(length.terms) <= 18
        hanging = length.terms[0].coefficient
        slack = muscle.tendon_slack_length
        assert 0.8 < (hanging - slack) / (muscle.optimal_fibre_length * math.cos(muscle.pennation)) < 1.0


def test_muscles_pull_against_each_other() -> None:
    eq = my.equations_of(synthetic_arm(), compiled=False)
    arms = np.asarray(eq.moment_arms(np.zeros(11)))
    for coordinate in arms.T:
        assert coordinate.max() > 0.005
        assert coordinate.min() < -0.005


def test_springs_bear_the_hanging_arm() -> None:
    arm = synthetic_arm()
    eq = my.equations_of(arm.without(*arm.muscles), compiled=False)
    assert np.abs(eq.residual(eq.state(), np.zeros(22))).max() < 1e-9


@pytest.mark.parametrize(("count", "excitation"), [(10, 0.1), (138, 0.0), (138, 0.1), (138, 1.0)])
def test_excited_arm_is_calm(count: int, excitation: float) -> None:
    arm = synthetic_arm(muscles=count, seed=1)
    run = my.simulate(
        arm, 1.0, controls=dict.fromkeys(arm.muscles, excitation), scheme=my.Rosenbrock(step=0.002), every=0.02
    )
    fibres = np.array([run.values(f"{muscle}.projected_length") for muscle in arm.muscles])
    assert fibres.min() > 0.3
    assert fibres.max() < 1.6
    for name, coordinate in arm.coordinates.items():
        low, high = coordinate.range
        # Limits give way a little.
        assert low - 0.2 < run.values(name).min()
        assert run.values(name).max() < high + 0.2
        assert abs(run.final[f"{name}.speed"]) < 1.0
    if excitation == 0.0:
        assert max(abs(run.values(name)).max() for name in arm.coordinates) < 0.02


@pytest.mark.parametrize(
    "wrong",
    [
        {"muscles": 9},
        {"muscles": 1001},
        {"muscles": 20.0},
        {"muscles": True},
        {"seed": -1},
        {"seed": "a"},
        {"seed": None},
    ],
)
def test_wrong_arguments(wrong: dict[str, object]) -> None:
    with pytest.raises(my.ModelError, match="must be a whole number"):
        synthetic_arm(**wrong)
