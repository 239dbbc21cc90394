"""Paths over cylinders, spheres and tori without a compiler.

The counterpart in NumPy of ``native/wrapping/wrap_cylinder.c`` and its neighbours, which give the reasons. The order of
operations is the same, so that the numbers are too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from myodyne.paths.wrapping.dual_numbers import (
    AMONG_OTHERS,
    INSIDE,
    MET,
    MISSED,
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
    cross,
    dot,
    root,
    sign_of,
    sine,
    sub,
    unit,
    values,
)
from myodyne.types import Floats

_PIECE, _SINE_OF_TANGENT, _ENDLESS, _LOOSE = 0.002, 0.0017453283658983088, 10000.0, 1e-4


def cylinder_outcome(radius: float, half: tuple[int, int], a: Floats, b: Floats) -> int:
    """Return how a straight piece meets an infinite cylinder."""
    axis, side = half
    if a[0] ** 2 + a[1] ** 2 < radius**2 or b[0] ** 2 + b[1] ** 2 < radius**2:
        return INSIDE
    near, step = a, b - a
    across, hit = step[0] ** 2 + step[1] ** 2, False
    if across >= 1e-26:
        t = -(a[0] * step[0] + a[1] * step[1]) / across
        near = a + t * step
        hit = bool(near[0] ** 2 + near[1] ** 2 < radius**2 and 0.0 < t < 1.0)
    if not side:
        return MUST if hit else STRAIGHT
    if side not in (sign_of(a[axis]), sign_of(b[axis])):
        return MET
    if hit:
        return MUST
    return STRAIGHT if sign_of(a[axis]) == sign_of(b[axis]) or sign_of(near[axis]) == side else MET


def _touches(p: Floats, radius: float) -> tuple[Floats, Floats]:
    around, opening = math.atan2(p[1], p[0]), math.acos(min(1.0, radius / math.hypot(p[0], p[1])))
    return tuple(  # type: ignore[return-value]
        np.array([radius * math.cos(at), radius * math.sin(at), p[2]]) for at in (around + opening, around - opening)
    )


def _turn_on_half(p: Floats, q: Floats, radius: float, half: tuple[int, int]) -> tuple[int, bool]:
    axis, side = half
    (sa, sb), (ea, eb) = _touches(p, radius), _touches(q, radius)

    def between(a: Floats, b: Floats) -> float:
        c = float((a[0] * b[0] + a[1] * b[1]) / math.sqrt((a[0] ** 2 + a[1] ** 2) * (b[0] ** 2 + b[1] ** 2)))
        return math.acos(max(-1.0, min(1.0, c)))

    left = between(sa, eb) > between(sb, ea)
    first, second = sign_of(sa[axis]) == side, sign_of(sb[axis]) == side
    if first != second:
        sense = 1 if first else -1
    elif sign_of(ea[axis]) == side:
        sense = -1
    elif first or sign_of(eb[axis]) == side:
        sense = 1
    else:
        return (1 if left else -1), True
    return sense, left if sense > 0 else not left


def _slide(p: Dual3, q: Dual3, radius: float, share: Dual, points: tuple[Dual3, Dual3]) -> tuple[Dual3, Dual3]:
    r, s = points
    middle = add(p, along(share, sub(q, p)))
    off = root(middle[0] * middle[0] + middle[1] * middle[1])
    apex = radius * (middle[0] / off), radius * (middle[1] / off), middle[2]
    n = cross(sub(p, apex), sub(q, apex))
    rise = abs(q[2].v - p[2].v)
    if 20.0 * abs(n[2].v) < 1e-5 * float(np.linalg.norm(values(n))):
        return r, s
    moved = []
    for end, other in ((r, q), (s, p)):
        z = p[2] + (n[0] * (p[0] - end[0]) + n[1] * (p[1] - end[1])) / n[2]
        fits = abs(z.v - end[2].v) <= 10.0 and abs(z.v - other[2].v) < rise
        moved.append((end[0], end[1], z) if fits else end)
    return moved[0], moved[1]


def _settle(
    ends: tuple[Dual3, Dual3], radius: float, turn: tuple[Dual, Dual], r: Dual3, s: Dual3
) -> tuple[Dual3, Dual3]:
    from_, around = turn
    points, before, chord, shares = [r, s], 0, 0.0, [constant(0.0)] * 2
    across = [math.hypot(point[0].v - end[0].v, point[1].v - end[1].v) for point, end in zip(points, ends, strict=True)]
    for _ in range(100):
        rise = points[1][2] - points[0][2]
        pieces, moved = int(math.sqrt((radius * around.v) ** 2 + rise.v**2) / _PIECE), False
        if pieces < 2:
            break
        portions = 1.0 / pieces, 1.0 - 1.0 / pieces
        if pieces != before:
            for i, end in enumerate(ends):
                at = from_ + portions[i] * around
                dx, dy = radius * cosine(at) - end[0], radius * sine(at) - end[1]
                ex, ey = points[i][0] - end[0], points[i][1] - end[1]
                shares[i] = (ex * dx + ey * dy) / (dx * dx + dy * dy)
            chord, before = 2.0 * radius * abs(math.sin(0.5 * around.v / pieces)), pieces
        for i, end in enumerate(ends):
            height = points[i][2]
            following = points[0][2] + portions[i] * rise
            up, next_up = height.v - end[2].v, following.v - height.v
            sizes = math.sqrt((across[i] ** 2 + up**2) * (chord**2 + next_up**2))
            sine_of, cosine_of = across[i] * next_up - up * chord, across[i] * chord + up * next_up
            if cosine_of > 0.0 and abs(sine_of) <= _SINE_OF_TANGENT * sizes:
                continue
            z = end[2] + shares[i] * (following - end[2])
            points[i] = points[i][0], points[i][1], -0.5 * height + 1.5 * z
            moved = True
        if not moved:
            break
    return points[0], points[1]


def cylinder(size: tuple[float, float, float], half: tuple[int, int], how: int, p: Dual3, q: Dual3) -> WrapResult:
    """Return the path over a cylinder about the z axis."""
    radius, length, side = size[0], size[1], half[1]
    a, b = values(p), values(q)
    code = cylinder_outcome(radius, half, a, b)
    if code not in (MET, MUST):
        return code, None
    dp, dq = root(p[0] * p[0] + p[1] * p[1]), root(q[0] * q[0] + q[1] * q[1])
    tp, tq = root(dp * dp - radius * radius), root(dq * dq - radius * radius)
    open_p, open_q = angle_of(tp, constant(radius)), angle_of(tq, constant(radius))
    at_p, at_q = angle_of(p[1], p[0]), angle_of(q[1], q[0])
    far = False
    if side:
        sense, far = _turn_on_half(a, b, radius, half)
    else:
        apart, opening = at_q.v - at_p.v, open_p.v + open_q.v
        sense = 1 if math.cos(apart - opening) >= math.cos(apart + opening) else -1
    from_, to = (at_p + open_p, at_q - open_q) if sense > 0 else (at_p - open_p, at_q + open_q)
    turn = float(sense) * (to - from_)
    full = math.fmod(turn.v, TURN)
    full = full + TURN if full < 0.0 else full
    turn = Dual(0.0 if not side and full > TURN - 1e-6 else full, turn.d)

    r = radius * cosine(from_), radius * sine(from_), p[2]
    s = radius * cosine(to), radius * sine(to), q[2]
    r, s = _slide(p, q, -radius if far else radius, dp / (dp + dq), (r, s))
    if abs(r[2].v) > 0.5 * length and abs(s[2].v) > 0.5 * length:
        return STRAIGHT, None
    around = float(sense) * turn
    if sense > 0 and turn.v > 0.5 * TURN:
        around = around - 2.0 * TURN
    if how == AMONG_OTHERS:
        r, s = _settle((p, q), radius, (from_, around), r, s)
    arc, rise = radius * around, s[2] - r[2]
    length_over = root(arc * arc + rise * rise)
    if length_over.v < 1e-10:
        length_over = radius * turn
    curve = Curve(
        np.array([0.0, 0.0, r[2].v]),
        np.array([radius, 0.0, 0.0]),
        np.array([0.0, radius, 0.0]),
        np.array([0.0, 0.0, rise.v]),
        from_.v,
        sense * turn.v,
    )
    return code, SurfaceSegment(r, s, length_over, curve)


def _meets(p: Floats, q: Floats, radius: float) -> bool:
    d = p - q
    a, b, c = float(d @ d), 2.0 * float(q @ d), float(q @ q) - radius * radius
    inside = b * b - 4.0 * a * c
    if inside < 0.0:
        return False
    return all(0.0 < (-b + sign * math.sqrt(inside)) / (2.0 * a) < 1.0 for sign in (1.0, -1.0))


def sphere(radius: float, half: tuple[int, int], p: Dual3, q: Dual3) -> WrapResult:
    """Return the path over a sphere."""
    axis, side = half
    a, b = values(p), values(q)
    if math.sqrt(a @ a) < radius or math.sqrt(b @ b) < radius:
        return INSIDE, None
    if not _meets(a, b, radius):
        return STRAIGHT, None
    dp, dq, u, n = root(dot(p, p)), root(dot(q, q)), unit(p), cross(p, q)
    if math.sqrt(float(values(n) @ values(n))) < 1e-9 * dp.v * dq.v:
        least = int(np.argmin(np.abs(values(u))))
        anything = [constant(float(i == least)) for i in range(3)]
        n = cross(p, (anything[0], anything[1], anything[2]))
    w = cross(unit(n), u)
    apart = angle_of(dot(q, w), dot(q, u))
    open_p = angle_of(root(dp * dp - radius * radius), constant(radius))
    open_q = angle_of(root(dq * dq - radius * radius), constant(radius))
    code, sense = MET, 1
    if side:
        one, two = sign_of(a[axis]) == side, sign_of(b[axis]) == side
        if one or two:
            step = b - a
            t, size = -float(a @ step), math.sqrt(step @ step)
            there = sign_of(a[axis] + t / (size * size) * step[axis])
            if 0.0 < t / size < 1.0:
                code = MUST
            elif one == two or there == side:
                return STRAIGHT, None
        if not one or not two:
            lead = sum(
                radius * (math.cos(at) * u[axis].v + math.sin(at) * w[axis].v) - end[axis]
                for at, end in ((-open_p.v, a), (apart.v + open_q.v, b))
            )
            sense = -1 if lead * side >= 0.0 else 1
    from_, to = (open_p, apart - open_q) if sense > 0 else (-open_p, apart + open_q)
    turn = float(sense) * (to - from_) + (TURN if sense < 0 else 0.0)
    turn = Dual(max(turn.v, 0.0), turn.d)
    touch, leave = (add(along(radius * cosine(at), u), along(radius * sine(at), w)) for at in (from_, to))
    length = radius * turn
    if turn.v > 0.5 * TURN:
        length = -length
    curve = Curve(np.zeros(3), radius * values(u), radius * values(w), np.zeros(3), from_.v, sense * turn.v)
    return code, SurfaceSegment(touch, leave, length, curve)


@dataclass(frozen=True)
class _NearLine:
    pn: float
    c3: float
    c4: float
    c5: float
    ring: float

    def condition(self, u: float) -> tuple[float, float]:
        off = math.sqrt(max(u * u * self.c4 + 2.0 * self.c3 * u + self.c5, 1e-30))
        rate = (self.c4 * u + self.c3) / off
        return self.pn + u - 2.0 * self.ring * rate, 1.0 - 2.0 * self.ring * (self.c4 - rate * rate) / off

    def damped_minimum(self) -> float:
        u, scale, reach, damping, moved = 0.0, 0.0, 0.2, 0.0, False
        value, slope = (2.0 * part for part in self.condition(u))
        for _ in range(500):
            if value == 0.0 or slope == 0.0:
                break
            scale = max(scale, abs(slope))
            size = abs(value / slope)
            if scale * size <= 1.1 * reach:
                damping = 0.0
            else:
                least = (scale * size / reach - 1.0) * slope * slope / (scale * scale)
                damping = min(max(damping, least), abs(slope * value) / (scale * reach))
                size = abs(slope * value) / (slope * slope + damping * scale * scale)
                if abs(scale * size - reach) > 0.1 * reach:
                    damping, size = least, reach / scale
            if not moved:
                reach = min(reach, scale * size)
            following = u + (-size if slope * value > 0.0 else size)
            value_there, slope_there = (2.0 * part for part in self.condition(following))
            rest = value_there / value
            gain = 1.0 - rest * rest if abs(rest) < 10.0 else -1.0
            linear, damped = (slope * size / value) ** 2, damping * (scale * size / value) ** 2
            promise = linear + 2.0 * damped
            kept = gain / promise
            if kept <= 0.25:
                share = 0.5 if gain >= 0.0 else 0.5 * (linear + damped) / (linear + damped - 0.5 * gain)
                share = 0.1 if abs(rest) >= 10.0 or share < 0.1 else share
                reach, damping = share * min(reach, 10.0 * scale * size), damping / share
            elif damping == 0.0 or kept >= 0.75:
                reach, damping = 2.0 * scale * size, 0.5 * damping
            if kept >= 1e-4:
                u, value, slope, moved = following, value_there, slope_there, True
            if (abs(gain) <= _LOOSE and promise <= _LOOSE and kept <= 2.0) or reach <= _LOOSE * scale * abs(u):
                break
        return u

    def turning(self, u: float) -> float:
        off = math.cbrt(2.0 * self.ring * (self.c4 * self.c5 - self.c3 * self.c3))
        square = self.c3 * self.c3 - self.c4 * (self.c5 - off * off)
        if square <= 0.0 or self.c4 < 1e-12:
            return math.inf
        return (-self.c3 + math.copysign(math.sqrt(square), self.c4 * u + self.c3)) / self.c4

    def settled(self, u: float) -> tuple[float, bool]:
        value, slope = self.condition(u)
        turn = self.turning(u)
        if abs(turn - u) * abs(slope) < abs(value):
            return turn, True
        for _ in range(20):
            if slope == 0.0 or abs(value) <= 1e-16 * (abs(self.pn) + self.ring):
                break
            value_there, slope_there = self.condition(u - value / slope)
            if abs(value_there) >= abs(value):
                break
            u, value, slope = u - value / slope, value_there, slope_there
        return u, False


def _nearest_to_ring(ring: float, half: tuple[int, int], a: Floats, b: Floats) -> tuple[float, bool, Floats] | None:
    axis, side = half
    span = math.sqrt((b - a) @ (b - a))
    if not span > 0.0:
        return None
    least, best = math.inf, None
    for start, n, sense in ((a, (b - a) / span, 1.0), (b, (a - b) / span, -1.0)):
        line = _NearLine(
            float(start @ n), float(start[:2] @ n[:2]), float(n[:2] @ n[:2]), float(start[:2] @ start[:2]), ring
        )
        u, stuck = line.settled(line.damped_minimum())
        at = start + u * n
        off = math.hypot(at[0], at[1])
        distance = ring * ring + float(at @ at) - 2.0 * ring * off
        if (not side or sign_of(at[axis]) == side) and distance < least:
            least, best = distance, (u if sense > 0.0 else span - u, stuck, at[:2] / off)
    return best


def _place_on(p: Dual3, n: Dual3, ring: float, best: float, stuck: bool) -> Dual | None:
    pn, c3 = dot(p, n), p[0] * n[0] + p[1] * n[1]
    c4, c5 = n[0] * n[0] + n[1] * n[1], p[0] * p[0] + p[1] * p[1]
    if stuck:
        cube = 2.0 * ring * (c4 * c5 - c3 * c3)
        edge = math.cbrt(cube.v)
        if edge < 1e-12:
            return None
        off = Dual(edge, cube.d / (3.0 * edge * edge))
        reach = root(c3 * c3 - c4 * (c5 - off * off))
        return (math.copysign(1.0, c4.v * best + c3.v) * reach - c3) / c4
    slope = _NearLine(pn.v, c3.v, c4.v, c5.v, ring).condition(best)[1]
    off = root(best * best * c4 + 2.0 * best * c3 + c5)
    if off.v < 1e-12 or abs(slope) < 1e-12:
        return None
    by = pn - 2.0 * ring * ((best * c4 + c3) / off)
    return Dual(best, -by.d / slope)


def torus(size: tuple[float, float, float], half: tuple[int, int], how: int, p: Dual3, q: Dual3) -> WrapResult:
    """Return the path through a torus about the z axis."""
    tube, ring = size[0], size[1]
    a, b = values(p), values(q)
    nearest = _nearest_to_ring(ring, half, a, b)
    if nearest is None:
        return STRAIGHT, None
    best, stuck, (px, py) = nearest
    local = [np.array([ring - px * e[0] - py * e[1], -e[2], px * e[1] - py * e[0]]) for e in (a, b)]
    if cylinder_outcome(tube, (0, 1), *local) not in (MET, MUST):
        return MISSED, None
    n = unit(sub(q, p))
    u = _place_on(p, n, ring, best, stuck)
    if u is None:
        return MISSED, None
    at = add(p, along(u, n))
    far = root(at[0] * at[0] + at[1] * at[1])
    zero = constant(0.0)
    x, y = (-at[0] / far, -at[1] / far, zero), (zero, zero, constant(-1.0))
    axes = x, y, cross(x, y)
    ends = [(dot(x, e) + ring, dot(y, e), dot(axes[2], e)) for e in (p, q)]
    _, segment = cylinder((tube, _ENDLESS, 0.0), (0, 1), how, ends[0], ends[1])
    if segment is None:
        return MISSED, None
    touch, leave = (
        add(add(along(t[0] - ring, x), along(t[1], y)), along(t[2], axes[2])) for t in (segment.touch, segment.leave)
    )
    turned = np.array([values(part) for part in axes]).T
    c = segment.curve
    curve = Curve(turned @ (c.centre - [ring, 0.0, 0.0]), turned @ c.a, turned @ c.b, turned @ c.rise, c.start, c.turn)
    return MET, SurfaceSegment(touch, leave, segment.length, curve)
