"""A chain as an ordinary model, which simulates and can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.newton_euler.chain import Chain, Motion
from myodyne.formulations.newton_euler.constraints import Constraint
from myodyne.formulations.newton_euler.to_constraints import model_constraints
from myodyne.model import GROUND, Body, CoordinateActuator, Joint, Marker, Model, Placement, pin, planar

STANDARD_GRAVITY = 9.81


class _Start(TypedDict):
    """Where a coordinate begins."""

    default: float
    default_speed: float


def to_model(
    chain: Chain,
    motion: Motion | None = None,
    *,
    constraints: Sequence[Constraint] = (),
    free_base: bool = False,
    gravity: float = STANDARD_GRAVITY,
) -> Model:
    """Return a chain as a model: pins about z, a planar joint at a free base, and a motor at every joint.

    The coordinate ``<joint>_angle`` (rad) is the angle of a segment against the one before it, at the first joint that
    against +x; a free base has ``base_x`` and ``base_y`` (m) too. The control ``<joint>_moment`` (N m) is the moment of
    that joint in `solve`; the first acts on the first segment alone. The start is ``motion``, all zero without it.
    ``constraints`` of the chain become constraints of the model, ``row_1`` and so on: what does not accelerate stays.

    Examples
    --------
    >>> import myodyne as my
    >>> ne = my.newton_euler
    >>> leg = ne.Chain([ne.Segment("thigh", 0.43, 0.19, 7.5, 0.14), ne.Segment("shank", 0.43, 0.19, 3.5, 0.06)],
    ...                joints=["hip", "knee", "ankle"])
    >>> model = ne.to_model(leg, ne.Motion([-1.2, -1.8]))
    >>> model.moving, model.controls
    (('hip_angle', 'knee_angle'), ('hip_moment', 'knee_moment'))
    """
    start = motion or Motion(np.zeros(chain.size))
    if start.angles.shape != (chain.size,):
        raise ModelError(f"the start of {chain!r} is one instant with {chain.size} angles, not {start.angles.shape}")
    turns, rates = np.diff(start.angles, prepend=0.0), np.diff(start.rates, prepend=0.0)
    joints: dict[str, Joint] = {}
    for number, (segment, joint) in enumerate(zip(chain.segments, chain.joints, strict=False)):
        name = f"{joint}_angle"
        options: _Start = {"default": float(turns[number]), "default_speed": float(rates[number])}
        if number:
            before = chain.segments[number - 1]
            place = Placement(body=before.name, at=(before.length, 0.0, 0.0))
            joints[joint] = pin(
                place, segment.name, name, default=options["default"], default_speed=options["default_speed"]
            )
        else:
            joints[joint] = _base(segment.name, name, options, start, free_base)
    last = chain.segments[-1]
    return Model(
        name="chain",
        gravity=(0.0, -gravity, 0.0),
        bodies={
            segment.name: Body(
                mass=segment.mass, centre_of_mass=(segment.centre, segment.offset, 0.0), inertia=segment.inertia
            )
            for segment in chain.segments
        },
        joints=joints,
        forces={f"{joint}_moment": CoordinateActuator(coordinate=f"{joint}_angle") for joint in chain.joints[:-1]},
        constraints=model_constraints(chain, start, constraints),
        markers={chain.joints[-1]: Marker(body=last.name, at=(last.length, 0.0, 0.0))},
    )


def _base(body: str, angle: str, options: _Start, start: Motion, free: bool) -> Joint:
    x, y = map(float, start.base)
    if not free:
        if np.any(start.base_velocity):
            raise ModelError("the base moves at the start; set free_base=True")
        place = Placement(body=GROUND, at=(x, y, 0.0))
        return pin(place, body, angle, **options)
    u, v = map(float, start.base_velocity)
    tables = {"base_x": {"default": x, "default_speed": u}, "base_y": {"default": y, "default_speed": v}}
    return planar(GROUND, body, ("base_x", "base_y", angle), **tables, **{angle: options})
