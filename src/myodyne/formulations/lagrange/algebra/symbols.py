"""SymPy, which only formulas need: imported when first used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from myodyne.errors import MyodyneError


def sympy_module() -> ModuleType:
    """Return SymPy, or raise an error that says how to install it."""
    try:
        return import_module("sympy")
    except ImportError:
        raise MyodyneError(
            "equations as formulas need SymPy, which is not installed; install it with "
            "pip install 'myodyne[lagrange]'. numbers_of works without it"
        ) from None
