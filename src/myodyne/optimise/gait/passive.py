"""Passive moments of the legs: those of relaxed people, as far as a model lacks them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from myodyne.equations import equations_of
from myodyne.library.passive_moments import passive_leg
from myodyne.model import ExponentialTerm, Model, PassiveMoment
from myodyne.optimise.gait.anatomy import Anatomy, Flexion
from myodyne.optimise.gait.ranges import Limits
from myodyne.types import Floats

_JOINTS = ("hip", "knee", "ankle")
# Poses of each joint at which moments are compared, and how high above the ground (m), where no contact acts.
_POSES, _LIFTED = 3, 5.0
# A smaller share than this is not worth a force.
_LEAST = 0.05


@dataclass(frozen=True)
class PassiveLegs:
    """A model whose relaxed legs resist like people's, and which share of the measured moments was added, by joint."""

    model: Model
    shares: dict[str, float]

    @property
    def words(self) -> str:
        """What was added, in words."""
        parts = [f"{joint} {100 * share:.0f} %" for joint, share in self.shares.items() if share >= _LEAST]
        return f"of the moments measured by Riener and Edrich 1999, what the model lacks: {', '.join(parts) or 'none'}"


def with_passive_legs(model: Model, anatomy: Anatomy, used: dict[str, Limits]) -> PassiveLegs:
    """Return the model with that share of the measured passive moments of hip, knee and ankle that it lacks.

    What was measured includes muscles at rest, so those of the model count, and its limits and springs too. The share
    of each joint is that which comes closest to the measurement, over poses within the ``used`` angles.

    Examples
    --------
    >>> import myodyne as my
    >>> from myodyne.optimise.gait.anatomy import anatomy_of
    >>> from myodyne.optimise.gait.ranges import USED_WALKING
    >>> person = my.load_model("gait2d")
    >>> legs = with_passive_legs(person, anatomy_of(person), USED_WALKING)
    >>> legs.shares["hip"] > 0.8, "right_hip_passive" in legs.model.forces
    (True, True)
    """
    own, measured = _moments(model, anatomy, used)
    lacking = np.sum((measured - own) * measured, axis=0) / np.sum(measured**2, axis=0)
    shares = dict(zip(_JOINTS, np.clip(lacking, 0.0, 1.0).round(3).tolist(), strict=True))
    parts = {}
    for legs in (_right(anatomy), {joint: anatomy.left(flexion) for joint, flexion in _right(anatomy).items()}):
        for joint, moment in _published(legs).items():
            if shares[joint] >= _LEAST:
                parts[f"{moment.coordinate}_passive"] = _scaled(moment, shares[joint])
    return PassiveLegs(model.with_parts(forces=parts) if parts else model, shares)


def _right(anatomy: Anatomy) -> dict[str, Flexion]:
    return {"hip": anatomy.leg.hip, "knee": anatomy.leg.knee, "ankle": anatomy.leg.ankle}


def _published(legs: dict[str, Flexion]) -> dict[str, PassiveMoment]:
    """Return the measured moments of a leg, each on its coordinate, whichever way that counts."""
    # As published for a leg whose hip flexion, knee extension and dorsiflexion are positive.
    signs = {joint: -flexion.sign if joint == "knee" else flexion.sign for joint, flexion in legs.items()}
    found = {}
    for joint, moment in passive_leg(*_JOINTS).items():
        sign = signs[joint]
        terms = [
            ExponentialTerm(
                size=sign * term.size,
                rate=sign * term.rate,
                others={legs[other].coordinate: signs[other] * rate for other, rate in term.others.items()},
            )
            for term in moment.terms
        ]
        found[joint] = PassiveMoment(
            coordinate=legs[joint].coordinate, constant=sign * moment.constant, terms=tuple(terms)
        )
    return found


def _scaled(moment: PassiveMoment, share: float) -> PassiveMoment:
    terms = tuple(term.model_copy(update={"size": share * term.size}) for term in moment.terms)
    return moment.model_copy(update={"constant": share * moment.constant, "terms": terms})


def _moments(model: Model, anatomy: Anatomy, used: dict[str, Limits]) -> tuple[Floats, Floats]:
    """Return the passive moments (N m) of the right leg, the model's own and the measured ones: poses in rows."""
    legs = _right(anatomy)
    moments = _published(legs)
    equations = equations_of(model, compiled=False)
    columns = [equations.coordinates.index(flexion.coordinate) for flexion in legs.values()]
    count, controls = len(equations.coordinates), np.zeros(len(equations.controls))
    own, measured = [], []
    for angles in product(*(np.linspace(*used[joint], _POSES) for joint in _JOINTS)):
        pose = {flexion.coordinate: flexion.value(angle) for flexion, angle in zip(legs.values(), angles, strict=True)}
        lifted = anatomy.upright | pose | {anatomy.upward: _LIFTED}
        x = equations.state(lifted)
        rest = np.zeros(count)
        weights = equations.inverse_dynamics(x[:count], rest, rest)
        balance = equations.residual(x, np.zeros_like(x), controls)[count : 2 * count]
        own.append((weights - balance)[columns])
        measured.append([_value(moments[joint], pose) for joint in _JOINTS])
    return np.array(own), np.array(measured)


def _value(moment: PassiveMoment, pose: dict[str, float]) -> float:
    """Return a passive moment (N m) at rest."""
    angle = pose[moment.coordinate]
    exponents = [
        (term.size, term.rate * (angle - term.at) + sum(rate * pose[name] for name, rate in term.others.items()))
        for term in moment.terms
    ]
    return moment.constant + sum(size * float(np.exp(exponent)) for size, exponent in exponents)
