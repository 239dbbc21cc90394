"""Curves of OpenSim's muscles."""

from __future__ import annotations

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element
from myodyne.files.osim.functions import function_of
from myodyne.model.muscles.curves import CurveTable, DeGrooteFregly2016, Millard2012, Thelen2003

# OpenSim keeps the points of a spline at least this far apart, whatever the file says.
_LEAST_STEP = 1e-7
# A strain at which the parallel element would bear the maximal force, so great that it bears nothing.
NO_PARALLEL = 1e9
# The coefficients of DeGrooteFregly2016Muscle that OpenSim 4.6 has in its source.
DEGROOTE = {
    "b11": 0.8150671134243542, "b21": 1.055033428970575, "b31": 0.162384573599574, "b41": 0.063303448465465,
    "b12": 0.433004984392647, "b22": 0.716775413397760, "b32": -0.029947116970696, "b42": 0.200356847296188,
    "b13": 0.1, "b23": 1.0, "b33": 0.353553390593274, "b43": 0.0,
    "d1": -0.3211346127989808, "d2": -8.149, "d3": -0.374, "d4": 0.8825327733249912,
    "c1": 0.2, "c2": 1.0, "c3": 0.2, "parallel_shape": 4.0, "parallel_slack": 0.2,
}  # fmt: skip
# What RigidTendonMuscle takes where a file gives no curves.
RIGID_PARALLEL = CurveTable(
    x=(-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0),
    y=(0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0),
)
RIGID_VELOCITY = CurveTable(
    x=(-1.001, *(round(-1.0 + 0.05 * step, 2) for step in range(41))),
    y=(0.0, 0.0, 0.010417, 0.021739, 0.034091, 0.047619, 0.0625, 0.078947, 0.097222, 0.117647, 0.140625, 0.166667,
       0.196429, 0.230769, 0.270833, 0.318182, 0.375, 0.444444, 0.53125, 0.642857, 0.791667, 1.0, 1.482014, 1.601571,
       1.655791, 1.686739, 1.706751, 1.720753, 1.731099, 1.739055, 1.745365, 1.75049, 1.754736, 1.758312, 1.761364,
       1.763999, 1.766298, 1.768321, 1.770115, 1.771717, 1.773155, 1.774455),
)  # fmt: skip


def thelen_curves(element: Element) -> Thelen2003:
    """Return the curves of a Thelen2003Muscle."""
    return Thelen2003(
        width=element.number("KshapeActive", 0.45),
        hill_a=element.number("Af", 0.25),
        eccentric_force=element.number("Flen", 1.4),
        eccentric_limit=element.number("fv_linear_extrap_threshold", 0.95),
        parallel_strain=element.number("FmaxMuscleStrain", 0.6),
        parallel_shape=element.number("KshapePassive", 5.0),
        tendon_strain=element.number("FmaxTendonStrain", 0.04),
    )


def millard_curves(element: Element, *, classic: bool) -> Millard2012:
    """Return the curves of a Millard2012EquilibriumMuscle; a classic one has an elastic tendon and no damping.

    As OpenSim does, a classic one is given slopes at the maximal velocities and a floor to its force–length curve,
    and any other has neither.
    """
    empty = Element("", element.line, {}, None, element.document)
    active, velocity, parallel, tendon = (
        element.child(tag) or empty
        for tag in ("ActiveForceLengthCurve", "ForceVelocityCurve", "FiberForceLengthCurve", "TendonForceLengthCurve")
    )
    concentric, eccentric = (
        velocity.number(f"{way}_slope_near_vmax", default)
        for way, default in (("concentric", 0.25), ("eccentric", 0.15))
    )
    slack, full = parallel.number("strain_at_zero_force", 0.0), parallel.number("strain_at_one_norm_force", 0.7)
    strain, tendon_strain = full - slack, tendon.number("strain_at_one_norm_force", 0.049)
    return Millard2012(
        shortest=active.number("min_norm_active_fiber_length", 0.4441),
        shoulder=active.number("transition_norm_fiber_length", 0.73),
        longest=active.number("max_norm_active_fiber_length", 1.8123),
        shallow_slope=active.number("shallow_ascending_slope", 0.8616),
        floor=max(active.number("minimum_value", 0.1), 0.1) if classic else 0.0,
        concentric_slope=max(velocity.number("concentric_slope_at_vmax", 0.0), concentric / 2) if classic else 0.0,
        concentric_slope_near=concentric,
        isometric_slope=velocity.number("isometric_slope", 5.0),
        eccentric_slope_near=eccentric,
        eccentric_slope=max(velocity.number("eccentric_slope_at_vmax", 0.0), eccentric / 2) if classic else 0.0,
        eccentric_force=velocity.number("max_eccentric_velocity_force_multiplier", 1.4),
        concentric_curviness=velocity.number("concentric_curviness", 0.6),
        eccentric_curviness=velocity.number("eccentric_curviness", 0.9),
        parallel_slack=1 + slack,
        parallel_strain=strain,
        parallel_low_stiffness=parallel.number("stiffness_at_low_force", 0.2),
        parallel_steepness=parallel.number("stiffness_at_one_norm_force", 2 / strain if strain else 0.0) * strain,
        parallel_curviness=parallel.number("curviness", 0.75),
        tendon_strain=tendon_strain,
        tendon_steepness=tendon.number("stiffness_at_one_norm_force", 1.375 / tendon_strain) * tendon_strain
        if tendon_strain
        else 0.0,
        tendon_toe_force=tendon.number("norm_force_at_toe_end", 2 / 3),
        tendon_curviness=tendon.number("curviness", 0.5),
    )


def degroote_curves(element: Element) -> DeGrooteFregly2016:
    """Return the curves of a DeGrooteFregly2016Muscle."""
    passive = not element.flag("ignore_passive_fiber_force", False)
    return DeGrooteFregly2016(
        **DEGROOTE,
        width_scale=element.number("active_force_width_scale", 1.0),
        parallel_strain=element.number("passive_fiber_strain_at_one_norm_force", 0.6) if passive else NO_PARALLEL,
        tendon_strain=element.number("tendon_strain_at_one_norm_force", 0.049),
    )


def table(element: Element, name: str) -> CurveTable | None:
    """Return the points of a curve that an old muscle holds under a name; None if it holds none."""
    curve = function_of(element, name)
    if curve is None:
        return None
    if curve.tag not in ("SimmSpline", "NaturalCubicSpline", "natCubicSpline"):
        raise ModelError(f"its {name} is a {curve.tag}, and only splines are supported")
    x, y = list(curve.numbers("x")), curve.numbers("y")
    for number in range(1, len(x)):
        if x[number] < x[number - 1] - 1e-6:
            raise curve.fault(f"its x must increase, but {x[number]:g} follows {x[number - 1]:g}")
        x[number] = max(x[number], x[number - 1] + _LEAST_STEP)
    return CurveTable(x=tuple(x), y=y)
