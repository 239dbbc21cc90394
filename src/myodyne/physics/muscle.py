"""One muscle as expressions: its tendon force, and the equations of its two states."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from myodyne.model import Muscle
from myodyne.model.muscles.muscle import STEEPEST
from myodyne.physics import activation
from myodyne.physics.curves import family, velocity_of
from myodyne.physics.spatial import SX

# Restoring force (maximal forces per optimal length) on fibres whose state is below the least length.
_PUSH = 10.0


@dataclass(frozen=True)
class Drive:
    """Inputs of one muscle: length (m) and lengthening speed (m/s) of its path, states, rates, excitation.

    ``projected`` is the fibre length along the tendon, ``s = L_ce cos φ``, in optimal lengths; ``state`` is that of
    the activation. A muscle with a rigid tendon ignores the former, one without activation dynamics the latter.
    """

    length: SX
    speed: SX
    projected: SX
    projected_rate: SX
    state: SX
    state_rate: SX
    excitation: SX


@dataclass(frozen=True)
class Response:
    """Outputs of one muscle: tension (N), and the residuals of contraction (maximal forces) and activation (1/s)."""

    tension: SX
    contraction: SX
    activation: SX
    fibre_length: SX
    fibre_velocity: SX
    cosine: SX
    active_state: SX
    contractile: SX
    parallel: SX


def respond(muscle: Muscle, drive: Drive) -> Response:
    """Return the response of a muscle: fibres in parallel with an elastic element, in series with the tendon.

    Forces balance along the tendon: ``(F_ce + F_pe + damping) cos φ = F_se`` (van den Bogert et al. 2011, Eq 4). Some
    fibres are held at zero length, or at the steepest pennation. With a rigid tendon they follow the path, and
    their force is the tension.
    """
    if not muscle.elastic:
        projected = (drive.length - muscle.tendon_slack_length) / muscle.optimal_fibre_length
        projected_rate = drive.speed / muscle.optimal_fibre_length
    else:
        (projected, push), projected_rate = _held(muscle, drive.projected), drive.projected_rate
    length, cosine = fibre_geometry(muscle, projected)
    velocity = projected_rate * cosine
    curves = family(muscle)
    active = activation.active_state(muscle, drive.state, drive.excitation, length)
    contractile = curves.contractile(muscle, length, velocity, active)
    parallel = curves.parallel(muscle, length)
    pull = (contractile + parallel + muscle.damping * velocity) * cosine
    if not muscle.elastic:
        tension, contraction = pull, SX(0)
    else:
        tension = curves.tendon(muscle, drive.length - projected * muscle.optimal_fibre_length)
        contraction = pull - push - tension
    change = drive.state_rate - activation.rate(muscle, drive.state, drive.excitation) if muscle.activated else SX(0)
    return Response(
        muscle.max_force * tension,
        contraction,
        change,
        length * muscle.optimal_fibre_length,
        velocity * muscle.optimal_fibre_length,
        cosine,
        active,
        contractile,
        parallel,
    )


def balanced_rate(muscle: Muscle, drive: Drive, response: Response) -> tuple[SX, SX, SX]:
    """Return the rate of the projected fibre length at which the forces of a muscle with an elastic tendon balance.

    Zero or not finite where no formula gives it: it is the initial guess of a search. Also returned are the residual of
    the contraction there, and its slope by the rate, zero where unknown.
    """
    velocity = velocity_of(muscle)
    if velocity is None:
        return SX(0), SX(0), SX(0)
    projected, push = _held(muscle, drive.projected)
    length, cosine = fibre_geometry(muscle, projected)
    force = (response.tension / muscle.max_force + push) / cosine - response.parallel
    found, missed, slope = velocity(muscle, length, response.active_state, force)
    return SX(found / cosine), SX(missed * cosine), SX(slope * cosine**2)


def fibre_geometry(muscle: Muscle, projected: SX) -> tuple[SX, SX]:
    """Return the fibre length (optimal lengths) and the cosine of the pennation angle.

    The thickness of the muscle is constant: ``L_ce sin φ = L_opt sin φ_opt``. So both are finite at any projected
    length, and without pennation the fibre is its own projection.
    """
    if isinstance(muscle.pennation, float) and muscle.pennation == 0.0:
        return projected, SX(1)
    thickness = ca.sin(muscle.pennation)
    length = ca.sqrt(projected**2 + thickness**2)
    return length, projected / length


def _held(muscle: Muscle, projected: SX) -> tuple[SX, SX]:
    """Return the projected fibre length, not below the least one, and the force that restores a state below it.

    The tendon force follows from fibres of the least length, as in OpenSim, which stops the state there.
    """
    if not muscle.holds_fibres:
        return projected, SX(0)
    # Not fmax of the two: a NaN state must stay NaN.
    short = ca.fmax(STEEPEST * ca.sin(muscle.pennation) - projected, 0)
    return projected + short, _PUSH * short
