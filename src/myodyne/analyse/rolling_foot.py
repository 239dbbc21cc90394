"""The arc on which a foot rolls, from the path of its ankle in stance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError
from myodyne.model import RollingConstraint
from myodyne.types import Floats

_LEAST_SAMPLES = 5
# Beyond this ratio of singular values (of columns of equal size) nothing is determined by numbers of sixteen digits.
_RANK = 1e-10


@dataclass(frozen=True)
class RollingFoot:
    """An arc fitted to the path of an ankle, in the foot's axes with the ankle as origin.

    ``radius``, ``centre`` (x, y) and ``anchor`` as in `RollingConstraint` (m), each with its standard error.
    ``rms`` (m) is the root mean square of what the arc leaves of the ankle's path. The standard errors hold for
    errors of x and y that are independent from sample to sample; those of filtered data are larger, and how well an arc
    fits a foot at all is ``rms``.

    Examples
    --------
    >>> RollingFoot(0.3, (0.02, 0.22), 0.1, 0.004, (0.001, 0.004), 0.001, 0.002, 40).constraint("foot_r").radius
    0.3
    """

    radius: float
    centre: tuple[float, float]
    anchor: float
    radius_error: float
    centre_error: tuple[float, float]
    anchor_error: float
    rms: float
    samples: int
    level: float = 0.0

    def constraint(self, body: str) -> RollingConstraint:
        """Return the constraint that lets a body roll on this arc; the body's origin is its ankle."""
        x, y = self.centre
        return RollingConstraint(body=body, at=(x, y, 0.0), radius=self.radius, anchor=self.anchor, level=self.level)

    def ankle(self, angle: ArrayLike) -> Floats:
        """Return where the ankle is (rows of x and y, m) at angles of the foot (rad)."""
        angles = np.asarray(angle, dtype=float)
        x, y = self.centre
        return np.stack(
            [
                self.anchor - self.radius * angles - x * np.cos(angles) + y * np.sin(angles),
                self.level + self.radius - x * np.sin(angles) - y * np.cos(angles),
            ],
            axis=-1,
        )


def fit_rolling_foot(x: ArrayLike, y: ArrayLike, angle: ArrayLike, *, level: float = 0.0) -> RollingFoot:
    """Return the arc that, rolling on the floor, carries the ankle most nearly along a recorded path.

    With the ankle at (x, y), the foot turned by θ and the arc's centre at (a, b) in the foot's axes, rolling says

        x + a cos θ - b sin θ + R θ = anchor        y + a sin θ + b cos θ - R = level

    for every sample: linear in a, b, R and the anchor, so that least squares have one solution (Selbie 1989, §3.5.1,
    chose them by eye). Radius and height of the centre differ in θ² only: over a small range of angles their
    difference is well determined, each of them badly, and ``radius_error`` is large.

    Parameters
    ----------
    x, y
        Place of the ankle in stance (m), forwards and up.
    angle
        Angle of the foot in the ground (rad), counter-clockwise, in which the axes of the foot are those of the ground
        where it is zero.
    level
        Height of the floor (m).

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> angle = np.linspace(0.2, -0.9, 40)
    >>> true = my.RollingFoot(0.3, (0.02, 0.22), 0.1, 0.0, (0.0, 0.0), 0.0, 0.0, 0)
    >>> x, y = true.ankle(angle).T
    >>> round(my.fit_rolling_foot(x, y, angle).radius, 6)
    0.3
    """
    across, up, turn = _columns(x, y, angle)
    one, none = np.ones_like(turn), np.zeros_like(turn)
    rows = np.vstack(
        [
            np.stack([np.cos(turn), -np.sin(turn), turn, -one], axis=1),
            np.stack([np.sin(turn), np.cos(turn), -one, none], axis=1),
        ]
    )
    wanted = np.concatenate([-across, level - up])
    sizes = np.linalg.norm(rows, axis=0)
    left, values, right = np.linalg.svd(rows / sizes, full_matrices=False)
    if values[-1] < _RANK * values[0]:
        raise ModelError("the foot does not rotate, so radius and centre of its arc cannot be determined")
    inverse = right.T / values
    found = inverse @ (left.T @ wanted) / sizes
    rest = wanted - rows @ found
    variance = float(rest @ rest) / (len(wanted) - 4)
    errors = np.sqrt(variance * np.sum(inverse**2, axis=1)) / sizes
    if found[2] <= 0:
        raise ModelError(
            f"the best arc has a radius of {found[2]:.3g} m: this ankle does not roll. Is the angle counter-clockwise "
            "(rad), and are the samples those of stance?"
        )
    a, b, radius, anchor = map(float, found)
    return RollingFoot(
        radius=radius,
        centre=(a, b),
        anchor=anchor,
        radius_error=float(errors[2]),
        centre_error=(float(errors[0]), float(errors[1])),
        anchor_error=float(errors[3]),
        # Of the distance, as markers are judged: x and y of a sample together.
        rms=float(np.sqrt(rest @ rest / len(turn))),
        samples=len(turn),
        level=float(level),
    )


def _columns(x: ArrayLike, y: ArrayLike, angle: ArrayLike) -> tuple[Floats, Floats, Floats]:
    found = []
    for name, values in (("x", x), ("y", y), ("angle", angle)):
        column = np.asarray(values, dtype=float)
        if column.ndim != 1:
            raise ModelError(f"{name} must be a row of numbers, one for each sample, not of shape {column.shape}")
        if not np.all(np.isfinite(column)):
            raise ModelError(f"{name} holds {int(np.sum(~np.isfinite(column)))} NaN or infinite values; remove them")
        found.append(column)
    across, up, turn = found
    if not len(across) == len(up) == len(turn):
        raise ModelError(
            f"x, y and angle have {len(across)}, {len(up)} and {len(turn)} samples; the numbers must be equal"
        )
    if len(turn) < _LEAST_SAMPLES:
        raise ModelError(f"{len(turn)} samples are too few to fit an arc; at least {_LEAST_SAMPLES} are needed")
    if np.ptp(turn) > 2 * np.pi:
        raise ModelError(f"the foot turns by {np.ptp(turn):.3g} rad in stance; degrees? use np.radians")
    return across, up, turn
