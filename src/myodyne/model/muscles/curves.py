"""Families of muscle curves, as data: force–length, force–velocity, parallel and series elasticity.

Forces are in maximal isometric forces, fibre lengths in optimal lengths, fibre velocities in maximal velocities.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from myodyne.model.muscles import corner_curves
from myodyne.model.part import NonNegative, Number, Part, Positive

AboveOne = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=1)]
Curviness = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]


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
    eccentric_force: AboveOne = 1.5
    tendon_strain: Positive = 0.04
    parallel_slack: Positive = 1.0
    parallel_strain: Positive = 0.56
    linear_stiffness: NonNegative = 10.0


class DeGrooteFregly2016(Part):
    """Exponential, Gaussian and logarithmic curves, smooth everywhere (De Groote et al. 2016).

    Coefficients bear the names of the paper: active force–length is a sum of three bells with heights ``b11`` to
    ``b13``, centres ``b21``, widths ``b31`` and their slopes ``b41``, all widened about the optimal length by
    ``width_scale``; ``d1`` to ``d4`` are of the force–velocity logarithm; ``c1`` to ``c3`` of the tendon, with
    ``tendon_strain`` at maximal force. The parallel element has ``parallel_strain`` (at maximal force, from the optimal
    length), ``parallel_shape``, and ``parallel_slack``, where its force is zero.

    Examples
    --------
    >>> import myodyne as my
    >>> my.DeGrooteFregly2016().tendon_strain
    0.049
    """

    kind: Literal["degroote_fregly_2016"] = "degroote_fregly_2016"
    b11: Number = 0.814
    b21: Number = 1.06
    b31: Number = 0.162
    b41: Number = 0.0633
    b12: Number = 0.433
    b22: Number = 0.717
    b32: Number = -0.0299
    b42: Number = 0.2
    b13: Number = 0.1
    b23: Number = 1.0
    b33: Number = 0.354
    b43: Number = 0.0
    width_scale: Positive = 1.0
    d1: Number = -0.318
    d2: Number = -8.149
    d3: Number = -0.374
    d4: Number = 0.886
    parallel_strain: Positive = 0.6
    parallel_shape: Positive = 4.0
    parallel_slack: NonNegative = 1.0
    c1: Positive = 0.2
    c2: Positive = 0.995
    c3: NonNegative = 0.25
    tendon_strain: Positive = 0.049

    @model_validator(mode="after")
    def _forces_grow(self) -> DeGrooteFregly2016:
        if not self.c2 < 1 + self.tendon_strain:
            raise ValueError(f"c2 {self.c2:g} must lie below 1 + tendon_strain {self.tendon_strain:g}")
        if not self.c1 < 1 + self.c3:
            raise ValueError(f"c1 {self.c1:g} must lie below 1 + c3 {self.c3:g}")
        if not self.d1 * self.d2 > 0:
            raise ValueError("d1 and d2 must have the same sign, so that force grows with velocity")
        if not self.parallel_slack < 1 + self.parallel_strain:
            raise ValueError(f"parallel_slack {self.parallel_slack:g} must lie below 1 + parallel_strain")
        return self


class Thelen2003(Part):
    """Gaussian force–length, Hill's force–velocity that slows with activation, exponential springs (Thelen 2003).

    ``width`` of the Gaussian (γ), ``hill_a`` and ``eccentric_force`` of the hyperbolas, which go on straight from
    ``eccentric_limit`` of the eccentric force; ``parallel_strain`` at maximal force and ``parallel_shape`` of the
    parallel element; ``tendon_strain`` at maximal force, ``tendon_toe_force`` where the tendon becomes straight and
    ``tendon_shape`` before.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Thelen2003().eccentric_force
    1.4
    """

    kind: Literal["thelen_2003"] = "thelen_2003"
    width: Positive = 0.45
    hill_a: Positive = 0.25
    eccentric_force: AboveOne = 1.4
    eccentric_limit: Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, lt=1)] = 0.95
    parallel_strain: Positive = 0.6
    parallel_shape: Positive = 5.0
    tendon_strain: Positive = 0.04
    tendon_toe_force: Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, lt=1)] = 0.33
    tendon_shape: Positive = 3.0

    @model_validator(mode="after")
    def _limit_above_rest(self) -> Thelen2003:
        if not self.eccentric_limit * self.eccentric_force > 1:
            raise ValueError(
                f"eccentric_limit {self.eccentric_limit:g} of eccentric_force {self.eccentric_force:g} must be above "
                "the isometric force 1"
            )
        return self


class Millard2012(Part):
    """Curves of quintic Bézier corners, with continuous curvature and straight ends (Millard et al. 2013).

    Active force–length: ``shortest`` and ``longest`` active length, ``shoulder`` where the steep ascent ends,
    ``shallow_slope`` beyond it, ``floor`` of the force. Force–velocity: slopes at rest, at and near the maximal
    velocities, ``eccentric_force``, two curvinesses. Parallel element: ``parallel_slack``, ``parallel_strain`` beyond
    it at maximal force, ``parallel_low_stiffness``, ``parallel_steepness`` (stiffness at maximal force times strain).
    Tendon: ``tendon_strain`` at maximal force, ``tendon_steepness`` likewise, ``tendon_toe_force`` where it becomes
    straight. A curviness of 0 is nearly a straight line, of 1 nearly two.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Millard2012().isometric_slope
    5.0
    """

    kind: Literal["millard_2012"] = "millard_2012"
    shortest: Positive = 0.4441
    shoulder: Positive = 0.73
    longest: AboveOne = 1.8123
    shallow_slope: Positive = 0.8616
    floor: NonNegative = 0.1
    concentric_slope: NonNegative = 0.0
    concentric_slope_near: NonNegative = 0.25
    isometric_slope: Positive = 5.0
    eccentric_slope_near: NonNegative = 0.15
    eccentric_slope: NonNegative = 0.0
    eccentric_force: AboveOne = 1.4
    concentric_curviness: Curviness = 0.6
    eccentric_curviness: Curviness = 0.9
    parallel_slack: Positive = 1.0
    parallel_strain: Positive = 0.7
    parallel_low_stiffness: Positive = 0.2
    parallel_steepness: AboveOne = 2.0
    parallel_curviness: Curviness = 0.75
    tendon_strain: Positive = 0.049
    tendon_steepness: AboveOne = 1.375
    tendon_toe_force: Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, lt=1)] = 2 / 3
    tendon_curviness: Curviness = 0.5

    @model_validator(mode="after")
    def _corners_lie_between_their_knots(self) -> Millard2012:
        if not self.shortest < self.shoulder < 0.95:
            raise ValueError(
                f"shortest {self.shortest:g} and shoulder {self.shoulder:g} must increase and be below 0.95"
            )
        if not self.longest > 1.1:
            raise ValueError(f"longest {self.longest:g} must lie above 1.1")
        for name, curve in corner_curves.CURVES.items():
            knots = curve(self).knots
            slopes = [knot.slope for knot in knots]
            differ = all(abs(one - other) > 1e-6 for one, other in pairwise(slopes))
            if not differ or not all(0.005 < share < 0.995 for share in corner_curves.corner_shares(knots)):
                points = ", ".join(f"{knot.value:.4g} at {knot.at:.4g} (slope {knot.slope:.3g})" for knot in knots)
                raise ValueError(
                    f"the {name} curve cannot bend once between each pair of its points: {points}; change its slopes, "
                    "strains or lengths"
                )
        return self


class VanSoestBobbert1993(Part):
    """Parabolic force–length, hyperbolas slowed at low activation, quadratic springs (van Soest and Bobbert 1993).

    The parabola falls to zero ``width`` from the optimal length. Fibres of the active state q shorten along Hill's
    hyperbola with ``hill_a`` and ``b = hill_a max_velocity min(1, q / 0.3)``. Lengthening ones follow a hyperbola
    that is ``eccentric_slope`` times steeper at zero velocity and rises to ``eccentric_force``, then a straight line
    from where ``linear_slope`` optimal lengths per second go with one more isometric force. The tendon bears the
    maximal force at ``tendon_strain``. The parallel element is slack up to ``parallel_slack`` and bears
    ``parallel_stress`` (maximal forces) where the parabola ends.

    Examples
    --------
    >>> import myodyne as my
    >>> my.VanSoestBobbert1993().hill_a
    0.41
    """

    kind: Literal["van_soest_bobbert_1993"] = "van_soest_bobbert_1993"
    width: Positive = 0.56
    hill_a: Positive = 0.41
    eccentric_slope: Positive = 2.0
    eccentric_force: AboveOne = 1.5
    linear_slope: Positive = 200.0
    tendon_strain: Positive = 0.04
    parallel_slack: Positive = 1.4
    parallel_stress: NonNegative = 0.5

    @model_validator(mode="after")
    def _stretched_at_the_end(self) -> VanSoestBobbert1993:
        if not self.parallel_slack < 1 + self.width:
            raise ValueError(
                f"parallel_slack {self.parallel_slack:g} must lie below 1 + width {self.width:g}, where the parallel "
                f"element reaches its stress"
            )
        return self


class CurveTable(Part):
    """Points ``(x, y)`` of a curve; a cubic spline joins them, straight beyond its ends.

    The spline bends at its ends as OpenSim's SimmSpline does (the ``cubic`` ends of a `Spline`).

    Examples
    --------
    >>> import myodyne as my
    >>> my.CurveTable(x=(0.5, 1.0, 1.5), y=(0.0, 1.0, 0.0)).x
    (0.5, 1.0, 1.5)
    """

    x: tuple[Number, ...] = Field(min_length=2)
    y: tuple[Number, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _points_in_order(self) -> CurveTable:
        if len(self.x) != len(self.y):
            raise ValueError(f"a table needs as many x as y, not {len(self.x)} and {len(self.y)}")
        for left, right in pairwise(self.x):
            if not right > left:
                raise ValueError(f"the x of a table must increase, but {right:g} follows {left:g}")
        return self


# The points that OpenSim's Schutte1993Muscle_Deprecated takes where a file gives none.
_ACTIVE = CurveTable(
    x=(-5.307692, -4.307692, -1.923077, -0.884615, -0.269231, 0.230769, 0.461538, 0.52725, 0.62875, 0.71875, 0.86125,
       1.045, 1.2175, 1.43875, 1.5, 1.615385, 2.0, 2.961538, 3.692308, 5.461538, 9.901902),
    y=(0.012188, 0.021899, 0.036466, 0.052493, 0.075312, 0.114158, 0.157859, 0.226667, 0.636667, 0.856667, 0.95,
       0.993333, 0.77, 0.246667, 0.193821, 0.133252, 0.072683, 0.044417, 0.036341, 0.021899, 0.007332),
)  # fmt: skip
_TENDON = CurveTable(
    x=(-10.0, -0.002, -0.001, 0.0, 0.00131, 0.00281, 0.00431, 0.00581, 0.00731, 0.00881, 0.0103, 0.0118, 0.0123, 9.2,
       9.201, 9.202, 20.0),
    y=(0.0, 0.0, 0.0, 0.0, 0.0108, 0.0257, 0.0435, 0.0652, 0.0915, 0.123, 0.161, 0.208, 0.227, 345.0, 345.0, 345.0,
       345.0),
)  # fmt: skip


class Tabulated(Part):
    """Curves given by points, and Hill's force–velocity (Schutte et al. 1993).

    ``active`` is the isometric force against fibre length, ``parallel`` that of the parallel element, which is kept
    from swinging below ``parallel_floor``; without points it is ``exp(parallel_rate (l - parallel_unit))``, which is
    never quite slack. ``tendon`` is the force against strain; below slack length it keeps what it has at zero strain.
    Fibres shorten along Hill's hyperbola with ``hill_a``; lengthening ones follow
    ``(k + eccentric_force v) / (k + v)`` with v in maximal velocities and
    ``k = eccentric_shape hill_a / (1 + hill_a)``. ``velocity``, force against v by points, replaces both.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Tabulated().hill_a
    0.15
    """

    kind: Literal["tabulated"] = "tabulated"
    active: CurveTable = _ACTIVE
    parallel: CurveTable | None = None
    parallel_floor: Number = 0.0
    parallel_rate: Positive = 8.0
    parallel_unit: Positive = 1.5
    tendon: CurveTable = _TENDON
    velocity: CurveTable | None = None
    hill_a: Positive = 0.15
    eccentric_force: AboveOne = 1.4
    eccentric_shape: Positive = 0.13


Curves = Annotated[
    VanDenBogert2011 | DeGrooteFregly2016 | Thelen2003 | Millard2012 | VanSoestBobbert1993 | Tabulated,
    Field(discriminator="kind"),
]
