"""What functions of users return, looked at before anything is made of it."""

from __future__ import annotations

from typing import Any

from myodyne.errors import ModelError


def one_expression(name: str, value: Any) -> Any:
    """Return what a function gave for a goal or condition, if it is one number or one expression of CasADi.

    Examples
    --------
    >>> one_expression("level", 0.5)
    0.5
    """
    import casadi as ca

    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not isinstance(value, ca.SX | ca.DM):
        raise ModelError(
            f"{name}: the function must return a number or an expression of what has a name, not {value!r:.60}"
        )
    if value.numel() != 1:
        raise ModelError(
            f"{name}: the function returns {value.numel()} expressions; one is expected: sum them, for "
            "example with casadi.sumsqr, or make a goal or condition of each"
        )
    return value
