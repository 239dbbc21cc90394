"""Other derivations of the equations of motion: tools to read and to solve by hand, and independent checks."""

from importlib import import_module
from types import ModuleType

__all__ = ["lagrange", "matrix_calculus", "newton_euler"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
