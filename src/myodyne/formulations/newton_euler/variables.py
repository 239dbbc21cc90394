"""The variables of a chain: their names, their printed order, and the usual choices of unknowns.

The order of the first 7n + 5 is that of the array V of Casius, Bobbert & van Soest 2004. The 6n constraint
variables after them follow the text on MUSK in the same paper: for each segment two forces on its proximal joint,
two on its centre of mass, a moment from the proximal joint and one from the environment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import SolveError, listed, unknown_name
from myodyne.formulations.newton_euler.chain import Chain, Motion, Place, Point, Pose, velocity
from myodyne.types import Floats

BASE = "base"
Load = TypeVar("Load", float, Floats, float | Floats)


class Group(NamedTuple):
    """Variables of one kind: the printed symbol, the suffix of their names, their owner, and the unit."""

    symbol: str
    quantity: str
    owner: str  # "joint", "segment" or "base"
    unit: str


GROUPS = (
    Group("Frx", "reaction_force_x", "joint", "N"),
    Group("Fry", "reaction_force_y", "joint", "N"),
    Group("M", "moment", "joint", "N m"),
    Group("Fextx", "external_force_x", "segment", "N"),
    Group("Fexty", "external_force_y", "segment", "N"),
    Group("Mext", "external_moment", "segment", "N m"),
    Group("phidd", "angular_acceleration", "segment", "rad/s2"),
    Group("xdd", "acceleration_x", "base", "m/s2"),
    Group("ydd", "acceleration_y", "base", "m/s2"),
)
CONSTRAINT_GROUPS = (
    Group("Fcjx", "constraint_joint_force_x", "segment", "N"),
    Group("Fcjy", "constraint_joint_force_y", "segment", "N"),
    Group("Mcj", "constraint_joint_moment", "segment", "N m"),
    Group("Fcx", "constraint_force_x", "segment", "N"),
    Group("Fcy", "constraint_force_y", "segment", "N"),
    Group("Mc", "constraint_moment", "segment", "N m"),
)
_SYMBOLS = {group.symbol: group for group in (*GROUPS, *CONSTRAINT_GROUPS)}
_QUANTITIES = {group.quantity: group for group in (*GROUPS, *CONSTRAINT_GROUPS)}


def _count(group: Group, segments: int) -> int:
    return {"joint": segments + 1, "segment": segments, "base": 1}[group.owner]


def _owners(chain: Chain, group: Group) -> tuple[str, ...]:
    return {"joint": chain.joints, "segment": chain.names, "base": (BASE,)}[group.owner]


@lru_cache(maxsize=256)
def variable_names(chain: Chain) -> tuple[str, ...]:
    """Return the names of the 7n + 5 variables in the printed order.

    Examples
    --------
    >>> from myodyne.formulations.newton_euler import Chain, Segment
    >>> rod = Chain([Segment("rod", 1.0, 0.5, 1.0, 1 / 12)], joints=["pivot", "tip"])
    >>> variable_names(rod)[:2], variable_names(rod)[-3:]
    (('pivot.reaction_force_x', 'tip.reaction_force_x'), ('rod.angular_acceleration', 'base.acceleration_x', \
'base.acceleration_y'))
    """
    return tuple(f"{owner}.{group.quantity}" for group in GROUPS for owner in _owners(chain, group))


@lru_cache(maxsize=256)
def constraint_variable_names(chain: Chain) -> tuple[str, ...]:
    """Return the names of the 6n constraint variables, which follow the 7n + 5 others."""
    return tuple(f"{owner}.{group.quantity}" for group in CONSTRAINT_GROUPS for owner in _owners(chain, group))


@lru_cache(maxsize=256)
def variable_places(chain: Chain) -> Mapping[str, int]:
    """Return the places of all 13n + 5 variables by name, from 0."""
    names = (*variable_names(chain), *constraint_variable_names(chain))
    return MappingProxyType({name: place for place, name in enumerate(names)})


def unit_of(name: str) -> str:
    """Return the unit of a variable."""
    quantity = name.rpartition(".")[2]
    if quantity not in _QUANTITIES:
        raise SolveError(unknown_name("quantity", quantity, _QUANTITIES))
    return _QUANTITIES[quantity].unit


def variable_index(chain: Chain, name: str, first: int = 0) -> int:
    """Return the place of a variable; ``first=1`` counts as the paper does, from 1."""
    places = variable_places(chain)
    if name not in places:
        raise SolveError(unknown_name("variable", name, places))
    return places[name] + first


def printed_index(segments: int, symbol: str, number: int = 1) -> int:
    """Return the printed place, from 1, of a variable given by its symbol and number: ``Mext`` 1 of 5 is V(29).

    Parameters
    ----------
    segments : int
        The number of segments, n.
    symbol : str
        Frx, Fry, M, Fextx, Fexty, Mext, phidd, xdd, ydd; or one of the constraint variables Fcjx, Fcjy, Mcj, Fcx,
        Fcy, Mc.
    number : int
        Of the joint or segment, from 1.

    Examples
    --------
    >>> printed_index(5, "Mext", 1)
    29
    """
    if symbol not in _SYMBOLS:
        raise SolveError(unknown_name("symbol", symbol, _SYMBOLS))
    start = 1
    for group in _SYMBOLS.values():
        if group.symbol == symbol:
            break
        start += _count(group, segments)
    most = _count(_SYMBOLS[symbol], segments)
    if not 1 <= number <= most:
        raise SolveError(f"{symbol} is numbered from 1 to {most} in a chain of {segments} segments, not {number}")
    return start + number - 1


def values_of(chain: Chain, quantity: str, values: ArrayLike) -> dict[str, Floats]:
    """Return values by name: ``values_of(leg, "moment", [0, 12.0, 5.0])`` for all joints from the base on.

    For quantities of joints the value of the last joint, the free end, is optional.
    """
    if quantity not in _QUANTITIES:
        raise SolveError(unknown_name("quantity", quantity, _QUANTITIES))
    group = _QUANTITIES[quantity]
    owners = _owners(chain, group)
    values = np.asarray(values, dtype=float)
    allowed = {len(owners), chain.size} if group.owner == "joint" else {len(owners)}
    if values.ndim == 0 or values.shape[-1] not in allowed:
        raise SolveError(f"'{quantity}' needs {len(owners)} values, one for each of {listed(owners)}")
    return {f"{owner}.{quantity}": values[..., i] for i, owner in enumerate(owners[: values.shape[-1]])}


def weight(chain: Chain, gravity: Sequence[float] = (0.0, -9.81)) -> dict[str, float]:
    """Return the external forces of gravity (m/s², x and y) on all segments, by name.

    Examples
    --------
    >>> from myodyne.formulations.newton_euler import Chain, Segment
    >>> weight(Chain([Segment("rod", 1.0, 0.5, 2.0, 0.1)]), gravity=(0.0, -10.0))
    {'rod.external_force_x': 0.0, 'rod.external_force_y': -20.0}
    """
    forces: dict[str, float] = {}
    for segment in chain.segments:
        forces[f"{segment.name}.external_force_x"] = segment.mass * float(gravity[0])
        forces[f"{segment.name}.external_force_y"] = segment.mass * float(gravity[1])
    return forces


def drag(chain: Chain, motion: Motion, coefficients: Mapping[str, float]) -> dict[str, Floats]:
    """Return the external forces of drag by speed squared on segments, by name.

    Each coefficient (kg/m) belongs to a segment: the force at its centre of mass is ``-coefficient * speed *
    velocity``. Add the result to other external loads with `added`.

    Examples
    --------
    >>> from myodyne.formulations.newton_euler import Chain, Motion, Segment
    >>> rod = Chain([Segment("rod", 1.0, 0.5, 2.0, 0.1)])
    >>> round(float(drag(rod, Motion([0.0], base_velocity=(3.0, 0.0)), {"rod": 0.2})["rod.external_force_x"]), 12)
    -1.8
    """
    forces: dict[str, Floats] = {}
    for name, coefficient in coefficients.items():
        segment = chain.segments[chain.segment_number(name)]
        speed = velocity(chain, motion, Point(name, segment.centre, segment.offset))
        push = -coefficient * np.linalg.norm(speed, axis=-1, keepdims=True) * speed
        forces |= {f"{name}.external_force_{axis}": push[..., i] for i, axis in enumerate("xy")}
    return forces


def force_at(chain: Chain, motion: Motion, place: Place, force: ArrayLike) -> dict[str, Floats]:
    """Return the external force and moment equivalent to a force (N, x and y) at any point of a segment.

    A joint belongs to the segment distal to it, the last joint to the last segment. Add the result to other
    external loads with `added`.
    """
    pose = Pose(chain, motion)
    number, arm = pose.carrier(place)
    force = np.asarray(force, dtype=float)
    lever = arm - pose.to_centre[..., number, :]
    name = chain.names[number]
    return {
        f"{name}.external_force_x": force[..., 0],
        f"{name}.external_force_y": force[..., 1],
        f"{name}.external_moment": lever[..., 0] * force[..., 1] - lever[..., 1] * force[..., 0],
    }


def added(*loads: Mapping[str, Load]) -> dict[str, Load]:
    """Return the sum of several loads by name: values of the same name are added, not replaced."""
    total: dict[str, Load] = {}
    for load in loads:
        for name, value in load.items():
            total[name] = total[name] + value if name in total else value
    return total


def forward_unknowns(chain: Chain, free_base: bool = False) -> tuple[str, ...]:
    """Return the 3n unknowns of forward dynamics.

    With a fixed base these are the angular accelerations and all joint reactions except that of the free end; the
    acceleration of the base is known, zero by default. With ``free_base`` it is unknown, and the reaction at the base
    is known instead.

    Examples
    --------
    >>> from myodyne.formulations.newton_euler import Chain, Segment
    >>> forward_unknowns(Chain([Segment("rod", 1.0, 0.5, 2.0, 0.1)]))
    ('joint1.reaction_force_x', 'joint1.reaction_force_y', 'rod.angular_acceleration')
    """
    joints = chain.joints[1:-1] if free_base else chain.joints[:-1]
    moved = [f"{BASE}.acceleration_x", f"{BASE}.acceleration_y"] if free_base else []
    return (
        *(f"{joint}.reaction_force_x" for joint in joints),
        *(f"{joint}.reaction_force_y" for joint in joints),
        *(f"{segment}.angular_acceleration" for segment in chain.names),
        *moved,
    )


def inverse_unknowns(chain: Chain, known_base: bool = False) -> tuple[str, ...]:
    """Return the 3n unknowns of inverse dynamics: the joint reactions and moments of a known motion.

    Reaction and moment at the end of the chain are known. With ``known_base`` those at the base are known instead,
    from a force plate for example, and those at the end are the residuals.
    """
    joints = chain.joints[1:] if known_base else chain.joints[:-1]
    quantities = ("reaction_force_x", "reaction_force_y", "moment")
    return tuple(f"{joint}.{quantity}" for quantity in quantities for joint in joints)


def exchanged(unknowns: Iterable[str], swaps: Mapping[str, str]) -> tuple[str, ...]:
    """Return unknowns with some of them exchanged for others.

    Examples
    --------
    >>> exchanged(["rod.angular_acceleration"], {"rod.angular_acceleration": "rod.external_moment"})
    ('rod.external_moment',)
    """
    unknowns = tuple(unknowns)
    for old, new in swaps.items():
        if old not in unknowns:
            raise SolveError(unknown_name("unknown", old, unknowns))
        if new in unknowns:
            raise SolveError(f"'{new}' is already unknown; it cannot replace '{old}'")
    return tuple(swaps.get(name, name) for name in unknowns)
