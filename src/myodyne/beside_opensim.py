"""OpenSim in the same process: it brings a CasADi of its own, and the one that is loaded second cannot be."""

from __future__ import annotations

import sys
from collections.abc import Container, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from myodyne.errors import AlgebraError

_APART = "Run the two in separate processes, and exchange files (.osim, .sto, .mot)"


def explained(error: ImportError, modules: Container[str]) -> ImportError:
    """Return why CasADi cannot be loaded where that is opensim, or the error as it is."""
    if "opensim" not in modules or "casadi" not in str(error):
        return error
    return AlgebraError(
        "CasADi, which derives the equations, cannot be loaded in a process that has opensim, which brings "
        f"another version of it. {_APART}"
    )


class _Explaining(MetaPathFinder):
    """Finds opensim as Python does, and says why it cannot be loaded after CasADi."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "opensim" or "casadi" not in sys.modules:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def execute(module: ModuleType) -> None:
            try:
                load(module)
            except ImportError as error:
                if "casadi" not in str(error):
                    raise
                raise AlgebraError(
                    "opensim cannot be loaded in a process in which myodyne has loaded CasADi, of which opensim brings "
                    f"another version. {_APART}"
                ) from error

        spec.loader.exec_module = execute  # type: ignore[method-assign]
        return spec


def explain_imports() -> None:
    """Let a later ``import opensim`` that fails because of CasADi say so."""
    if not any(isinstance(finder, _Explaining) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Explaining())
