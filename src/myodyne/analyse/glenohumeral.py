"""The force in the glenohumeral joint of the Dynamic Arm Simulator, and whether the glenoid holds it."""

from __future__ import annotations

import os

import numpy as np

from myodyne.analyse.joint_reactions import joint_reactions
from myodyne.data import DataError, Trajectory
from myodyne.errors import ModelError
from myodyne.files.models.das3_lines import Line, glenohumeral_lines
from myodyne.model import Model, Polynomial
from myodyne.types import Floats

_JOINT = "gh"
# Landmarks of the cadaver behind the Delft Shoulder and Elbow Model (cm): centre of the humeral head, middle of the
# glenoid, acromial angle, trigonum spinae, inferior angle.
_HEAD, _GLENOID = np.array([17.08, -1.92, 6.55]), np.array([15.14, -1.98, 7.81])
_ACROMION, _TRIGONUM, _ANGLE = (
    np.array([18.26, 0.75, 10.56]),
    np.array([7.50, -1.17, 15.60]),
    np.array([10.16, -12.62, 15.67]),
)
# Half axes of the ellipse in which the force must point, up and down, forwards and backwards.
_UPWARDS, _FORWARDS = np.tan(np.radians(44.37)), np.tan(np.radians(38.55))


def glenohumeral_force(
    model: Model, motion: Trajectory, file: str | os.PathLike[str], *, as_published: bool = False
) -> Trajectory:
    """Return the force of the humerus on the glenoid (N), in the axes of the scapula, and its stability.

    Muscles that cross the joint press the humerus onto the scapula; the arm's weight and inertia do the rest. The
    stability, as the release defines it, is negative where the force points into the ellipse of the
    glenoid: ``(θ/tan 44.37°)² + (φ/tan 38.55°)² - 1`` with the polar angles of the force in the axes of the glenoid.

    Parameters
    ----------
    model, motion
        The arm that `load_model` reads from ``file``, and a run of it, with the columns ``<muscle>.force``.
    file
        The export of the Dynamic Arm Simulator, which has the lines of action.
    as_published
        Turn the glenoid as the release does, by an angle of which the sine is a length in centimetres; see the guide.

    Returns
    -------
    ``glenohumeral.force_x``, ``_y``, ``_z`` and ``glenohumeral.stability``.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum")
    >>> my.glenohumeral_force(rod, my.simulate(rod, 0.1), "das3.json")
    Traceback (most recent call last):
    myodyne.errors.ModelError: 'pendulum' has no joint 'gh': glenohumeral_force takes the Dynamic Arm Simulator
    """
    if _JOINT not in model.joints:
        raise ModelError(f"'{model.name}' has no joint 'gh': glenohumeral_force takes the Dynamic Arm Simulator")
    lines = glenohumeral_lines(file)
    missing = [name for name in lines if f"{name}.force" not in motion]
    if missing or not lines:
        what = f"the motion lacks '{missing[0]}.force'" if missing else f"{file} has no lines of action"
        raise DataError(f"glenohumeral_force: {what}; simulate the model of that file")
    held = joint_reactions(model, motion, passive=False, axes="parent")
    # What the scapula does to the arm without muscles is what the arm does to the scapula, reversed.
    force = -np.column_stack([held.values(f"{_JOINT}.reaction_force_{axis}") for axis in "xyz"])
    for name, line in lines.items():
        force += motion.values(f"{name}.force")[:, None] * _direction(line, motion)
    columns = {f"glenohumeral.force_{axis}": force[:, k] for k, axis in enumerate("xyz")}
    units = dict.fromkeys(columns, "N")
    columns["glenohumeral.stability"] = stability(force, as_published=as_published)
    return Trajectory(motion.time, columns, units)


def _direction(line: Line, motion: Trajectory) -> Floats:
    parts = np.column_stack([_value(part, motion) for part in line])
    found: Floats = parts / np.linalg.norm(parts, axis=1, keepdims=True)
    return found


def _value(function: Polynomial, motion: Trajectory) -> Floats:
    angles = [motion.values(name) for name in function.of]
    found = np.zeros(len(motion))
    for term in function.terms:
        found += term.coefficient * np.prod([q**power for q, power in zip(angles, term.powers, strict=True)], axis=0)
    return found


def stability(force: Floats, *, as_published: bool = False) -> Floats:
    """Return the stability of forces (..., 3) in the axes of the scapula: negative inside the ellipse."""
    # A force has no direction where it is zero.
    length = np.linalg.norm(force, axis=-1, keepdims=True)
    unit = np.divide(force, length, where=length > 0, out=np.zeros_like(force))
    x, y, z = np.moveaxis(unit @ _turn(as_published), -1, 0)
    theta, phi = np.arcsin(-y), _backwards(x, z)
    found: Floats = (theta / _UPWARDS) ** 2 + (phi / _FORWARDS) ** 2 - 1.0
    return found


def _turn(as_published: bool) -> Floats:
    """Return the axes of the glenoid, as columns, in those of the scapula."""
    x = (_ACROMION - _TRIGONUM) / np.linalg.norm(_ACROMION - _TRIGONUM)
    z = np.cross(x, _ACROMION - _ANGLE)
    z /= np.linalg.norm(z)
    inwards = np.array([x, np.cross(z, x), z]) @ (_GLENOID - _HEAD)
    up = inwards[1] if as_published else inwards[1] / np.linalg.norm(inwards)
    theta, phi = np.arcsin(-up), _backwards(inwards[0], inwards[2])
    about_y = np.array([[np.cos(phi), 0, np.sin(phi)], [0, 1, 0], [-np.sin(phi), 0, np.cos(phi)]])
    about_z = np.array([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])
    return np.asarray(about_y @ about_z)


def _backwards(x: Floats, z: Floats) -> Floats:
    across = np.hypot(x, z)
    found: Floats = np.arcsin(np.divide(z, across, where=across > 0, out=np.zeros_like(across)))
    return found
