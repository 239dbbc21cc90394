"""What a simulation says of muscles that make no sense, or that nothing moves."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.simulate.failures import inactive_undamped_muscles


def limb(**changes: object) -> my.Model:
    """Return a pendulum with one muscle of Thelen, whose path is 0.23 m long where it hangs."""
    fields: dict[str, object] = {
        "max_force": 100.0,
        "optimal_fibre_length": 0.13,
        "tendon_slack_length": 0.1,
        "curves": my.Thelen2003(),
        "path": my.FunctionPath(length=my.Linear(coordinate="angle", slope=-0.02, offset=0.23)),
    }
    muscle = my.Muscle.model_validate(fields | changes)
    return my.load_model("pendulum").with_parts(muscles={"flexor": muscle})


def run(model: my.Model, duration: float = 0.02, **options: object) -> my.Result:
    return my.simulate(equations_of(model, compiled=False), duration, **options)  # type: ignore[arg-type]


def test_fibres_without_length_are_reported() -> None:
    """A tendon that is longer than the path leaves no room for fibres: the curves go on, the note says so."""
    for tendon in ("elastic", "rigid"):
        notes = run(limb(tendon_slack_length=0.5, tendon=tendon, damping=0.01)).report.notes
        assert any("'flexor' have no length left, first at 0 s (path 0.2" in note for note in notes), notes
    nowhere = my.FunctionPath(length=my.Linear(coordinate="angle", slope=-0.02, offset=0.0))
    notes = run(limb(path=nowhere, curves=my.VanDenBogert2011(), damping=0.01)).report.notes
    assert any("the tendon of 'flexor' have no length left" in note for note in notes), notes
    assert run(limb(damping=0.01)).report.notes == ()


def test_activation_beyond_its_range_is_reported() -> None:
    notes = run(limb(damping=0.01), start={"flexor.activation": 1.5}).report.notes
    assert notes == ("'flexor.activation' starts at 1.5, outside its range [0, 1]",)


def test_a_muscle_that_is_inactive_without_damping_moves_with_its_limb() -> None:
    """Nothing tells the rate of its fibres; they stay as they are until something pulls on them."""
    inactive = run(limb(), 0.2, start={"angle": 0.3})
    assert inactive.report.succeeded
    damped = run(limb(damping=1e-4), 0.2, start={"angle": 0.3})
    assert inactive.final["angle"] == pytest.approx(damped.final["angle"], abs=1e-4)


def test_a_muscle_that_is_inactive_without_damping_is_named_where_a_simulation_breaks_off() -> None:
    equations = equations_of(limb(), compiled=False)
    assert "'flexor' is not active and without damping" in inactive_undamped_muscles(
        equations, equations.state(), np.zeros(1)
    )
    assert (
        inactive_undamped_muscles(equations_of(limb(damping=0.01), compiled=False), equations.state(), np.zeros(1))
        == ""
    )


def test_an_activation_with_a_minimum_starts_from_it() -> None:
    model = limb(activation=my.ThelenActivation(minimum=0.03))
    assert model.muscles["flexor"].starting_activation == 0.03
    result = run(model, 0.2, start={"angle": 0.3})
    assert result.report.succeeded
    assert result.values("flexor.activation")[0] == 0.03


def test_the_books_of_a_body_at_rest_balance() -> None:
    """Nothing is exchanged but rounding, which is no error of the motion."""
    model = limb(damping=0.01, default_activation=0.2)
    controls = {"flexor": 0.2}
    rest = my.equilibrium(equations_of(model, compiled=False), controls=controls)
    result = run(model, start=rest, controls=controls)
    assert result.report.energy_error is not None
    assert result.report.energy_error < 1e-6


def test_what_has_no_rates_is_not_linearised() -> None:
    with pytest.raises(my.SolveError, match="'flexor' is not active and without damping"):
        my.linearise(equations_of(limb(curves=my.VanDenBogert2011()), compiled=False))
    assert my.linearise(equations_of(limb(damping=0.01), compiled=False)).A.shape == (4, 4)


@pytest.mark.parametrize("value, extremes", [(-0.5, "-0.5 to 0"), (1.5, "0 to 1.5")])
def test_excitations_beyond_their_range_name_muscle_time_and_remedy(value: float, extremes: str) -> None:
    signal = my.step(at=0.02, after=value)
    run = my.simulate(my.load_model("planar_arm"), 0.05, controls={"elbow_flexor": signal}, every=0.01)
    (note,) = [note for note in run.report.notes if "excitation" in note]
    assert note.startswith(
        f"the excitation of muscle 'elbow_flexor' takes values from {extremes}, beyond its range "
        "[0, 1] first at 0.02 s; it was not clipped: "
    )
    assert note.endswith("keep the signal in the range")
