"""Families of muscle curves, as data: force–length, force–velocity, parallel and series elasticity.

Forces are in maximal isometric forces, fibre lengths in optimal lengths, fibre velocities in maximal velocities.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from myodyne.model.part import NonNegative, Part, Positive


class VanDenBogert2011(Part):
    """Gaussian force–length, Hill's force–velocity, quadratic elastic elements (van den Bogert et al. 2011).

    ``width`` of the Gaussian, ``hill_a`` of the hyperbola, ``eccentric_force`` at fast lengthening, ``tendon_strain``
    at maximal force, ``parallel_slack`` and ``parallel_strain`` (beyond slack, at maximal force) of the parallel
    element; ``linear_stiffness`` (N/m) is added to both elastic elements so that neither is ever quite slack.

    Examples
    --------
    >>> import myodyne as my
    >>> my.VanDenBogert2011().tendon_strain
    0.04
    """

    kind: Literal["van_den_bogert_2011"] = "van_den_bogert_2011"
    width: Positive = 0.56
    hill_a: Positive = 0.25
    eccentric_force: Annotated[float, Field(strict=True, allow_inf_nan=False, gt=1)] = 1.5
    tendon_strain: Positive = 0.04
    parallel_slack: Positive = 1.0
    parallel_strain: Positive = 0.56
    linear_stiffness: NonNegative = 10.0


Curves = VanDenBogert2011
