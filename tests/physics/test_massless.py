"""Coordinates that move nothing have no acceleration; they are refused by name, not given one silently."""

from __future__ import annotations

from typing import Any

import pytest

import myodyne as my

ROD = my.Body(mass=1.0, centre_of_mass=(0, -0.5, 0), inertia=0.1)
TIP = {"body": "rod", "at": (0, -1, 0)}


def massless_tip() -> my.Model:
    return my.Model(
        name="tip",
        bodies={"rod": ROD, "tip": my.Body(mass=0.0)},
        joints={"top": my.pin("ground", "rod", "angle"), "end": my.pin(TIP, "tip", "idle")},
    )


def turning_point() -> my.Model:
    """A point mass that turns about itself."""
    return my.Model(
        name="point", bodies={"point": my.Body(mass=1.0)}, joints={"top": my.pin("ground", "point", "idle")}
    )


def massless_in_a_loop() -> my.Model:
    held = my.DistanceConstraint(
        first=my.Marker(body="ground", at=(1, 0, 0)), second=my.Marker(body="rod", at=(0, -1, 0)), distance=2**0.5
    )
    return massless_tip().with_parts(constraints={"held": held})


def massless_on_functions() -> my.Model:
    """Two axes of one coordinate: not a simple tree."""
    axes = [{"motion": motion, "direction": "z", "function": "idle"} for motion in ("rotation", "translation")]
    end = my.Joint(parent=TIP, child={"body": "tip"}, coordinates={"idle": {}}, axes=axes)
    return massless_tip().with_parts(joints={"end": end})


@pytest.mark.parametrize(
    "model", [massless_tip(), turning_point(), massless_in_a_loop(), massless_on_functions()], ids=lambda m: m.name
)
@pytest.mark.parametrize(
    "scheme", [my.DOP853(), my.Euler(step=0.01), my.Midpoint(step=0.01), my.TRBDF2(), my.BDF(), my.Adams()], ids=repr
)
def test_a_coordinate_that_moves_nothing_is_refused_by_name(model: my.Model, scheme: Any) -> None:
    with pytest.raises(my.ModelError, match="coordinate 'idle' moves neither mass nor inertia"):
        my.simulate(my.equations_of(model, compiled=False), 0.1, start={"idle": 0.3}, scheme=scheme)


def test_what_needs_no_acceleration_is_still_there() -> None:
    eq = my.equations_of(massless_tip(), compiled=False)
    assert eq.mass_matrix([0.1, 0.2])[1].tolist() == [0.0, 0.0]
    assert eq.inverse_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 1.0])[1] == 0.0
    with pytest.raises(my.ModelError, match="'idle' moves neither"):
        eq.forward_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 1.0])
    with pytest.raises(my.ModelError, match="'idle' moves neither"):
        my.linearise(massless_tip())
