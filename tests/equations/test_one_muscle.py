"""A model with a single muscle that lacks a state: no row of the residual may be left over."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


def limb(**options: object) -> my.Model:
    path = my.PointPath(points=(("ground", (0.0, 0.3, 0.0)), ("forearm", (0.02, -0.04, 0.0))))
    biceps = my.Muscle(
        max_force=600.0, optimal_fibre_length=0.12, tendon_slack_length=0.2, damping=0.1, path=path, **options
    )  # type: ignore[arg-type]
    return my.Model(
        name="limb",
        bodies={"forearm": my.Body(mass=1.2, centre_of_mass=(0, -0.15, 0), inertia=0.01)},
        joints={"elbow": my.pin("ground", "forearm", "elbow", default=0.5)},
        muscles={"biceps": biceps},
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"activation": my.NoActivation()}, {"tendon": "rigid"}, {"tendon": "rigid", "activation": my.NoActivation()}],
    ids=str,
)
def test_the_residual_has_a_row_for_each_state(options: dict[str, object]) -> None:
    eq = my.equations_of(limb(**options), compiled=False)
    x, u = eq.state(), np.array([0.3])
    residual = eq.residual(x, eq.derivative(x, u), u)
    assert residual.shape == (len(eq.states),)
    assert residual == pytest.approx(0.0, abs=1e-9)
    assert [matrix.shape[0] for matrix in eq.jacobians(x, eq.derivative(x, u), u)] == [len(eq.states)] * 3


@pytest.mark.parametrize("options", [{"activation": my.NoActivation()}, {"tendon": "rigid"}], ids=str)
def test_bdf_takes_it(options: dict[str, object]) -> None:
    model = limb(**options)
    by_bdf, by_rosenbrock = (
        my.simulate(model, 0.1, controls={"biceps": 0.3}, scheme=scheme).final["elbow"]
        for scheme in (my.BDF(), my.Rosenbrock())
    )
    assert by_bdf == pytest.approx(by_rosenbrock, abs=1e-5)
