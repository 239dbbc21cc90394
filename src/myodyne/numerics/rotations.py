"""Rotation matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myodyne.types import Floats


def rotation(angles: Sequence[float]) -> Floats:
    """Return the matrix of rotations about x, then the new y, then the new z (rad), as for frames of models.

    Examples
    --------
    >>> rotation((0.0, 0.0, np.pi / 2)).round(6) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    (ca, cb, cc), (sa, sb, sc) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [cb * cc, -cb * sc, sb],
            [ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb],
            [sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb],
        ]
    )


def quaternions(rotations: Floats) -> Floats:
    """Return unit quaternions (..., 4) as x, y, z, w of rotation matrices (..., 3, 3).

    Examples
    --------
    >>> quaternions(np.eye(3))
    array([0., 0., 0., 1.])
    """
    from scipy.spatial.transform import Rotation

    flat = Rotation.from_matrix(rotations.reshape(-1, 3, 3)).as_quat()
    return np.asarray(flat).reshape(*rotations.shape[:-2], 4)
