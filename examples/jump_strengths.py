"""How high does a jumper fly whose muscles are stronger, or share their strength differently? Run it with

    python examples/jump_strengths.py [evaluations] [strengths]

First each muscle becomes 10 % stronger: with the onsets that suit the usual jumper, and with those that suit the
stronger one. Its excitation at rest stays as it was, so that the crouch is not quite in balance. Then the strengths are
those that Wong et al. (2016) found best at a constant sum of maximal force times fibre length, 3156 N m: they fly
1.4815 m high with their best onsets, the usual jumper 1.4345 m. The start is the same crouch, held by other
excitations. All onsets are sought anew by CMA-ES (``jump_onsets.py``). Last, the strengths themselves are sought at
that sum: CMA-ES tries as many ``strengths`` as are asked for, 40 by default, and for each a search in the search finds
onsets near those of the usual jumper. The figures of the guide are of 400 evaluations and 150 strengths.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
from jump_onsets import flight_height, jump_study
from scipy.optimize import lsq_linear

import myodyne as my

# Maximal forces (N) of the best jumper of Wong et al. 2016, and the excitations that hold its crouch.
BEST_FORCES = {
    "soleus": 2082.4,
    "gastrocnemius": 8482.4,
    "vasti": 17600.4,
    "rectus_femoris": 150.0,
    "glutei": 1865.5,
    "hamstrings": 5316.0,
}
BEST_REST = {
    "soleus": 0.359106,
    "gastrocnemius": 0.0450563,
    "vasti": 0.0498294,
    "rectus_femoris": 0.263763,
    "glutei": 0.180581,
    "hamstrings": 0.0322324,
}
PUBLISHED, PUBLISHED_BEST = 1.43453, 1.48150  # m
STRONGER = 1.1
# Evaluations for the onsets of each strength that is tried, and for those of the best one. Onsets that suit a stronger
# jumper are sought near those of the usual one: the first population spreads over this part of the range.
INNER, FINAL, NEAR = 60, 400, 0.08


def searched(
    study: my.Study, evaluations: int, start: Mapping[str, float] | None = None, spread: float = 0.25
) -> my.SearchResult:
    """Return the best onsets of a study."""
    method = my.CMA(seed=1, spread=spread)
    return my.search(study, method, maximise="flight_height", evaluations=evaluations, start=start)


def height(study: my.Study, onsets: Mapping[str, float]) -> float:
    """Return the height (m) with some onsets, by error-controlled steps."""
    assert isinstance(study.controls, my.Onsets)
    controls = study.controls.controls(onsets)
    return flight_height(my.simulate(study.model, 0.8, controls=controls, until=study.until))


def other_strengths() -> my.Study:
    """Return the study of the jumper with the best strengths, whose crouch other excitations hold."""
    usual = jump_study()
    changes = {f"{name}.max_force": force for name, force in BEST_FORCES.items()}
    changes |= {f"{name}.default_activation": rest for name, rest in BEST_REST.items()}
    return replace(usual, model=usual.model.with_values(changes), controls=my.Onsets(BEST_REST))


def work(model: my.Model) -> float:
    """Return the sum of maximal force times optimal fibre length (N m)."""
    return sum(muscle.max_force * muscle.optimal_fibre_length for muscle in model.muscles.values())


@cache
def tensions() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return excitations, the share of its maximal force that each muscle pulls with at them in the crouch, and arms.

    Fibres and tendons balance at the same share whatever the maximal force is.
    """
    model = jump_study().model
    equations = my.equations_of(model)
    excitations = np.geomspace(0.005, 1.0, 80)
    states = [equations.state({f"{name}.calcium": value for name in model.muscles}) for value in excitations]
    rates = np.zeros((len(states), len(equations.states)))
    whole = np.hstack([states, rates[:, len(equations.motion) :]])
    outputs = equations.output_values(whole, rates, np.tile(excitations[:, None], len(model.muscles)))
    forces = outputs[:, [equations.outputs.index(f"{name}.force") for name in model.muscles]]
    arms = equations.moment_arms(equations.coordinate_defaults())
    return excitations, forces / strengths_of(model), arms


def strengths_of(model: my.Model) -> np.ndarray:
    """Return the maximal forces (N)."""
    return np.array([muscle.max_force for muscle in model.muscles.values()])


def resting(model: my.Model) -> dict[str, float]:
    """Return the smallest excitations with which a jumper holds the crouch as the usual one does."""
    excitations, shares, arms = tensions()
    usual = jump_study().model
    rest = [
        np.interp(muscle.default_activation, excitations, shares[:, k])
        for k, muscle in enumerate(usual.muscles.values())
    ]
    moments = arms.T @ (strengths_of(usual) * rest)
    moving = np.any(arms != 0.0, axis=0)
    # Balance counts a thousand times more than small excitations.
    pulls = np.vstack([1e3 * (arms * strengths_of(model)[:, None]).T[moving] / 100.0, np.eye(len(rest))])
    wanted = np.concatenate([1e3 * moments[moving] / 100.0, np.zeros(len(rest))])
    found = lsq_linear(pulls, wanted, (shares[0], shares[-1])).x
    values = [float(np.interp(share, shares[:, k], excitations)) for k, share in enumerate(found)]
    return dict(zip(model.muscles, values, strict=True))


def with_strengths(shares: np.ndarray) -> my.Study:
    """Return the study of a jumper whose maximal forces are in some ratio, at the usual sum of force times length."""
    usual = jump_study()
    lengths = np.array([muscle.optimal_fibre_length for muscle in usual.model.muscles.values()])
    forces = shares * work(usual.model) / float(shares @ lengths)
    names = list(usual.model.muscles)
    model = usual.model.with_values({f"{name}.max_force": force for name, force in zip(names, forces, strict=True)})
    rest = resting(model)
    model = model.with_values({f"{name}.default_activation": value for name, value in rest.items()})
    return replace(usual, model=model, controls=my.Onsets(rest))


def sought_strengths(strengths: int, onsets: Mapping[str, float]) -> tuple[my.Model, float]:
    """Return the jumper with the best strengths of so many, and the height (m) that it reaches."""
    usual = jump_study().model

    def with_best_onsets(model: my.Model) -> dict[str, float]:
        """Return the height, and the onsets near those of the usual jumper with which it is greatest."""
        found = searched(with_strengths(strengths_of(model)), INNER, onsets, spread=NEAR)
        return {"height": found.value, **found.best}

    numbers = {f"{name}.max_force": muscle.max_force for name, muscle in usual.muscles.items()}
    study = my.Study(
        usual,
        vary={number: (0.05 * force, 2.5 * force) for number, force in numbers.items()},
        measure=with_best_onsets,
    )
    found = my.search(study, my.CMA(seed=1, spread=0.2), maximise="height", evaluations=strengths, start=numbers)
    row = found.table.isel(row=int(np.nanargmax(found.table["height"].values)))
    final = with_strengths(np.array([found.best[number] for number in numbers]))
    best = {name: float(row[name]) for name in onsets}
    return final.model, height(final, searched(final, FINAL, best, spread=NEAR).best)


def main(evaluations: int = 400, strengths: int = 40) -> None:
    """Print the heights."""
    usual = jump_study()
    found = searched(usual, evaluations)
    onsets = found.best
    base = height(usual, onsets)
    print(f"{'usual':<24}{base:8.4f} m, {work(usual.model):.0f} N m, published {PUBLISHED:.4f} m", flush=True)
    for name in usual.model.muscles:
        number = f"{name}.max_force"
        strong = replace(usual, model=usual.model.with_values({number: STRONGER * usual.model.value(number)}))
        old, new = height(strong, onsets), height(strong, searched(strong, evaluations // 2, onsets, spread=NEAR).best)
        gains = f"{1e3 * (old - base):+8.1f} mm with old, {1e3 * (new - base):+.1f} mm with new onsets"
        print(f"{name + ' + 10 %':<24}{gains}", flush=True)
    best = other_strengths()
    reached = height(best, searched(best, evaluations).best)
    print(f"{'other strengths':<24}{reached:8.4f} m, {work(best.model):.0f} N m, published {PUBLISHED_BEST:.4f} m")
    model, sought = sought_strengths(strengths, onsets)
    print(f"{'sought strengths':<24}{sought:8.4f} m, {work(model):.0f} N m: ", end="")
    print(", ".join(f"{name} {muscle.max_force:.0f} N" for name, muscle in model.muscles.items()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
