"""The structure of muscle-driven gait equations, and figures of van den Bogert et al. (2011): acceptance 002-2 to 002-4,
002-10."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my

LEG = ("hip", "knee", "ankle")
# Which joints each of the eight muscles of a leg crosses.
CROSSED = {
    "iliopsoas": ("hip",),
    "glutei": ("hip",),
    "hamstrings": ("hip", "knee"),
    "rectus": ("hip", "knee"),
    "vasti": ("knee",),
    "gastrocnemius": ("knee", "ankle"),
    "soleus": ("ankle",),
    "tibialis": ("ankle",),
}


def crossing(side: str, joints: tuple[str, ...]) -> my.Muscle:
    terms = [my.Term(coefficient=0.4, powers=(0,) * len(joints))]
    for number in range(len(joints)):
        powers = tuple(int(place == number) for place in range(len(joints)))
        terms.append(my.Term(coefficient=-0.04, powers=powers))
    length = my.Polynomial(of=tuple(f"{joint}_{side}" for joint in joints), terms=tuple(terms))
    return my.Muscle(
        max_force=1000.0,
        optimal_fibre_length=0.1,
        tendon_slack_length=0.3,
        damping=0.01,
        path=my.FunctionPath(length=length),
    )


@pytest.fixture(scope="module")
def gait() -> my.Equations:
    """Trunk, two legs of three segments, eight muscles each: 9 degrees of freedom, 16 muscles."""
    bodies = {"trunk": my.Body(mass=50.0, centre_of_mass=(0, 0.3, 0), inertia=3.0)}
    joints = {"root": my.planar("ground", "trunk", ("x", "y", "tilt"))}
    muscles = {}
    for side in "rl":
        parent = {"body": "trunk"}
        for joint, segment, length, mass in zip(
            LEG, ("thigh", "shank", "foot"), (0.45, 0.43, 0.15), (7.5, 3.5, 1.0), strict=True
        ):
            bodies[f"{segment}_{side}"] = my.Body(
                mass=mass, centre_of_mass=(0, -length / 2, 0), inertia=mass * length**2 / 12
            )
            joints[f"{joint}_{side}"] = my.pin(parent, f"{segment}_{side}", f"{joint}_{side}")
            parent = {"body": f"{segment}_{side}", "at": (0, -length, 0)}
        muscles |= {f"{name}_{side}": crossing(side, crossed) for name, crossed in CROSSED.items()}
    return my.equations_of(my.Model(name="gait", bodies=bodies, joints=joints, muscles=muscles), compiled=False)


def test_002_4_gait_has_fifty_states_and_sixteen_controls(gait: my.Equations, printed: Any) -> None:
    bogert = printed("van den Bogert et al. 2011")
    for name, said in {"coordinates": 9, "muscles": 16, "states": 50, "controls": 16}.items():
        bogert(f"2.5, {name} of the planar gait model", said, len(getattr(gait, name)), within=0)


def test_002_4_limbs_are_decoupled(gait: my.Equations) -> None:
    """The blocks of rows 10 to 18 are dense but for 3 × 3 holes: one leg does not feel the other."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=18), rng.uniform(0.7, 1.2, 16), rng.uniform(0.1, 0.9, 16)])
    by_x, by_xdot, by_u = gait.jacobians(x, rng.normal(size=50), rng.uniform(size=16))
    right = [gait.coordinates.index(f"{joint}_r") for joint in LEG]
    left = [gait.coordinates.index(f"{joint}_l") for joint in LEG]
    rows = slice(9, 18)
    for matrix, first in ((by_x, 0), (by_x, 9), (by_xdot, 9)):
        block = matrix.toarray()[rows, first : first + 9]
        pattern = np.zeros((50, 50), dtype=bool)
        pattern[matrix.nonzero()] = True
        stored = pattern[rows, first : first + 9]
        assert not stored[np.ix_(right, left)].any()
        assert not stored[np.ix_(left, right)].any()
        for leg in (right, left):
            assert np.all(np.abs(block[np.ix_(leg, leg)]) > 0)
    assert by_u.nnz == 16
    # Muscles couple to the joints they cross and to nothing else: the stairs of figure 3.
    crossed = sum(len(joints) for joints in CROSSED.values())
    assert np.count_nonzero(by_x.toarray()[rows, 18:34]) == 2 * crossed
    assert np.count_nonzero(by_x.toarray()[18:34, :9]) == 2 * crossed
    assert np.count_nonzero(by_x.toarray()[18:34, 18:]) == 32
    assert np.count_nonzero(by_x.toarray()[34:, 34:]) == 16


def test_002_2_fibres_shorten_by_ten_lengths_a_second_and_resist_half_again_as_much(printed: Any) -> None:
    curve = my.muscle_curves(my.VanDenBogert2011())["force_velocity"]
    fastest = my.Muscle.model_fields["max_velocity"].default
    printed("van den Bogert et al. 2011")(
        "2.2, largest speed of shortening", 10, fastest, within=0, unit="optimal lengths/s"
    )
    assert np.all(np.diff(curve.value) > 0)
    assert np.interp(-10.0, curve.at, curve.value) == pytest.approx(0.0, abs=1e-3)
    assert np.interp(0.0, curve.at, curve.value) == pytest.approx(1.0, abs=1e-3)
    assert curve.value.max() < 1.5


def test_002_3_rates_of_activation_lie_where_the_paper_puts_them() -> None:
    he = my.HeActivation()
    assert 20 <= 1 / he.deactivation_time <= 50
    assert 20 <= 1 / he.activation_time <= 50


def test_002_10_a_step_of_3_ms_is_1500_times_2_microseconds(printed: Any) -> None:
    ratio = my.Rosenbrock(step=0.003).step / 2e-6
    printed("van den Bogert et al. 2011")("3.2, 3 ms over steps of 2 µs", 1500, ratio, within=1e-9)
