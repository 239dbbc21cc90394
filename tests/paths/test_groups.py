"""Muscles in groups: their order, where their gradients lie, and sums over groups of every shape."""

from __future__ import annotations

import json

import numpy as np
import pytest

import myodyne as my
from myodyne.native.compiler import find_compiler
from myodyne.paths.groups import Groups, stride_of

KINDS = [1, 0, 0, 1, 0]
CROSSED = [(0,), (1, 2), (0,), (0,), (1, 2)]


def test_kinds_lie_side_by_side_and_groups_within_them() -> None:
    groups = Groups.of(KINDS, CROSSED)
    assert groups.order == (2, 1, 4, 0, 3)
    assert groups.first == (0, 1, 3, 5)
    assert [groups.coordinate[a:b] for a, b in zip(groups.crossing, groups.crossing[1:], strict=False)] == [
        (0,),
        (1, 2),
        (0,),
    ]


def test_entries_are_rows_of_muscles() -> None:
    groups = Groups.of(KINDS, CROSSED)
    assert groups.entries == [(0, 0), (1, 1), (2, 1), (1, 2), (2, 2), (3, 0), (4, 0)]
    assert groups.first_entry == [0, 1, 5, 7]


def test_groups_are_kept_as_words() -> None:
    groups = Groups.of(KINDS, CROSSED)
    assert Groups.noted(json.loads(json.dumps(groups.notes()))) == groups


@pytest.mark.parametrize("muscles", range(1, 20))
def test_four_muscles_fit_behind_the_last(muscles: int) -> None:
    assert muscles + 3 <= stride_of(muscles) < muscles + 7


def many_shapes() -> my.Model:
    """Return a chain of seven joints; groups of one to five muscles cross one to seven of them, in two kinds."""
    rod = my.Body(mass=1.0, centre_of_mass=(0, -0.1, 0), inertia=my.Inertia(xx=0.01, yy=0.01, zz=0.01))
    joints, parent = {}, "ground"
    for number in range(7):
        joints[f"j{number}"] = my.pin(
            {"body": parent, "at": (0, -0.2 if number else 0.0, 0)}, f"b{number}", f"q{number}", "xyz"[number % 3]
        )
        parent = f"b{number}"
    draw = np.random.default_rng(7)
    muscles = {}
    for rows in range(1, 8):
        for number in range(1 + rows % 5):
            of = tuple(f"q{7 - rows + k}" for k in range(rows))
            terms = [my.Term(coefficient=0.3, powers=(0,) * rows)]
            for k in range(rows):
                powers = np.eye(rows, dtype=int)
                terms.append(my.Term(coefficient=float(draw.uniform(-0.03, 0.03)), powers=tuple(map(int, powers[k]))))
                terms.append(my.Term(coefficient=0.01, powers=tuple(map(int, powers[k] + powers[0]))))
            muscles[f"m{rows}_{number}"] = my.Muscle(
                max_force=300.0,
                optimal_fibre_length=0.12,
                tendon_slack_length=0.18,
                damping=0.01,
                pennation=0.2 * (number % 2),
                path=my.FunctionPath(length=my.Polynomial(of=of, terms=tuple(terms))),
            )
    return my.Model(
        name="many shapes", bodies={f"b{number}": rod for number in range(7)}, joints=joints, muscles=muscles
    )


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
@pytest.mark.long
def test_steps_of_groups_of_all_shapes_agree_with_the_interpreter() -> None:
    model = many_shapes()
    runs = []
    for compiled in (True, False):
        eq = my.equations_of(model, compiled=compiled)
        controls = {name: 0.1 + 0.02 * number for number, name in enumerate(eq.controls)}
        run = my.simulate(
            eq, 0.02, start={"q1": 0.3, "q4": -0.2}, controls=controls, scheme=my.Rosenbrock(step=0.002), every=0.002
        )
        runs.append(np.array([run[name].values for name in eq.motion]))
    assert np.abs(runs[0] - runs[1]).max() < 1e-9 * np.abs(runs[1]).max()
    assert np.ptp(runs[1], axis=1).max() > 0.1, "nothing moved"
    arms = [my.equations_of(model, compiled=compiled).moment_arms(np.full(7, 0.2)) for compiled in (True, False)]
    assert np.abs(arms[0] - arms[1]).max() < 1e-15
