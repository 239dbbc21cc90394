"""Computed torque control: motors that give what a desired motion needs, and pull errors back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import CoordinateActuator, Model
from myodyne.simulate.control.feedback import Feedback

if TYPE_CHECKING:
    from casadi import SX

    from myodyne.simulate.control.feedback import At

# A number that is held, or a function of time written with functions of casadi.
Course: TypeAlias = "float | Callable[[Any], Any]"


def computed_torque(
    model: Model, desired: Mapping[str, Course], gains: Mapping[str, float] | float = 100.0
) -> Feedback:
    """Return feedback that makes every coordinate follow its course, errors decaying critically damped.

    The motors give the inverse dynamics (inertia, velocity terms and gravity) of the accelerations
    ``a = a_d - 2 k (v - v_d) - k² (q - q_d)`` (Ehsani, equations 200 and 201). Other forces of the model are
    disturbances to it.

    Parameters
    ----------
    model : Model
        With a `CoordinateActuator` on every coordinate.
    desired : mapping of str to float or function
        For every coordinate a number (rad or m), or a function of time (s) written with casadi's functions.
    gains : float or mapping of str to float
        k (1/s), for all coordinates or for each.

    Examples
    --------
    An arm is raised forwards to 90 degrees in a second:

    >>> import casadi, numpy as np, myodyne as my
    >>> arm = my.shoulder(muscles=False)
    >>> course = {"plane": np.pi / 2, "axial_rotation": -0.5, "elevation": lambda t: 0.8 - 0.7 * casadi.cos(np.pi * t)}
    >>> law = my.computed_torque(arm, course, gains={"plane": 100.0, "elevation": 100.0, "axial_rotation": 1000.0})
    >>> law.controls
    ('plane_motor', 'elevation_motor', 'axial_rotation_motor')
    """
    names = model.moving
    motors = _motors(model)
    _check(names, desired, gains)

    def law(at: At) -> dict[str, SX]:
        import casadi as ca

        from myodyne.physics.loops import closed_tree
        from myodyne.physics.recursive import inverse_dynamics

        q = ca.vertcat(*(at[name] for name in names))
        v = ca.vertcat(*(at[f"{name}.speed"] for name in names))
        wanted = [_wanted(desired[name], at.time, q[i], v[i], _gain(gains, name)) for i, name in enumerate(names)]
        tree = closed_tree(model, q, v)
        torque = inverse_dynamics(tree, ca.vertcat(*wanted), None, ca.SX(ca.DM(model.gravity)))
        return {motor: torque[i] / gain for i, (motor, gain) in enumerate(motors.values())}

    return Feedback(law)


def _wanted(course: Course, time: SX, q: SX, v: SX, gain: float) -> SX:
    import casadi as ca

    t = ca.SX.sym("t")
    value = ca.SX(course(t)) if callable(course) else ca.SX(float(course))
    speed = ca.jacobian(value, t)
    value, speed, acceleration = (ca.substitute(part, t, time) for part in (value, speed, ca.jacobian(speed, t)))
    return acceleration - 2 * gain * (v - speed) - gain**2 * (q - value)


def _gain(gains: Mapping[str, float] | float, name: str) -> float:
    return float(gains[name] if isinstance(gains, Mapping) else gains)


def _motors(model: Model) -> dict[str, tuple[str, float]]:
    """Return name and gain of the motor on each coordinate."""
    found = {
        force.coordinate: (name, force.gain)
        for name, force in model.forces.items()
        if isinstance(force, CoordinateActuator) and force.gain
    }
    missing = [name for name in model.moving if name not in found]
    if missing:
        raise ModelError(
            f"'{model.name}' has no motor on {listed(missing)}; add my.CoordinateActuator(coordinate=...) to its forces"
        )
    return {name: found[name] for name in model.moving}


def _check(names: tuple[str, ...], desired: Mapping[str, Course], gains: Mapping[str, float] | float) -> None:
    tables = {"course": desired, "gain": gains if isinstance(gains, Mapping) else dict.fromkeys(names, gains)}
    for what, table in tables.items():
        for name in table:
            if name not in names:
                raise ModelError(unknown_name("coordinate", name, names))
        missing = [name for name in names if name not in table]
        if missing:
            raise ModelError(f"no {what} is given for {listed(missing)}")
