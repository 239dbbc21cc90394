"""Springs and dampers: between points, on points and coordinates, along paths."""

from __future__ import annotations

import casadi as ca

from myodyne.model import (
    BlankevoortLigament,
    CoordinateLimit,
    CurveLigament,
    Drag,
    JointLimit,
    Ligament,
    PassiveMoment,
    PathSpring,
    PointSpring,
    TorsionSpring,
)
from myodyne.physics import joint_functions
from myodyne.physics.forces.applied import Applied, Effect
from myodyne.physics.forces.areas import area
from myodyne.physics.joint_functions import CoordinateJet
from myodyne.physics.paths import Paths
from myodyne.physics.spatial import SX, dot

# The strain over which the damping of a ligament sets in (Smith et al. 2016).
_DAMPED = 0.01


def point_spring(applied: Applied, spring: PointSpring) -> Effect:
    """Add a spring and damper between two points."""
    kinematics, start, end = applied.kinematics, spring.start, spring.end
    span = kinematics.point(end.body, end.at) - kinematics.point(start.body, start.at)
    # A spring of zero length has no direction; the tiny radius keeps the force finite and zero there.
    length = ca.sqrt(dot(span, span) + 1e-24)
    direction = span / length
    speed = dot(
        direction,
        kinematics.point_velocity(end.body, end.at) - kinematics.point_velocity(start.body, start.at),
    )
    stretch = length - spring.rest_length
    elastic = spring.stiffness * stretch
    tension = elastic + spring.damping * speed
    applied.push(start.body, start.at, direction * tension)
    applied.push(end.body, end.at, -direction * tension)
    return Effect(tension, -tension * speed, spring.stiffness * stretch**2 / 2, -elastic * speed)


def drag(applied: Applied, force: Drag) -> Effect:
    """Add a force against the velocity of a point of a body."""
    velocity = applied.kinematics.point_velocity(force.body, force.at)
    # The tiny speed keeps the gradient finite at rest.
    push = -force.coefficient * ca.sqrt(dot(velocity, velocity) + 1e-24) * velocity
    applied.push(force.body, force.at, push, external=True)
    return Effect(ca.norm_2(push), dot(push, velocity))


def torsion_spring(applied: Applied, spring: TorsionSpring) -> Effect:
    """Add a spring and damper on a coordinate."""
    coordinate = applied.kinematics.tree.coordinates[spring.coordinate]
    value, speed = coordinate.value, coordinate.rate
    elastic = -spring.stiffness * (value - spring.rest)
    effect = applied.on_coordinate(spring.coordinate, elastic - spring.damping * speed)
    effect.stored = spring.stiffness * (value - spring.rest) ** 2 / 2
    effect.conservative_power = elastic * speed
    return effect


def joint_limit(applied: Applied, limit: JointLimit) -> Effect:
    """Add a limit with a smooth onset centred on its position."""
    coordinate = applied.kinematics.tree.coordinates[limit.coordinate]
    value, speed = coordinate.value, coordinate.rate
    ramped = hyperbolic_ramp if limit.onset == "hyperbolic" else smooth_ramp
    elastic, damping, stored = SX(0), SX(0), SX(0)
    for sign, excess in ((-1, value - limit.upper), (1, limit.lower - value)):
        ramp, slope, area = ramped(excess, SX(limit.transition))
        beyond = ca.fmax(excess, 0)
        elastic = elastic + sign * (limit.stiffness * ramp + limit.curvature * beyond**2)
        damping = damping - limit.damping * slope * speed
        stored = stored + limit.stiffness * area + limit.curvature * beyond**3 / 3
    effect = applied.on_coordinate(limit.coordinate, elastic + damping)
    effect.stored = stored
    effect.conservative_power = elastic * speed
    return effect


def coordinate_limit(applied: Applied, limit: CoordinateLimit) -> Effect:
    """Add a limit with a smooth onset beyond its position."""
    coordinate = applied.kinematics.tree.coordinates[limit.coordinate]
    value, speed = coordinate.value, coordinate.rate
    elastic, damping, stored = SX(0), SX(0), SX(0)
    sides = ((-1, value - limit.upper, limit.upper_stiffness), (1, limit.lower - value, limit.lower_stiffness))
    for sign, excess, stiffness in sides:
        beyond = ca.fmax(excess, 0)
        x = ca.fmin(beyond / limit.transition, 1)
        step = x**3 * (10 - x * (15 - 6 * x))
        elastic = elastic + sign * stiffness * step * beyond
        damping = damping - limit.damping * step * speed
        # The integral of step times excess: within the transition, then of the full stiffness beyond it.
        within = limit.transition**2 * x**5 * (2 - x * (2.5 - x * (6 / 7)))
        farther = (ca.fmax(excess, limit.transition) ** 2 - limit.transition**2) / 2
        stored = stored + stiffness * (within + farther)
    effect = applied.on_coordinate(limit.coordinate, elastic + damping)
    effect.stored = stored
    effect.conservative_power = elastic * speed
    return effect


def passive_moment(applied: Applied, passive: PassiveMoment) -> Effect:
    """Add the passive moment of a joint; only terms of its own coordinate have a potential."""
    coordinates = applied.kinematics.tree.coordinates
    value, speed = coordinates[passive.coordinate].value, coordinates[passive.coordinate].rate
    elastic, shared, stored = SX(passive.constant), SX(0), -passive.constant * value
    for term in passive.terms:
        across = sum((rate * coordinates[name].value for name, rate in term.others.items()), SX(0))
        moment = term.size * ca.exp(term.rate * (value - term.at) + across)
        if term.others:
            shared = shared + moment
        else:
            elastic, stored = elastic + moment, stored - moment / term.rate
    effect = applied.on_coordinate(passive.coordinate, elastic + shared - passive.damping * speed)
    effect.stored, effect.conservative_power = stored, elastic * speed
    return effect


def ligament(applied: Applied, paths: Paths, row: int, band: Ligament) -> Effect:
    """Add a band whose corner at slack length is a hyperbola."""
    length, speed = paths.lengths[row], paths.speeds[row]
    ramp, slope, area = hyperbolic_ramp(length - band.slack_length, SX(band.toe))
    elastic = band.stiffness * ramp
    # A band that shortens faster than it recoils is slack.
    tension = ca.fmax(elastic + band.damping * slope * speed, 0)
    effect = applied.along(paths, row, tension)
    effect.stored, effect.conservative_power = band.stiffness * area, -elastic * speed
    return effect


def path_spring(applied: Applied, paths: Paths, row: int, spring: PathSpring) -> Effect:
    """Add a spring that is slack below its rest length, with damping proportional to its stretch."""
    speed = paths.speeds[row]
    stretch = ca.fmax(paths.lengths[row] - spring.rest_length, 0)
    elastic = spring.stiffness * stretch
    effect = applied.along(paths, row, elastic * (1 + spring.dissipation * speed))
    effect.stored, effect.conservative_power = elastic * stretch / 2, -elastic * speed
    return effect


def curve_ligament(applied: Applied, paths: Paths, row: int, band: CurveLigament) -> Effect:
    """Add a ligament whose tension is a curve of its length over its slack length."""
    ratio = paths.lengths[row] / band.slack_length
    curve = joint_functions.jet(band.curve, {"length": CoordinateJet(ratio, SX(1, 0), SX(0), SX(0))}, 0)
    tension = ca.if_else(ratio > 1, band.scale * curve.value, 0)
    effect = applied.along(paths, row, tension)
    below = area(ca.fmax(ratio, 1), band.curve) - area(SX(1), band.curve)
    effect.stored = band.scale * band.slack_length * below
    effect.conservative_power = effect.power
    return effect


def blankevoort_ligament(applied: Applied, paths: Paths, row: int, band: BlankevoortLigament) -> Effect:
    """Add a ligament whose tension is a parabola of its strain, and then a straight line."""
    strain = paths.lengths[row] / band.slack_length - 1
    rate = paths.speeds[row] / band.slack_length
    toe = ca.fmin(ca.fmax(strain, 0), band.transition_strain)
    beyond = ca.fmax(strain - band.transition_strain, 0)
    elastic = band.stiffness * (toe**2 / (2 * band.transition_strain) + beyond)
    x = ca.fmin(ca.fmax(strain, 0) / _DAMPED, 1)
    damped = band.damping * ca.fmax(rate, 0) * x**3 * (10 - x * (15 - 6 * x))
    effect = applied.along(paths, row, elastic + damped)
    within = toe**3 / (6 * band.transition_strain) + beyond * (band.transition_strain + beyond) / 2
    effect.stored = band.stiffness * band.slack_length * within
    effect.conservative_power = -elastic * paths.speeds[row]
    return effect


def smooth_ramp(x: SX, width: SX) -> tuple[SX, SX, SX]:
    """Return max(x, 0) with its corner rounded over ``width`` to either side, its slope, and its integral.

    A quartic joins the two straight pieces with continuous curvature: y³(4w - y)/16w³ with y = x + w. Below -w all
    three are exactly zero: a limit must not act on a joint far from it.
    """
    y = ca.fmin(ca.fmax(x + width, 0), 2 * width)
    beyond = ca.fmax(x - width, 0)
    cube = 16 * width**3
    ramp = y**3 * (4 * width - y) / cube + beyond
    slope = y**2 * (12 * width - 4 * y) / cube
    area = y**4 * (width - y / 5) / cube + beyond * (width + beyond / 2)
    return ramp, slope, area


def hyperbolic_ramp(x: SX, width: SX) -> tuple[SX, SX, SX]:
    """Return max(x, 0) with its corner rounded to a hyperbola, its slope, and its integral from zero."""
    root = ca.sqrt(x**2 + width**2)
    return (x + root) / 2, (1 + x / root) / 2, (x**2 + x * root + width**2 * ca.asinh(x / width)) / 4
