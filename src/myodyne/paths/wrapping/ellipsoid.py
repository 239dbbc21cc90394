"""Paths over ellipsoids without a compiler.

The counterpart in NumPy of ``native/wrapping/wrap_ellipsoid.c``, which gives the reasons.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from myodyne.paths.wrapping.dual_numbers import (
    INSIDE,
    MUST,
    STRAIGHT,
    TURN,
    Curve,
    Dual,
    Dual3,
    SurfaceSegment,
    WrapResult,
    add,
    along,
    angle_of,
    constant,
    cosine,
    dot,
    root,
    sign_of,
    sine,
    sub,
    unit,
    values,
)
from myodyne.types import Floats

_HYBRID, _MIDPOINT, _AXIAL = range(3)
_FAN_ONLY, _AXIS_ONLY, _FADE = 0.7073, 0.9, 0.3
_NODES = (0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363)
_WEIGHTS = (0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763)
_QUADRATURE = [(sign * node, weight) for sign in (1.0, -1.0) for node, weight in zip(_NODES, _WEIGHTS, strict=True)]


@dataclass(frozen=True)
class _Axes:
    a: tuple[float, float, float]

    @property
    def least(self) -> int:
        return int(np.argmin(self.a))


def _nearest(e: _Axes, u: Dual3, flat: int) -> Dual3:
    squares = [a * a for a in e.a]
    kept = [i for i in range(3) if i != flat]
    least = (e.least + 1) % 3 if flat == e.least else e.least
    for i in kept:
        if e.a[i] < e.a[least]:
            least = i
    t = max(e.a[i] * abs(u[i].v) - squares[i] for i in kept)
    slope, found = 0.0, False
    for step in range(60):
        value, slope = -1.0, 0.0
        for i in kept:
            shifted = squares[i] + t
            if shifted <= 0.0 or u[i].v == 0.0:
                continue
            ratio = e.a[i] * u[i].v / shifted
            value, slope = value + ratio * ratio, slope - 2.0 * ratio * ratio / shifted
        if value < -1e-13 and step == 0:
            break
        found = True
        if slope == 0.0:
            break
        change = value / slope
        t -= change
        if abs(change) < 1e-15 * (abs(t) + squares[least]):
            break
    if not found:
        return _on_sheet(e, u, flat, least)
    shift = constant(t)
    if slope != 0.0:
        by = np.zeros(6)
        for i in kept:
            shifted = squares[i] + t
            if shifted > 0.0:
                by = by + 2.0 * squares[i] * u[i].v * u[i].d / (shifted * shifted)
        shift = Dual(t, -by / slope)
    c = [u[i] if i == flat else squares[i] * u[i] / (shift + squares[i]) for i in range(3)]
    return c[0], c[1], c[2]


def _on_sheet(e: _Axes, u: Dual3, flat: int, least: int) -> Dual3:
    rest, c = constant(1.0), [u[0], u[1], u[2]]
    for i in range(3):
        if i in (least, flat):
            continue
        square = e.a[i] * e.a[i]
        gap = square - e.a[least] * e.a[least]
        c[i] = square / gap * u[i] if gap > 1e-12 else constant(0.0)
        part = 1.0 / e.a[i] * c[i]
        rest = rest - part * part
    c[least] = sign_of(u[least].v) * e.a[least] * root(rest)
    return c[0], c[1], c[2]


def _on_line(start: Dual3, step: Dual3, t: Dual) -> Dual3:
    return add(start, along(t, step))


def _fan(e: _Axes, start: Dual3, step: Dual3) -> Dual3:
    total = constant(0.0), constant(0.0), constant(0.0)
    places = [constant(0.5 / 300.0), constant(298.5 / 300.0)]

    def insert(place: Dual) -> None:
        if places[0].v < place.v < places[-1].v:
            places.append(place)
            places.sort(key=lambda one: one.v)

    i, j, k = e.least, (e.least + 1) % 3, (e.least + 2) % 3
    j = k if e.a[k] < e.a[j] else j
    if e.a[j] > e.a[i] * (1.0 + 1e-9) and step[i].v != 0.0:
        insert(-start[i] / step[i])
    if e.a[j] < 1.05 * e.a[i]:
        x, y, dx, dy = start[i].v, start[j].v, step[i].v, step[j].v
        speed = dx * dx + dy * dy
        passed, width = -(x * dx + y * dy) / speed, max(abs(x * dy - y * dx) / speed, 1e-3)
        while width < 0.3:
            insert(constant(passed - width))
            insert(constant(passed + width))
            width *= 4.0
    for first, last in pairwise(places):
        half, middle = 0.5 * (last - first), 0.5 * (first + last)
        for node, weight in _QUADRATURE:
            at = _on_line(start, step, middle + node * half)
            total = add(total, along(weight * half, unit(sub(_nearest(e, at, -1), at))))
    return unit(total)


@dataclass(frozen=True)
class _Choice:
    third: Dual3
    weight: Dual
    shorter: bool = False


def _third_point(e: _Axes, start: Dual3, step: Dual3, direction: Dual3, method: int) -> _Choice:
    lean = [float(sign_of(part.v)) * part for part in direction]
    best = max(range(3), key=lambda i: lean[i].v)
    mu, none, one = lean[best], constant(0.0), constant(1.0)
    middle = _on_line(start, step, constant(0.5))
    if method == _MIDPOINT:
        return _Choice(_nearest(e, middle, -1), none)
    at = (none - start[best]) / step[best]
    shorter = method == _AXIAL and not 0.0 < at.v < 1.0
    if method == _HYBRID and mu.v > _FAN_ONLY:
        fade = one
        if at.v < 0.0 or at.v > 1.0:
            fade = none
        elif at.v < _FADE:
            fade = 1.0 / _FADE * at
        elif at.v > 1.0 - _FADE:
            fade = 1.0 / _FADE * (one - at)
        mu = fade * (mu - _FAN_ONLY) + _FAN_ONLY
    axial = middle
    if method == _AXIAL or mu.v > _FAN_ONLY:
        axial = _nearest(e, _on_line(start, step, at), best)
    if method == _AXIAL or mu.v >= _AXIS_ONLY:
        return _Choice(axial, none, shorter)
    spread = _nearest(e, add(middle, _fan(e, start, step)), -1)
    if mu.v <= _FAN_ONLY:
        return _Choice(spread, one)
    weight = 1.0 / (_AXIS_ONLY - _FAN_ONLY) * (_AXIS_ONLY - mu)
    return _Choice(_nearest(e, add(along(one - weight, axial), along(weight, spread)), -1), weight)


def _to_half(e: _Axes, axis: int, side: int, choice: _Choice) -> _Choice:
    if sign_of(choice.third[axis].v) == side:
        return choice
    third = list(choice.third)
    third[axis] = -third[axis]
    if choice.weight.v <= 0.0:
        return _Choice((third[0], third[1], third[2]), choice.weight)
    third[axis] = (1.0 - choice.weight) * third[axis]
    flat = axis if third[axis].v == 0.0 else -1
    return _Choice(_nearest(e, (third[0], third[1], third[2]), flat), choice.weight)


def _arc(a: Dual3, b: Dual3, from_: Dual, turn: Dual) -> Dual:
    pieces = 1 + int(abs(turn.v) / 0.4)
    total, half = constant(0.0), 0.5 / pieces * turn
    aa, bb, ab = dot(a, a), dot(b, b), dot(a, b)
    for piece in range(pieces):
        for node, weight in _QUADRATURE:
            at = from_ + (2 * piece + 1 + node) * half
            c, s = cosine(at), sine(at)
            speed = s * s * aa + c * c * bb - 2.0 * (s * c * ab)
            total = total + weight * (half * root(speed))
    return total


def _in_plane(e: _Axes, p: Dual3, q: Dual3, choice: _Choice, scale: float) -> WrapResult:
    def shrunk(x: Dual3) -> Dual3:
        return 1.0 / e.a[0] * x[0], 1.0 / e.a[1] * x[1], 1.0 / e.a[2] * x[2]

    u, v, w = shrunk(p), shrunk(q), shrunk(choice.third)
    edge, out = unit(sub(v, u)), sub(w, u)
    out = sub(out, along(dot(out, edge), edge))
    if dot(out, out).v < 1e-18:
        return STRAIGHT, None
    out = unit(out)
    if choice.shorter and dot(u, out).v < 0.0:
        out = along(-1.0, out)
    up, vp, height = dot(u, edge), dot(v, edge), dot(u, out)
    centre = sub(sub(u, along(up, edge)), along(height, out))
    square = 1.0 - dot(centre, centre)
    radius = root(square)
    du, dv = up * up + height * height, vp * vp + height * height
    from_, to = angle_of(height, up), angle_of(height, vp)
    if du.v > square.v:
        from_ = from_ - angle_of(root(du - square), radius)
    if dv.v > square.v:
        to = to + angle_of(root(dv - square), radius)
    from_, to = (Dual(at.v + TURN, at.d) if at.v < -0.25 * TURN else at for at in (from_, to))
    turn = to - from_
    turn = Dual(min(turn.v, 0.0), turn.d)

    def grown(x: Dual3) -> Dual3:
        return scale * e.a[0] * x[0], scale * e.a[1] * x[1], scale * e.a[2] * x[2]

    a, b, c = grown(along(radius, edge)), grown(along(radius, out)), grown(centre)
    touch, leave = (add(c, add(along(cosine(at), a), along(sine(at), b))) for at in (from_, to))
    curve = Curve(values(c), values(a), values(b), np.zeros(3), from_.v, turn.v)
    return MUST, SurfaceSegment(touch, leave, -_arc(a, b, from_, turn), curve)


def ellipsoid(size: tuple[float, float, float], half: tuple[int, int], method: int, p: Dual3, q: Dual3) -> WrapResult:
    """Return the path over an ellipsoid with half axes ``size``."""
    scale = sum(size) / 3.0
    e = _Axes((size[0] / scale, size[1] / scale, size[2] / scale))
    u, v = along(1.0 / scale, p), along(1.0 / scale, q)
    axes: Floats = np.array(e.a)
    here, there = values(u), values(v)
    f, g = (here - there) / axes, there / axes
    a, b, c = float(f @ f), 2.0 * float(f @ g), float(g @ g) - 1.0
    if float((here / axes) @ (here / axes)) - 1.0 < -1e-4 or c < -1e-4:
        return INSIDE, None
    if abs(here @ there / math.sqrt((here @ here) * (there @ there)) - 1.0) < 1e-4:
        return STRAIGHT, None
    inside = b * b - 4.0 * a * c
    if inside < 0.0:
        return STRAIGHT, None
    if not all(0.0 < (-b + sign * math.sqrt(inside)) / (2.0 * a) < 1.0 for sign in (1.0, -1.0)):
        return STRAIGHT, None
    line = sub(u, v)
    fd = 1.0 / e.a[0] * line[0], 1.0 / e.a[1] * line[1], 1.0 / e.a[2] * line[2]
    gd = 1.0 / e.a[0] * v[0], 1.0 / e.a[1] * v[1], 1.0 / e.a[2] * v[2]
    da, db, dc = dot(fd, fd), dot(fd, gd), dot(gd, gd) - 1.0
    spread = root(db * db - da * dc)
    near, length = (spread - db) / da, -2.0 * spread / da
    choice = _third_point(e, _on_line(v, line, near), along(length, line), unit(line), method)
    if half[1]:
        choice = _to_half(e, half[0], half[1], choice)
    return _in_plane(e, u, v, choice, scale)
