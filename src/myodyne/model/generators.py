"""The built-in models by name, each with the function that makes it.

The files in ``models/`` are what these functions return at their default arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from myodyne.model.full_body import full_body
from myodyne.model.mechanisms import chain, double_pendulum, double_pendulum_3d, free_body, pendulum, spinning_top
from myodyne.model.model import Model
from myodyne.model.skeletons import jumper_skeleton, runner_skeleton

GENERATORS: Mapping[str, Callable[[], Model]] = MappingProxyType({
    make.__name__: make
    for make in (
        pendulum, double_pendulum, double_pendulum_3d, chain, free_body, spinning_top,
        jumper_skeleton, runner_skeleton, full_body,
    )
})

__all__ = [
    "GENERATORS", "chain", "double_pendulum", "double_pendulum_3d", "free_body", "full_body", "jumper_skeleton",
    "pendulum", "runner_skeleton", "spinning_top",
]
