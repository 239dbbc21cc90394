"""Roots of functions evaluated by the caller: several searches can then share each evaluation."""

from __future__ import annotations

from collections.abc import Generator

# Searches end after so many evaluations at the latest; halving alone takes fewer.
_MOST = 200
_ROUNDING = 2.220446049250313e-16


def bracketed_root(
    first: tuple[float, float], last: tuple[float, float], tolerance: float
) -> Generator[float, float, tuple[float, float]]:
    """Yield points at which a function is wanted, receive its values, and return the point next to its root.

    ``first`` and ``last`` are points and values on both sides of the root. Inverse quadratic interpolation where three
    points allow it, else halving (Chandrupatla 1997, Adv. Eng. Softw. 28:145-149).

    Examples
    --------
    >>> search = bracketed_root((0.0, -2.0), (2.0, 2.0), 1e-12)
    >>> point = next(search)
    >>> try:
    ...     while True:
    ...         point = search.send(point**2 - 2)
    ... except StopIteration as found:
    ...     round(found.value[0], 12)
    1.414213562373
    """
    (a, at_a), (b, at_b) = first, last
    share = at_a / (at_a - at_b)
    for _ in range(_MOST):
        point = a + share * (b - a)
        value = yield point
        if (value > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = point, value
        best = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        least = (2 * _ROUNDING * abs(best[0]) + 0.5 * tolerance) / abs(b - a)
        if best[1] == 0 or least > 0.5:
            return best
        share = min(max(_interpolated((a, at_a), (b, at_b), (c, at_c)), least), 1 - least)
    return best


def _interpolated(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Return the share of the way from ``a`` to ``b`` at which the root is expected; ``c`` is another point."""
    (xa, fa), (xb, fb), (xc, fc) = a, b, c
    if fc in (fa, fb):
        return 0.5
    along, up = (xa - xb) / (xc - xb), (fa - fb) / (fc - fb)
    if not (up * up < along and (1 - up) ** 2 < 1 - along):
        return 0.5
    return fa / (fb - fa) * fc / (fb - fc) + (xc - xa) / (xb - xa) * fa / (fc - fa) * fb / (fc - fb)
