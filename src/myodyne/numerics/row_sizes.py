"""Sizes of the rows of a Jacobian of constraints, by which their rank is judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myodyne.types import Floats


def row_sizes(names: Sequence[str], jacobian: Floats) -> Floats:
    """Return the size (rows, 1) of each row: that of the largest one of the same kind in its constraint.

    A row that is small beside its neighbours is about to vanish; alone it could as well be a matter of units.
    """
    kinds = [name.rstrip("xyz12") for name in names]
    own = np.linalg.norm(jacobian, axis=1)
    largest = [max(o for k, o in zip(kinds, own, strict=True) if k == kind) for kind in kinds]
    sizes: Floats = np.maximum(np.array(largest).reshape(-1, 1), 1e-300)
    return sizes
