"""SymPy, which only formulas need: imported when first used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from myodyne.errors import MyodyneError
from myodyne.formulations.lagrange.algebra.rates import FUNCTIONS


def sympy_module() -> ModuleType:
    """Return SymPy, or raise an error that says how to install it."""
    try:
        return import_module("sympy")
    except ImportError:
        raise MyodyneError(
            "equations as formulas need SymPy, which is not installed; install it with "
            "pip install 'myodyne[lagrange]'. numbers_of works without it"
        ) from None


def sympy_functions() -> dict[str, Any]:
    """Return the functions of expressions as those of SymPy, by our names."""
    sympy = sympy_module()
    return {name: getattr(sympy, "Abs" if name == "abs" else name) for name in FUNCTIONS}
