"""How high does a jumper fly whose muscles are stronger, or share their strength differently? Run it with

    python examples/jump_strengths.py [evaluations]

First each muscle becomes 10 % stronger: with the onsets that suit the usual jumper, and with those that suit the
stronger one. Its excitation at rest stays as it was, so that the crouch is not quite in balance. Then the strengths are
those that Wong et al. (2016) found best at a constant sum of maximal force times fibre length, 3156 N m: they fly
1.4815 m high with their best onsets, the usual jumper 1.4345 m. The start is the same crouch, held by other
excitations. All onsets are sought anew by CMA-ES (``jump_onsets.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

from jump_onsets import flight_height, jump_study

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


def searched(study: my.Study, evaluations: int, start: Mapping[str, float] | None = None) -> my.SearchResult:
    """Return the best onsets of a study."""
    return my.search(study, my.CMA(seed=1), maximise="flight_height", evaluations=evaluations, start=start)


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


def main(evaluations: int = 400) -> None:
    """Print the heights."""
    usual = jump_study()
    found = searched(usual, evaluations)
    onsets = found.best
    base = height(usual, onsets)
    print(f"{'usual':<24}{base:8.4f} m, {work(usual.model):.0f} N m, published {PUBLISHED:.4f} m", flush=True)
    for name in usual.model.muscles:
        number = f"{name}.max_force"
        strong = replace(usual, model=usual.model.with_values({number: STRONGER * usual.model.value(number)}))
        old, new = height(strong, onsets), height(strong, searched(strong, evaluations // 2, onsets).best)
        gains = f"{1e3 * (old - base):+8.1f} mm with old, {1e3 * (new - base):+.1f} mm with new onsets"
        print(f"{name + ' + 10 %':<24}{gains}", flush=True)
    best = other_strengths()
    reached = height(best, searched(best, evaluations).best)
    print(f"{'other strengths':<24}{reached:8.4f} m, {work(best.model):.0f} N m, published {PUBLISHED_BEST:.4f} m")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
