"""From the channels of force plates to force, centre of pressure and free moment.

Kinds of plates, their channels, and the meaning of corners and origin are those of the C3D format (The C3D File Format
User Guide, Motion Lab Systems, 2008, chapter on the FORCE_PLATFORM group). A plate has its own axes: x and y span its
surface, z points away from the side that is stepped on, which is downward.
"""

from __future__ import annotations

import numpy as np

from myodyne.types import Floats

# How many channels each kind of plate has.
CHANNELS = {1: 6, 2: 6, 3: 8, 4: 6}


def plate_frame(corners: Floats) -> tuple[Floats, Floats]:
    """Return the axes of a plate as the columns of a rotation, and the centre of its surface.

    The corners (4, 3) are in the quadrants +x+y, -x+y, -x-y, +x-y of the plate.

    Examples
    --------
    >>> axes, centre = plate_frame(np.array([[0.0, 0, 0], [0, 4, 0], [2, 4, 0], [2, 0, 0]]))
    >>> axes[2].tolist(), centre.tolist()
    ([0.0, 0.0, -1.0], [1.0, 2.0, 0.0])
    """
    first, second, third, fourth = corners
    along, aside = first - second + fourth - third, first - fourth + second - third
    down = np.cross(along, aside)
    size = np.linalg.norm(down)
    if not size > 1e-9 * np.linalg.norm(along) * np.linalg.norm(aside):
        raise ValueError("the corners of the plate span no surface")
    along, down = along / np.linalg.norm(along), down / size
    return np.column_stack([along, np.cross(down, along), down]), corners.mean(axis=0)


def plate_wrench(
    kind: int, channels: Floats, origin: Floats, calibration: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return force (N) and moment (N m) about the centre of the surface, in the axes of the plate.

    Parameters
    ----------
    kind
        1: Fx, Fy, Fz, Px, Py, Tz; 2: Fx, Fy, Fz, Mx, My, Mz; 3: Fx12, Fx34, Fy14, Fy23, Fz1 to Fz4; 4: like 2, after
        multiplication by the calibration matrix.
    channels
        One row for each time, in N, m and N m.
    origin
        Kinds 2 and 4: from the origin of the sensors to the centre of the surface; 3: distances of the sensors
        from the axes y and x, and the height of the surface above them along z (m).
    calibration
        Of kind 4: the matrix (6, 6) from channels to forces and moments.
    """
    if kind == 1:
        force = channels[:, :3]
        places = np.column_stack([channels[:, 3:5], np.zeros(len(channels))])
        free = np.column_stack([np.zeros((len(channels), 2)), channels[:, 5]])
        return force, np.cross(places, force) + free
    if kind == 3:
        x12, x34, y14, y23, z1, z2, z3, z4 = channels.T
        x_distance, y_distance, height = origin
        force = np.column_stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4])
        # Sensor 1 is in the quadrant +x+y, 2 in -x+y, 3 in -x-y, 4 in +x-y.
        moment = np.column_stack(
            [
                y_distance * (z1 + z2 - z3 - z4),
                x_distance * (z2 + z3 - z1 - z4),
                y_distance * (x34 - x12) + x_distance * (y14 - y23),
            ]
        )
        return force, moment - np.cross(np.array([0.0, 0.0, height]), force)
    if kind not in CHANNELS:
        raise ValueError(f"the type of a force plate must be one of {', '.join(map(str, CHANNELS))}, not {kind}")
    if kind == 4:
        if calibration is None:
            raise ValueError("a force plate of type 4 needs its calibration matrix")
        channels = channels @ calibration.T
    force = channels[:, :3]
    return force, channels[:, 3:6] - np.cross(origin, force)


def centre_of_pressure(force: Floats, moment: Floats, least: float) -> tuple[Floats, Floats]:
    """Return the points of the surface where the forces act, and the moments about them: free ones along z alone.

    Where the force across the surface is smaller than ``least`` (N) the point cannot be known well: there it is the
    centre, and the moment is the whole one. Force, point and moment together always are what was measured.

    Examples
    --------
    >>> point, free = centre_of_pressure(np.array([[0.0, 0.0, 100.0]]), np.array([[20.0, -10.0, 3.0]]), 10.0)
    >>> point.tolist(), free.tolist()
    ([[0.1, 0.2, 0.0]], [[0.0, 0.0, 3.0]])
    """
    pressed = np.abs(force[:, 2]) >= max(least, np.finfo(np.float64).tiny)
    across = np.where(pressed, force[:, 2], 1.0)
    point = np.column_stack([-moment[:, 1] / across, moment[:, 0] / across, np.zeros(len(force))])
    point[~pressed] = 0.0
    free = moment - np.cross(point, force)
    # What rounding leaves of the moments about x and y is nothing.
    free[pressed, :2] = 0.0
    return point, free
