"""Muscles as elements of an .osim file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from myodyne.files.osim.forces.muscle_curves import DEGROOTE, NO_PARALLEL
from myodyne.files.osim_writer.functions import function_element
from myodyne.files.osim_writer.markup import NoCounterpartError, gathered, made, preimage
from myodyne.files.osim_writer.paths import path_element
from myodyne.files.osim_writer.surroundings import Surroundings
from myodyne.model.functions import Spline
from myodyne.model.muscles.activation import DeGrooteActivation, HeActivation, NoActivation, ThelenActivation
from myodyne.model.muscles.curves import CurveTable, DeGrooteFregly2016, Millard2012, Tabulated, Thelen2003
from myodyne.model.muscles.muscle import Muscle

_Properties = dict[str, Any]
# Damping of fibres below which OpenSim takes a muscle of Millard's for an undamped one.
_LEAST_DAMPING = 0.001


def muscle_element(around: Surroundings, name: str, muscle: Muscle) -> Element:
    """Return the element of a muscle."""
    curves: list[Element]
    match muscle.curves:
        case Thelen2003():
            tag, own, curves = "Thelen2003Muscle", _thelen(muscle, muscle.curves), []
        case Millard2012():
            tag, own, curves = _millard(name, muscle, muscle.curves)
        case DeGrooteFregly2016():
            tag, own, curves = "DeGrooteFregly2016Muscle", _degroote(muscle, muscle.curves), []
        case Tabulated() if muscle.elastic:
            tag, own, curves = _schutte(muscle, muscle.curves)
        case Tabulated():
            tag, own, curves = _rigid(muscle, muscle.curves)
        case _:
            raise NoCounterpartError(f"its curves of the kind '{muscle.curves.kind}'")
    common = {
        "max_isometric_force": muscle.max_force,
        "optimal_fiber_length": muscle.optimal_fibre_length,
        "tendon_slack_length": muscle.tendon_slack_length,
        "pennation_angle_at_optimal": muscle.pennation,
        "max_contraction_velocity": muscle.max_velocity,
        "ignore_tendon_compliance": not muscle.elastic,
        "ignore_activation_dynamics": not muscle.activated,
    }
    # OpenSim starts its search for the equilibrium from the length of the fibres, where that is a state.
    state = isinstance(muscle.curves, Thelen2003 | Millard2012) or (
        isinstance(muscle.curves, Tabulated) and muscle.elastic
    )
    start = {"default_fiber_length": muscle.optimal_fibre_length} if state else {}
    return made(tag, name, {**common, **start, **own}, [path_element(around, name, muscle.path), *curves])


def _first_order(muscle: Muscle) -> _Properties:
    match muscle.activation:
        case NoActivation():
            _starts_from_nothing(muscle)
            return {}
        case ThelenActivation(activation_time=rise, deactivation_time=fall, minimum=least):
            return {
                "activation_time_constant": rise,
                "deactivation_time_constant": fall,
                "minimum_activation": least,
                "default_activation": muscle.default_activation,
            }
        case _:
            raise _other_activation(muscle)


def _other_activation(muscle: Muscle) -> NoCounterpartError:
    return NoCounterpartError(
        f"activation of the kind '{muscle.activation.kind}' with curves of the kind '{muscle.curves.kind}'"
    )


def _starts_from_nothing(muscle: Muscle) -> None:
    if muscle.default_activation != 0.0:
        raise NoCounterpartError("a default_activation without dynamics of activation")


def _undamped(muscle: Muscle) -> None:
    if muscle.damping:
        raise NoCounterpartError(f"damping with curves of the kind '{muscle.curves.kind}'")


def _per_velocity(muscle: Muscle) -> float:
    """Return the damping in maximal forces at the maximal velocity."""
    speed = muscle.max_velocity
    return preimage(muscle.damping, muscle.damping * speed, lambda damping: damping / speed)


def _thelen(muscle: Muscle, curves: Thelen2003) -> _Properties:
    usual = Thelen2003()
    if (curves.tendon_toe_force, curves.tendon_shape) != (usual.tendon_toe_force, usual.tendon_shape):
        raise NoCounterpartError("tendon_toe_force and tendon_shape, which are fixed numbers in OpenSim")
    _undamped(muscle)
    return {
        **_first_order(muscle),
        "FmaxTendonStrain": curves.tendon_strain,
        "FmaxMuscleStrain": curves.parallel_strain,
        "KshapeActive": curves.width,
        "KshapePassive": curves.parallel_shape,
        "Af": curves.hill_a,
        "Flen": curves.eccentric_force,
        "fv_linear_extrap_threshold": curves.eccentric_limit,
    }


def _millard(name: str, muscle: Muscle, curves: Millard2012) -> tuple[str, _Properties, list[Element]]:
    damping = _per_velocity(muscle)
    if 0.0 < damping < _LEAST_DAMPING:
        raise NoCounterpartError(f"a damping below {_LEAST_DAMPING:g} maximal forces at the maximal velocity")
    if muscle.elastic and not muscle.damping:
        # OpenSim raises what is lower.
        possible = (
            curves.floor >= 0.1
            and curves.concentric_slope >= curves.concentric_slope_near / 2
            and curves.eccentric_slope >= curves.eccentric_slope_near / 2
        )
        needed = (
            "with an elastic tendon and no damping OpenSim takes a floor of at least 0.1 and slopes at the "
            "maximal velocities of at least half of those near them"
        )
    else:
        possible = curves.floor == curves.concentric_slope == curves.eccentric_slope == 0.0
        needed = "with damping or a rigid tendon OpenSim takes no floor and no slopes at the maximal velocities"
    if not possible:
        raise NoCounterpartError(f"its curves: {needed}")
    properties = {**_first_order(muscle), "fiber_damping": damping}
    return (
        "Millard2012EquilibriumMuscle",
        properties,
        [
            made(
                "ActiveForceLengthCurve",
                f"{name}_ActiveForceLengthCurve",
                {
                    "min_norm_active_fiber_length": curves.shortest,
                    "transition_norm_fiber_length": curves.shoulder,
                    "max_norm_active_fiber_length": curves.longest,
                    "shallow_ascending_slope": curves.shallow_slope,
                    "minimum_value": curves.floor,
                },
            ),
            made(
                "ForceVelocityCurve",
                f"{name}_ForceVelocityCurve",
                {
                    "concentric_slope_at_vmax": curves.concentric_slope,
                    "concentric_slope_near_vmax": curves.concentric_slope_near,
                    "isometric_slope": curves.isometric_slope,
                    "eccentric_slope_at_vmax": curves.eccentric_slope,
                    "eccentric_slope_near_vmax": curves.eccentric_slope_near,
                    "max_eccentric_velocity_force_multiplier": curves.eccentric_force,
                    "concentric_curviness": curves.concentric_curviness,
                    "eccentric_curviness": curves.eccentric_curviness,
                },
            ),
            _parallel_curve(name, curves),
            made(
                "TendonForceLengthCurve",
                f"{name}_TendonForceLengthCurve",
                {
                    "strain_at_one_norm_force": curves.tendon_strain,
                    "stiffness_at_one_norm_force": _stiffness(curves.tendon_steepness, curves.tendon_strain),
                    "norm_force_at_toe_end": curves.tendon_toe_force,
                    "curviness": curves.tendon_curviness,
                },
            ),
        ],
    )


def _parallel_curve(name: str, curves: Millard2012) -> Element:
    slack = curves.parallel_slack - 1
    tidy = float(f"{slack:.12g}")
    slack = tidy if 1 + tidy == curves.parallel_slack else slack
    full = preimage(curves.parallel_strain, slack + curves.parallel_strain, lambda strain: strain - slack)
    return made(
        "FiberForceLengthCurve",
        f"{name}_FiberForceLengthCurve",
        {
            "strain_at_zero_force": slack,
            "strain_at_one_norm_force": full,
            "stiffness_at_low_force": curves.parallel_low_stiffness,
            "stiffness_at_one_norm_force": _stiffness(curves.parallel_steepness, curves.parallel_strain),
            "curviness": curves.parallel_curviness,
        },
    )


def _stiffness(steepness: float, strain: float) -> float:
    return preimage(steepness, steepness / strain, lambda stiffness: stiffness * strain)


def _degroote(muscle: Muscle, curves: DeGrooteFregly2016) -> _Properties:
    for field, number in DEGROOTE.items():
        if getattr(curves, field) != number:
            raise NoCounterpartError(
                f"the coefficient {field} = {getattr(curves, field):g} of its curves, which is {number:g} in OpenSim"
            )
    properties = {
        "active_force_width_scale": curves.width_scale,
        "fiber_damping": _per_velocity(muscle),
        "tendon_strain_at_one_norm_force": curves.tendon_strain,
        "ignore_passive_fiber_force": curves.parallel_strain == NO_PARALLEL,
    }
    if curves.parallel_strain != NO_PARALLEL:
        properties["passive_fiber_strain_at_one_norm_force"] = curves.parallel_strain
    match muscle.activation:
        case NoActivation():
            _starts_from_nothing(muscle)
            return properties
        case DeGrooteActivation(activation_time=rise, deactivation_time=fall, smoothness=smoothness):
            return {
                **properties,
                "activation_time_constant": rise,
                "deactivation_time_constant": fall,
                "activation_dynamics_smoothing": smoothness,
                "default_activation": muscle.default_activation,
            }
        case _:
            raise _other_activation(muscle)


def _schutte(muscle: Muscle, curves: Tabulated) -> tuple[str, _Properties, list[Element]]:
    if not isinstance(muscle.activation, HeActivation):
        raise _other_activation(muscle)
    _starts_from_nothing(muscle)
    usual = Tabulated(parallel_floor=-1.0)
    for field in (
        "parallel_floor",
        "parallel_rate",
        "parallel_unit",
        "velocity",
        "hill_a",
        "eccentric_force",
        "eccentric_shape",
    ):
        if getattr(curves, field) != getattr(usual, field):
            raise NoCounterpartError(f"the {field} of its curves, which is fixed in OpenSim's Schutte1993Muscle")
    scale = preimage(muscle.max_velocity, 1 / muscle.max_velocity, lambda number: 1 / number)
    fall = preimage(
        muscle.activation.deactivation_time, scale / muscle.activation.deactivation_time, lambda number: scale / number
    )
    rise = preimage(
        muscle.activation.activation_time,
        scale / muscle.activation.activation_time - fall,
        lambda number: scale / (number + fall),
    )
    properties = {
        "time_scale": scale,
        "activation1": rise,
        "activation2": fall,
        "damping": preimage(muscle.damping, muscle.damping / scale, lambda number: number * scale),
    }
    tables = {
        "active_force_length_curve": curves.active,
        "passive_force_length_curve": curves.parallel,
        "tendon_force_length_curve": curves.tendon,
    }
    return "Schutte1993Muscle_Deprecated", properties, _tables(tables)


def _rigid(muscle: Muscle, curves: Tabulated) -> tuple[str, _Properties, list[Element]]:
    if muscle.activated:
        raise _other_activation(muscle)
    _starts_from_nothing(muscle)
    _undamped(muscle)
    if curves.velocity is None or curves.parallel is None or curves.parallel_floor:
        raise NoCounterpartError(
            "its curves: OpenSim's RigidTendonMuscle has points for force against velocity and "
            "for the parallel element, with a floor of zero"
        )
    tables = {
        "active_force_length_curve": curves.active,
        "passive_force_length_curve": curves.parallel,
        "force_velocity_curve": curves.velocity,
    }
    return "RigidTendonMuscle", {}, _tables(tables)


def _tables(tables: Mapping[str, CurveTable | None]) -> list[Element]:
    return [
        made(name, inside=[function_element(Spline(coordinate="x", x=table.x, y=table.y, ends="cubic"))])
        for name, table in tables.items()
        if table is not None
    ]


def metabolic_probes(muscles: Mapping[str, Muscle]) -> list[Element]:
    """Return a probe with the share of slow fibres and the specific tension of muscles with other than usual ones."""
    usual = [Muscle.model_fields[field].default for field in ("slow_fibres", "specific_tension")]
    own = {name: m for name, m in muscles.items() if [m.slow_fibres, m.specific_tension] != usual}
    if not own:
        return []
    kind = "Umberger2010MuscleMetabolicsProbe"
    parameters = [
        made(
            f"{kind}_MetabolicMuscleParameter",
            name,
            {
                "specific_tension": muscle.specific_tension,
                "density": 1059.7,
                "ratio_slow_twitch_fibers": muscle.slow_fibres,
            },
        )
        for name, muscle in own.items()
    ]
    return [made(kind, "metabolics", inside=[gathered(f"{kind}_MetabolicMuscleParameterSet", parameters)])]
