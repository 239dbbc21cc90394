"""Muscles at rest: for every family of curves, from paths that are far too short to stretched ones, a balance is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import myodyne as my
from myodyne.equations.muscles.fibre_lengths import MusclesAtRest, balanced_fibres, resting_activations
from support.muscles import FAMILIES, OPENSIM_DEGROOTE
from support.samples import one_in

Floats = NDArray[np.float64]

CURVES: dict[str, Any] = {**FAMILIES, "opensim": OPENSIM_DEGROOTE}
COUNT = 90
# By default 1,800 muscles of each family; in the long run 16,740, which are 100,440 of six families.
ROUNDS = [20, pytest.param(186, marks=pytest.mark.long)]


def many(curves: Any, activations: tuple[Any, ...] = (my.HeActivation(), my.HatzeActivation())) -> my.Model:
    """Return a model of many muscles of one family, a third of them straight, the others pennate up to 60°."""
    rng = np.random.default_rng(7)
    muscles = {}
    for number in range(COUNT):
        fibre = float(np.exp(rng.uniform(np.log(0.01), np.log(0.4))))
        muscles[f"m{number}"] = my.Muscle(
            max_force=float(np.exp(rng.uniform(np.log(20), np.log(9000)))),
            optimal_fibre_length=fibre,
            tendon_slack_length=fibre * float(np.exp(rng.uniform(np.log(0.1), np.log(12)))),
            pennation=0.0 if number % 3 == 0 else float(np.radians(rng.uniform(0.1, 60))),
            curves=curves,
            activation=activations[number % 2],
            path=my.FunctionPath(length=my.Linear(coordinate="angle", slope=0.01, offset=0.3)),
        )
    return my.load_model("pendulum").with_parts(muscles=muscles)


def numbers(model: my.Model, name: str) -> Floats:
    return np.array([getattr(muscle, name) for muscle in model.muscles.values()])


def least_of(model: my.Model) -> Floats:
    """Return the least projected lengths: fibres at an angle with the cosine 0.1, as thick as the muscle, or none."""
    least = np.sin(numbers(model, "pennation")) / np.tan(np.arccos(0.1))
    return np.where(numbers(model, "holds_fibres"), least, 0.0)


def lengths_of(model: my.Model, rng: np.random.Generator) -> Floats:
    """Return paths (m): tendons from slack to 12 % strain, fibres to 1.8 optimal lengths; some far too short."""
    slack, optimal = numbers(model, "tendon_slack_length"), numbers(model, "optimal_fibre_length")
    along = rng.uniform(0, 1.8, COUNT) * np.cos(numbers(model, "pennation"))
    lengths = slack * (1 + rng.uniform(-0.05, 0.12, COUNT)) + optimal * along
    return np.where(rng.uniform(size=COUNT) < 0.15, slack * rng.uniform(0, 1, COUNT), lengths)


def activations_of(rng: np.random.Generator) -> Floats:
    """Return activations: none, a trace, some, all."""
    chosen = np.stack([np.zeros(COUNT), 10 ** rng.uniform(-9, -1, COUNT), rng.uniform(0, 1, COUNT), np.ones(COUNT)])
    return chosen[rng.integers(0, 4, COUNT), np.arange(COUNT)]


def residuals(rest: MusclesAtRest, lengths: Floats, active: Floats, fibres: Floats) -> Floats:
    return rest.responses(lengths, active, active, fibres)["contraction"]


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("family", CURVES)
def test_every_muscle_is_balanced(family: str, rounds: int) -> None:
    model = many(CURVES[family])
    rest, rng = MusclesAtRest(my.equations_of(model)), np.random.default_rng(3)
    slack, least = numbers(model, "tendon_slack_length"), least_of(model)
    optimal = numbers(model, "optimal_fibre_length")
    for _ in range(rounds):
        lengths, active = lengths_of(model, rng), activations_of(rng)
        fibres = rest.fibres(lengths, active, active)
        found = rest.responses(lengths, active, active, fibres)
        assert np.abs(found["contraction"]).max() <= 1e-9
        # A fibre that is a little longer pulls more: it returns to where it was.
        assert found["contraction", "projected"].min() > -1e-9
        # Fibres without length only where there is no other way: their pull exceeds the tendon's even at zero.
        # So it is with those that would be steeper than they can be.
        held = numbers(model, "holds_fibres")
        short = (held | (numbers(model, "pennation") == 0)) & (fibres < least)
        assert np.all(residuals(rest, lengths, active, least)[short] > 0)
        # The tendon does not see by how much they are held; it is little.
        stretched = rest.responses(lengths, active, active, np.maximum(fibres, least))["tension"]
        assert found["tension"][held] == pytest.approx(stretched[held], rel=1e-9, abs=1e-9)
        assert np.all(fibres[held] > least[held] - 0.2)
        # They do not lengthen beyond what makes the tendon slack, but for springs that push.
        assert np.all((fibres <= np.maximum((lengths - slack) / optimal, least) + 1e-9) | (found["tension"] < 0))


@pytest.mark.parametrize("family", one_in(3, CURVES))
def test_it_is_the_greatest_length(family: str) -> None:
    """Looked for by brute force: nowhere above does the residual become negative."""
    model = many(CURVES[family])
    rest, rng = MusclesAtRest(my.equations_of(model)), np.random.default_rng(5)
    for _ in range(4):
        lengths, active = lengths_of(model, rng), activations_of(rng)
        fibres = rest.fibres(lengths, active, active)
        for above in np.geomspace(1e-6, 5.0, 400):
            assert residuals(rest, lengths, active, fibres + above).min() > -1e-12


@pytest.mark.parametrize("family", ["thelen", "millard", "van_soest_bobbert"])
def test_where_any_length_will_do_the_tendon_is_just_slack(family: str) -> None:
    model = many(CURVES[family], (my.HeActivation(), my.NoActivation()))
    eq = my.equations_of(model)
    slack, optimal = numbers(model, "tendon_slack_length"), numbers(model, "optimal_fibre_length")
    rng = np.random.default_rng(2)
    slackest = rng.uniform(-2.0, 0.8, COUNT) * np.cos(numbers(model, "pennation"))
    fibres = MusclesAtRest(eq).fibres(slack + optimal * slackest, np.zeros(COUNT // 2), np.zeros(COUNT))
    assert fibres == pytest.approx(np.maximum(slackest, least_of(model)), abs=1e-12)


@pytest.mark.long
def test_a_pose_and_its_excitations() -> None:
    eq = my.equations_of(many(my.Thelen2003(), (my.ThelenActivation(), my.NoActivation())))
    u = np.linspace(0, 1, COUNT)
    active = resting_activations(eq.model, u)
    assert active == pytest.approx(np.maximum(u[::2], 0.01))
    fibres = balanced_fibres(eq, [0.4], active, u)
    assert len(fibres) == COUNT
    x = np.concatenate([[0.4, 0.0], fibres, active])
    residual = eq.residual(x, np.zeros_like(x), u)
    assert np.abs(residual[2:]).max() < 1e-9


def test_other_numbers() -> None:
    model = many(my.Thelen2003(), (my.NoActivation(), my.NoActivation()))
    free = model.free("m1.tendon_slack_length", "m1.max_force")
    longer = model.with_values({"m1.tendon_slack_length": 0.29})
    u = np.full(COUNT, 0.4)
    changed = balanced_fibres(my.equations_of(free), [0.1], [], u, {"m1.tendon_slack_length": 0.29})
    assert changed == pytest.approx(balanced_fibres(my.equations_of(longer), [0.1], [], u), abs=1e-11)


def test_what_cannot_be_balanced_is_named() -> None:
    model = many(my.Thelen2003())
    lengths = np.full(COUNT, 0.3)
    lengths[[4, 7]] = np.nan, np.inf
    with pytest.raises(my.SolveError, match=r"'pendulum'.*'m4' \(nan\), 'm7' .*tendon_slack_length"):
        MusclesAtRest(my.equations_of(model)).fibres(lengths, np.full(COUNT, 0.1), np.zeros(COUNT))
