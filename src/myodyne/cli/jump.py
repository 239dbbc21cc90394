"""The jump of ``myodyne demo``: the library's best jump by six muscles, on to the top of its flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from myodyne.data import Result
    from myodyne.model import Model
    from myodyne.simulate import Movement, Signal

# What gives way at take-off: the constraint that keeps the toes on the ground, and the stop under the heel.
CONTACT = "stance"
_ON_GROUND = (CONTACT, "heel_stop")
# After take-off muscles relax to this excitation within this time (s).
_RELAXED, _RELAXING = 0.02, 0.03
_STEP = 0.001


def jumper() -> tuple[Movement, Model]:
    """Return the movement on the ground, and the model that flies."""
    from myodyne.simulate import load_movement

    movement = load_movement("jump")
    return movement, movement.model.without(*_ON_GROUND)


def excitations(movement: Movement) -> Mapping[str, Signal]:
    """Return the excitations of the jump, which end with the flight."""
    import numpy as np

    from myodyne.simulate import piecewise_linear

    times = np.arange(0.0, movement.duration, _STEP)
    ends = [movement.duration + _RELAXING, movement.duration + 10.0]
    return {
        name: piecewise_linear([*times, *ends], [*(float(signal(time)) for time in times), _RELAXED, _RELAXED])
        for name, signal in movement.controls.items()
    }


def jump() -> Result:
    """Simulate the jump from the crouch to the apex."""
    from myodyne.simulate import Switch, falls_through_zero, simulate

    movement, flight = jumper()
    take_off = Switch(falls_through_zero(f"{CONTACT}.force_y"), to=flight)
    return simulate(
        movement.model,
        2.0,
        start=movement.start,
        controls=excitations(movement),
        until=[take_off, falls_through_zero("com.velocity_y")],
        every=0.005,
    )
