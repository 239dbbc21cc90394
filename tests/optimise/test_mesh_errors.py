"""Mesh errors fall as the order of a scheme says, and a replay strays from a movement as far as they let it."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.numerics.collocation import Transcription
from support.replays import straying

# These models are so small that compiling would take most of the time.
pytestmark = pytest.mark.usefixtures("interpreted")

TIGHT = my.Settings(tolerance=1e-9)


def swing_up() -> my.Problem:
    """Return the problem of turning a rod upwards, by a motor that could hold it anywhere."""
    motor = my.CoordinateActuator(coordinate="angle", gain=20.0, control_range=(-5.0, 5.0))
    model = my.load_model("pendulum").with_parts(forces={"motor": motor})
    return my.Problem(
        model,
        name="strong_swing_up",
        duration=1.5,
        goals=[my.Effort(of="torques")],
        conditions=[my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": np.pi, "angle.speed": 0.0})],
    )


def bending() -> my.Problem:
    """Return the problem of bending an elbow by two muscles, from rest; a damped joint forgets what disturbs it."""

    def muscle(arm: float) -> my.Muscle:
        length = my.Linear(coordinate="elbow", slope=-arm, offset=0.22 + 0.8 * arm)
        return my.Muscle(
            max_force=600.0,
            optimal_fibre_length=0.12,
            tendon_slack_length=0.1,
            damping=0.1,
            path=my.FunctionPath(length=length),
        )

    model = my.Model(
        name="elbow",
        bodies={"forearm": my.Body(mass=1.5, centre_of_mass=(0, -0.15, 0), inertia=0.015)},
        joints={"elbow": my.pin("ground", "forearm", "elbow")},
        muscles={"flexor": muscle(0.04), "extensor": muscle(-0.04)},
        forces={"give": my.TorsionSpring(coordinate="elbow", damping=0.5, stiffness=2.0)},
    )
    equations = my.equations_of(model, compiled=False)
    rest = equations.state({"elbow": 0.3, "flexor.activation": 0.1, "extensor.activation": 0.1})
    start = dict(zip(equations.motion, rest.tolist(), strict=True))
    return my.Problem(
        model,
        name="bending",
        duration=0.6,
        goals=[my.Effort(exponent=2)],
        conditions=[my.Start(start), my.End({"elbow": 1.4, "elbow.speed": 0.0})],
    )


def audit(problem: my.Problem, scheme: Transcription, nodes: int) -> tuple[float, float]:
    """Return the mesh error of an optimum, and how far its replay strays (rad)."""
    optimum = my.solve(problem, scheme, nodes=[nodes], settings=TIGHT).report.optimum
    assert optimum is not None
    assert optimum.mesh_error is not None
    assert optimum.replay is not None
    return optimum.mesh_error, optimum.replay


@pytest.mark.parametrize(
    ("scheme", "nodes"),
    [
        (my.Midpoint(), 41),
        (my.HermiteSimpson(), 21),
        (my.Radau(degree=2), 41),
        (my.Radau(degree=3), 11),
    ],
)
def test_errors_fall_with_the_order_of_the_scheme(scheme: Transcription, nodes: int) -> None:
    """With intervals half as long a single one errs less by the power of the order and one, the path by the order."""
    order = my.Midpoint().order if isinstance(scheme, my.Midpoint) else scheme.order
    coarse, fine = (audit(swing_up(), scheme, count) for count in (nodes, 2 * nodes - 1))
    assert np.log2(coarse[0] / fine[0]) == pytest.approx(order + 1, abs=0.15)
    assert np.log2(coarse[1] / fine[1]) == pytest.approx(order, abs=0.1)


def test_a_replay_strays_as_mesh_errors_grow_on_their_way() -> None:
    """Each interval adds its error, and hands on what came before as its own linear motion does."""
    solution = my.solve(swing_up(), my.HermiteSimpson(), nodes=[21], settings=TIGHT)
    strayed, predicted = straying(solution)
    np.testing.assert_allclose(strayed, predicted, rtol=0.01)
    optimum = solution.report.optimum
    assert optimum is not None
    assert optimum.mesh_error is not None
    # Upright the rod falls: in all, errors have grown tenfold and more.
    assert abs(predicted[0]) > 10 * optimum.mesh_error
    assert optimum.replay == pytest.approx(abs(strayed[0]), rel=1e-3)
    assert my.replay(solution).final["angle"] == pytest.approx(np.pi + strayed[0], abs=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("scheme", [my.Midpoint(), my.HermiteSimpson(), my.Radau(degree=2)])
def test_a_movement_that_forgets_is_replayed_to_the_mesh_error(scheme: Transcription) -> None:
    """Muscles and a damped joint take errors back: the whole path agrees better than the worst interval."""
    (coarse, far), (fine, near) = (audit(bending(), scheme, count) for count in (11, 41))
    assert fine < coarse / 4
    assert near < far / 4
    for error, strayed in ((coarse, far), (fine, near)):
        assert strayed < error * 1.1  # of a range of 1.1 rad


def test_the_report_shows_where_the_mesh_is_coarse_and_refine_mends_it() -> None:
    """A rod bumps into a stiff stop: there the mesh errs, there it is refined, and then the replay holds to the end."""
    stop = my.JointLimit(coordinate="angle", lower=-2.0, upper=1.0, stiffness=2000.0, damping=10.0, transition=0.02)
    model = my.load_model("pendulum").with_parts(forces={"stop": stop})
    start = {"angle": 0.0, "angle.speed": 5.0}
    problem = my.Problem(model, name="bump", duration=0.6, conditions=[my.Start(start)])
    guess = my.simulate(model, 0.6, start=start)
    touching = guess.time[guess.values("angle") > 0.98]
    coarse = my.solve(problem, my.Midpoint(), nodes=[31], guess=guess)
    before, step = coarse.report.optimum, 0.02
    assert before is not None
    assert before.mesh_error == before.mesh_worst[0].size > 0.05
    assert before.mesh_worst[0].name == "angle.speed"
    assert touching[0] <= before.mesh_worst[0].time <= touching[-1] + step
    assert before.replay_until is not None
    assert before.replay_until < touching[-1]
    left, believed = coarse.report.notes
    assert left.endswith("s, angle first")
    assert f"in angle.speed at {before.mesh_worst[0].time:.3g} s, half of them by less than" in believed
    assert believed.endswith("my.refine divides those intervals")

    fine = my.refine(coarse, 0.001)
    after = fine.report.optimum
    assert after is not None
    assert after.mesh_error is not None
    assert after.mesh_error <= 0.001
    assert after.replay_until == 0.6
    assert after.iterations > 0
    lengths = np.diff(fine.time)
    shortest = fine.time[:-1][lengths < 0.3 * step]
    assert touching[0] - 2 * step < shortest[0] < shortest[-1] < touching[-1] + 2 * step
    assert len(fine.time) < 100
    # What is fine already stays as it is.
    assert my.refine(fine, 0.001) is fine


def test_errors_are_listed_by_interval_and_state() -> None:
    found = my.solve(swing_up(), my.Midpoint(), nodes=[16])
    errors = my.mesh_errors(found)
    assert errors.names == ("angle", "angle.speed")
    assert errors.time == pytest.approx(found.time[1:])
    worst = found.report.optimum.mesh_worst[0]
    assert errors.values(worst.name).max() == worst.size == found.report.optimum.mesh_error
    assert errors.time[errors.values(worst.name).argmax()] == pytest.approx(worst.time)
    with pytest.raises(my.ModelError, match="takes a solution"):
        my.mesh_errors(found.trajectory)
