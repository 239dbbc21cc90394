"""The shortest ways over cylinders and spheres without a compiler: the twin of ``runtime/wrap_shortest.c``."""

from __future__ import annotations

import math

import numpy as np

from myodyne.equations.wrapping_numbers import (
    INSIDE,
    MET,
    MUST,
    SINKS,
    STRAIGHT,
    TURN,
    Curve,
    Dual,
    Dual3,
    Found,
    Way,
    add,
    along,
    angle_of,
    constant,
    cosine,
    cross,
    dot,
    root,
    sine,
    sub,
    unit,
    values,
)

_SUNK = 1e-3
_ON_SURFACE = 1e-12


def _shrunk(k: Dual, found: Found) -> Found:
    code, way = found
    if way is None:
        return found
    c = way.curve
    curve = Curve(k.v * c.centre, k.v * c.a, k.v * c.b, k.v * c.rise, c.start, c.turn)
    return code, Way(along(k, way.touch), along(k, way.leave), k * way.length, curve)


def _off_axis(p: Dual3) -> Dual:
    return root(p[0] * p[0] + p[1] * p[1])


def _tangent_from(distance: Dual, radius: float) -> Dual:
    square = distance * distance - radius * radius
    return root(square) if square.v > _ON_SURFACE * radius * radius else constant(0.0)


def _helix(size: tuple[float, float], wanted: float, sided: bool, p: Dual3, q: Dual3) -> Found:
    radius, length = size
    tp, tq = _tangent_from(_off_axis(p), radius), _tangent_from(_off_axis(q), radius)
    opening = angle_of(tp, constant(radius)), angle_of(tq, constant(radius))
    at_p, at_q = (Dual(math.remainder(at.v - wanted, TURN) + wanted, at.d)
                  for at in (angle_of(p[1], p[0]), angle_of(q[1], q[0])))
    apart = at_q - at_p
    if not sided:
        apart = Dual(math.remainder(apart.v, TURN), apart.d)
    sense = -1.0 if apart.v < 0.0 else 1.0
    turn = sense * apart - (opening[0] + opening[1])
    if not turn.v > 0.0:
        return STRAIGHT, None
    from_ = at_p + sense * opening[0]
    to = from_ + sense * turn
    slope = (q[2] - p[2]) / (tp + radius * turn + tq)
    r = radius * cosine(from_), radius * sine(from_), p[2] + tp * slope
    s = radius * cosine(to), radius * sine(to), q[2] - tq * slope
    if abs(r[2].v) > 0.5 * length and abs(s[2].v) > 0.5 * length:
        return STRAIGHT, None
    over = radius * turn * root(slope * slope + 1.0)
    curve = Curve(np.array([0.0, 0.0, r[2].v]), np.array([radius, 0.0, 0.0]), np.array([0.0, radius, 0.0]),
                  np.array([0.0, 0.0, s[2].v - r[2].v]), from_.v, sense * turn.v)
    return (MUST if abs(apart.v) < 0.5 * TURN else MET), Way(r, s, over, curve)


def helix(size: tuple[float, float, float], half: tuple[int, int], how: int, p: Dual3, q: Dual3) -> Found:
    """Return the shortest way over a cylinder about the z axis."""
    radius, (axis, side) = size[0], half
    side = 0 if axis > 1 else side
    wanted = (0.25 * TURN if axis else 0.0) + (0.5 * TURN if side < 0 else 0.0) if side else 0.0
    k = min((1.0 / radius * _off_axis(p), 1.0 / radius * _off_axis(q)), key=lambda distance: distance.v)
    if k.v >= 1.0:
        return _helix((radius, size[1]), wanted, bool(side), p, q)
    if how != SINKS or k.v < _SUNK:
        return INSIDE, None
    enlarged = constant(1.0) / k
    return _shrunk(k, _helix((radius, size[1] / k.v), wanted, bool(side), along(enlarged, p), along(enlarged, q)))


def _over_section(radius: float, p: Dual3, q: Dual3, edge: Dual3, out: Dual3) -> Way | None:
    height, ends = dot(p, out), (dot(p, edge), dot(q, edge))
    centre = sub(sub(p, along(ends[0], edge)), along(height, out))
    square = radius * radius - dot(centre, centre)
    if not square.v > 0.0:
        return None
    r, angles = root(square), []
    for end, sense in zip(ends, (-1.0, 1.0), strict=True):
        rest, at = end * end + height * height - square, angle_of(height, end)
        at = Dual(at.v + TURN, at.d) if at.v < -0.25 * TURN else at
        angles.append(at + sense * angle_of(root(rest), r) if rest.v > _ON_SURFACE * radius * radius else at)
    turn = angles[1] - angles[0]
    if not turn.v < 0.0:
        return None
    a, b = along(r, edge), along(r, out)
    touch, leave = (add(centre, add(along(cosine(at), a), along(sine(at), b))) for at in angles)
    return Way(touch, leave, -(r * turn), Curve(values(centre), values(a), values(b), np.zeros(3), angles[0].v, turn.v))


def _whole(p: Dual3, q: Dual3, way: Way) -> float:
    return math.dist(values(p), values(way.touch)) + way.length.v + math.dist(values(q), values(way.leave))


def _circle(radius: float, half: tuple[int, int], p: Dual3, q: Dual3) -> Way | None:
    axis, side = half
    edge = sub(q, p)
    if not dot(edge, edge).v > 0.0:
        return None
    edge = unit(edge)
    off = sub(p, along(dot(p, edge), edge))
    if dot(off, off).v < 1e-18 * radius * radius:
        towards = _direction(axis if side else int(np.argmin(np.abs(values(edge)))), float(side or 1))
        off = sub(towards, along(dot(towards, edge), edge))
        if dot(off, off).v < 1e-18:
            return None
    if not side or side * off[axis].v >= 0.0:
        return _over_section(radius, p, q, edge, unit(off))
    out = cross(edge, _direction(axis, 1.0))
    if dot(out, out).v < 1e-18:
        return None
    out = unit(out)
    one = _over_section(radius, p, q, edge, out)
    other = _over_section(radius, p, q, edge, along(-1.0, out))
    if one is None or other is None:
        return None
    return other if _whole(p, q, other) < _whole(p, q, one) else one


def _direction(axis: int, sign: float) -> Dual3:
    return constant(sign * (axis == 0)), constant(sign * (axis == 1)), constant(sign * (axis == 2))


def circle(radius: float, half: tuple[int, int], how: int, p: Dual3, q: Dual3) -> Found:
    """Return the shortest way over a sphere."""
    k = min((1.0 / radius * root(dot(p, p)), 1.0 / radius * root(dot(q, q))), key=lambda distance: distance.v)
    if k.v >= 1.0:
        way = _circle(radius, half, p, q)
        return (STRAIGHT if way is None else MET), way
    if how != SINKS or k.v < _SUNK:
        return INSIDE, None
    enlarged = constant(1.0) / k
    way = _circle(radius, half, along(enlarged, p), along(enlarged, q))
    return _shrunk(k, (STRAIGHT if way is None else MET, way))
