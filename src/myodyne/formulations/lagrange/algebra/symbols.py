"""SymPy, which not everyone needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from myodyne.errors import MyodyneError


def sympy_module() -> Any:
    """Return SymPy, or say how to get it."""
    try:
        # By name: SymPy ships no types, and a checker need not look for them.
        return import_module("sympy")
    except ImportError:
        raise MyodyneError(
            "equations as formulas need SymPy, which is not installed; install it with "
            "pip install 'myodyne[lagrange]'. Numbers alone need none: see numbers_of"
        ) from None
