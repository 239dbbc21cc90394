"""The built-in models by name, each with the function that makes it.

The files in ``models/`` are what these functions return at their default arguments, below a heading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import wrap
from types import MappingProxyType

from myodyne.library.cycling.muscled import cyclist_one_leg_muscles
from myodyne.library.cycling.skeletons import cyclist_one_crank, cyclist_one_leg, cyclist_two_cranks
from myodyne.library.full_body import full_body
from myodyne.library.gait2d import gait2d
from myodyne.library.gait3d import gait3d
from myodyne.library.jumper import jumper
from myodyne.library.linkages import five_bar, four_bar, sliding_blocks, three_segment_balance
from myodyne.library.mechanisms import chain, double_pendulum, double_pendulum_3d, free_body, pendulum, spinning_top
from myodyne.library.planar_arm import planar_arm
from myodyne.library.runner import runner
from myodyne.library.shoulder import shoulder
from myodyne.library.skeletons import jumper_skeleton, runner_skeleton
from myodyne.library.skier import skier
from myodyne.library.squeezer import andrews_squeezer
from myodyne.library.synthetic_arm import synthetic_arm
from myodyne.library.winter_walkers import gilchrist_winter, onyshko_winter
from myodyne.model.model import Model

GENERATORS: Mapping[str, Callable[[], Model]] = MappingProxyType(
    {
        make.__name__: make
        for make in (
            pendulum,
            double_pendulum,
            double_pendulum_3d,
            chain,
            free_body,
            spinning_top,
            sliding_blocks,
            three_segment_balance,
            four_bar,
            five_bar,
            andrews_squeezer,
            cyclist_one_leg,
            cyclist_two_cranks,
            cyclist_one_crank,
            jumper_skeleton,
            runner_skeleton,
            full_body,
            jumper,
            cyclist_one_leg_muscles,
            planar_arm,
            gait2d,
            gait3d,
            runner,
        )
    }
)


def heading(name: str) -> str:
    """Return the comment at the top of a built-in model's file: what it is and where its numbers come from.

    Examples
    --------
    >>> heading("pendulum").splitlines()[0]
    '# pendulum: what myodyne.library.generators.pendulum() returns; change it there and write this file again.'
    """
    made_by = f"{name}: what myodyne.library.generators.{name}() returns; change it there and write this file again."
    return "".join(f"# {line}\n" for line in (made_by, *wrap(GENERATORS[name]().source, width=116)))


__all__ = [
    "GENERATORS",
    "andrews_squeezer",
    "chain",
    "cyclist_one_crank",
    "cyclist_one_leg",
    "cyclist_one_leg_muscles",
    "cyclist_two_cranks",
    "double_pendulum",
    "double_pendulum_3d",
    "five_bar",
    "four_bar",
    "free_body",
    "full_body",
    "gait2d",
    "gait3d",
    "gilchrist_winter",
    "heading",
    "jumper",
    "jumper_skeleton",
    "onyshko_winter",
    "pendulum",
    "planar_arm",
    "runner",
    "runner_skeleton",
    "shoulder",
    "skier",
    "sliding_blocks",
    "spinning_top",
    "synthetic_arm",
    "three_segment_balance",
]
