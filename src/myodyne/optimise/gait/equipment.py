"""What moves the joints of a body that walks: muscles, motors where there are none, springs in passive toes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from myodyne.analyse.sides.names import other_side
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.library.passive_moments import passive_stop
from myodyne.model import (
    CoordinateActuator,
    CoordinateLimit,
    HeActivation,
    JointLimit,
    Model,
    PassiveMoment,
    ThelenActivation,
    TorsionSpring,
)
from myodyne.optimise.gait.anatomy import Anatomy

Tendons = Literal["model", "rigid"]
# A muscle moves a coordinate if its moment arm exceeds this (m, or m per m) in a few poses.
_ARM = 1e-3
# Of motors in trunk, arms, and legs without muscles, N m per kilogram: chosen, about what people reach.
_TRUNK, _ARM_MOTOR, _LEG = 2.0, 0.7, 3.0
# Toes, per kilogram: 25 N m/rad and 1.9 N m s/rad at 75 kg; chosen, of the size in Falisse et al. 2022, PLoS ONE.
_TOE_STIFFNESS, _TOE_DAMPING = 25.0 / 75.0, 1.9 / 75.0
# With more muscles than this, elastic tendons cost more time than they are worth in a first walk.
_MANY = 40


@dataclass(frozen=True)
class Equipped:
    """A model that can move each of its joints, and in words what was changed."""

    model: Model
    words: dict[str, str]


def equipped(model: Model, anatomy: Anatomy, tendons: Tendons | None) -> Equipped:
    """Return the model without reserves, with motors where no muscle acts, and with springs in toes that bend."""
    words: dict[str, str] = {}
    muscled = muscled_coordinates(model, anatomy)
    model, dropped = _without_reserves(model, anatomy, muscled)
    if dropped:
        words["motors left out"] = f"{', '.join(dropped)}: no motors act on the pelvis or on joints with muscles"
    motored = {part.coordinate for part in model.forces.values() if isinstance(part, CoordinateActuator)}
    toes = _toes(anatomy)
    idle = [name for name in model.moving if name not in {*anatomy.root, *muscled, *motored, *toes}]
    limited = _limited_motors(model, anatomy)
    if limited:
        words["motors limited"] = ", ".join(f"{name} ({_torque(part):.0f} N m)" for name, part in limited.items())
        model = model.with_parts(forces=limited)
    motors = {f"{name}_motor": _motor(name, _strength(model, anatomy, name)) for name in idle}
    springs = _toe_springs(model, toes)
    # In the plane measured moments of relaxed legs take their place.
    stops = {} if anatomy.planar else _stops(model, anatomy)
    if stops:
        words["joint stops"] = f"passive moments of Falisse et al. 2019 at the ends of {', '.join(stops)}"
    if motors:
        words["motors added"] = ", ".join(f"{name} ({part.gain:.0f} N m)" for name, part in motors.items())
    if springs:
        words["passive toes"] = ", ".join(f"{name} {part.stiffness:.1f} N m/rad" for name, part in springs.items())
    passive = {f"{name}_stop": part for name, part in stops.items()}
    model = model.with_parts(forces={**motors, **springs, **passive}) if motors or springs or passive else model
    return _with_tendons(_with_smooth_activation(model, words), tendons, words)


def muscled_coordinates(model: Model, anatomy: Anatomy) -> set[str]:
    """Return the coordinates that a muscle moves in the upright pose or near it."""
    if not model.muscles:
        return set()
    equations = equations_of(model, compiled=False)
    upright = np.array([anatomy.upright[name] for name in equations.coordinates])
    bent = upright.copy()
    for flexion, angle in ((anatomy.leg.hip, 0.3), (anatomy.leg.knee, 0.5), (anatomy.leg.ankle, 0.1)):
        for each in (flexion, anatomy.left(flexion)):
            bent[equations.coordinates.index(each.coordinate)] = each.value(angle)
    arms = abs(equations.moment_arms(np.array([upright, bent]))).max((0, 1))
    return {name for name, arm in zip(equations.coordinates, arms, strict=True) if arm > _ARM} - set(anatomy.root)


def _without_reserves(model: Model, anatomy: Anatomy, muscled: set[str]) -> tuple[Model, list[str]]:
    helped = {*anatomy.root, *(muscled & _leg_coordinates(model, anatomy))}
    motors = {name: part for name, part in model.forces.items() if isinstance(part, CoordinateActuator)}
    dropped = [name for name, part in motors.items() if part.coordinate in helped]
    return (model.without(*dropped) if dropped else model), dropped


def _leg_coordinates(model: Model, anatomy: Anatomy) -> set[str]:
    joints = {joint.child.body: joint for joint in model.joints.values()}
    right = [name for body in anatomy.leg.bodies for name in joints[body].coordinates]
    return {*right, *(anatomy.sides.partners.get(name, name) for name in right)}


def _toes(anatomy: Anatomy) -> tuple[str, ...]:
    toes = anatomy.leg.toes
    return () if toes is None else (toes.coordinate, anatomy.left(toes).coordinate)


def _strength(model: Model, anatomy: Anatomy, coordinate: str) -> float:
    """Return the torque (N m) of people about a joint."""
    if coordinate in _leg_coordinates(model, anatomy):
        return _LEG * model.mass
    return (_TRUNK if other_side(coordinate) == coordinate else _ARM_MOTOR) * model.mass


def _limited_motors(model: Model, anatomy: Anatomy) -> dict[str, CoordinateActuator]:
    """Return the model's motors that have no limits, with those of people: effort is the share of the full torque."""
    found = {}
    for name, part in model.forces.items():
        if isinstance(part, CoordinateActuator) and part.control_range is None and part.gain:
            most = round(_strength(model, anatomy, part.coordinate) / abs(part.gain), 3)
            found[name] = part.model_copy(update={"control_range": (-most, most)})
    return found


def _torque(part: CoordinateActuator) -> float:
    assert part.control_range is not None
    return abs(part.gain) * part.control_range[1]


def _motor(coordinate: str, gain: float) -> CoordinateActuator:
    return CoordinateActuator(coordinate=coordinate, gain=round(gain, 1), control_range=(-1.0, 1.0))


def _toe_springs(model: Model, toes: tuple[str, ...]) -> dict[str, TorsionSpring]:
    sprung = {part.coordinate for part in model.forces.values() if isinstance(part, TorsionSpring)}
    return {
        f"{name}_spring": TorsionSpring(
            coordinate=name, stiffness=_TOE_STIFFNESS * model.mass, damping=_TOE_DAMPING * model.mass
        )
        for name in toes
        if name not in sprung
    }


def _stops(model: Model, anatomy: Anatomy) -> dict[str, PassiveMoment]:
    """Return passive moments at the ends of the range of hip, knee and ankle, where the model has none."""
    limited = {
        part.coordinate
        for part in model.forces.values()
        if isinstance(part, JointLimit | CoordinateLimit | PassiveMoment | TorsionSpring)
    }
    found = {}
    for of, flexion in (("hip_flexion", anatomy.leg.hip), ("knee", anatomy.leg.knee), ("ankle", anatomy.leg.ankle)):
        for each in (flexion, anatomy.left(flexion)):
            if each.coordinate not in limited:
                # The published knee counts extension as positive.
                flipped = (each.sign < 0) != (of == "knee")
                found[each.coordinate] = passive_stop(each.coordinate, of, flipped=flipped)
    return found


def _with_smooth_activation(model: Model, words: dict[str, str]) -> Model:
    """Return the model with the activation dynamics of He et al. for Thelen's, with the same time constants.

    Thelen's have kinks where optima lie: at an excitation equal to the activation, and at the least one. The rounded
    kink of De Groote et al. is sharp enough to keep a search with 80 muscles from its end.
    """
    smooth = {
        name: muscle.model_copy(
            update={
                "activation": HeActivation(
                    activation_time=muscle.activation.activation_time,
                    deactivation_time=muscle.activation.deactivation_time,
                )
            }
        )
        for name, muscle in model.muscles.items()
        if isinstance(muscle.activation, ThelenActivation)
    }
    if not smooth:
        return model
    words["activation"] = f"smooth (He et al. 1991) instead of Thelen's, of {len(smooth)} muscles"
    return model.with_parts(muscles=smooth)


def _with_tendons(model: Model, tendons: Tendons | None, words: dict[str, str]) -> Equipped:
    """Return the model with rigid tendons where that is asked for, or muscles are many."""
    if tendons not in (None, "model", "rigid"):
        raise ModelError(f"tendons must be 'model', as the model has them, or 'rigid', not {tendons!r:.60}")
    elastic = [name for name, muscle in model.muscles.items() if muscle.elastic]
    if not model.muscles:
        return Equipped(model, words | {"muscles": "none: motors move the joints"})
    many = len(model.muscles) > _MANY
    if elastic and (tendons == "rigid" or (tendons is None and many)):
        rigid = {name: model.muscles[name].model_copy(update={"tendon": "rigid"}) for name in elastic}
        model = model.with_parts(muscles=rigid)
        words["tendons"] = f"rigid, of {len(elastic)} muscles" + (
            f": with more than {_MANY} muscles elastic ones are slow; tendons='model' keeps them"
            if tendons is None
            else ""
        )
    elif elastic:
        words["tendons"] = f"elastic in {len(elastic)} of {len(model.muscles)} muscles, as in the model"
    else:
        words["tendons"] = "rigid, as in the model"
    return Equipped(model, words)
