"""Nonlinear axes for random trees: knees that roll, shoulder rhythms, and worse."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from myodyne.model import (
    Axis,
    Constant,
    Fourier,
    Function,
    Joint,
    Linear,
    Polynomial,
    Product,
    Spline,
    Term,
)


def bend_joints(rng: np.random.Generator, joints: dict[str, Joint], flat: bool) -> dict[str, Joint]:
    """Return the joints with some axes bent, and with some axes more that follow several coordinates.

    The first joint is always bent, and the last that has room gets an axis of coordinates of other joints.
    """
    ranges = {name: part.range or (-1.0, 1.0) for joint in joints.values() for name, part in joint.coordinates.items()}
    bent: dict[str, Joint] = {}
    for number, (name, joint) in enumerate(joints.items()):
        axes = [_bent(rng, axis, ranges) if number == 0 or rng.random() < 0.5 else axis for axis in joint.axes]
        last = number == len(joints) - 1
        if len(axes) < 6 and (last or rng.random() < 0.4):
            others = [coordinate for coordinate in ranges if coordinate not in joint.coordinates]
            own = list(joint.coordinates)
            axes.insert(int(rng.integers(len(axes) + 1)), _follower(rng, own, others, flat))
        bent[name] = Joint(parent=joint.parent, child=joint.child, coordinates=dict(joint.coordinates), axes=axes)
    return bent


def couple_coordinates(rng: np.random.Generator, joints: dict[str, Joint]) -> dict[str, Joint]:
    """Return the joints, in a third of all cases with one or two coordinates that follow others.

    The second follows the first, so that a coupling leads through another.
    """
    names = [str(name) for name in rng.permutation([c for joint in joints.values() for c in joint.coordinates])]
    if len(names) < 4 or rng.random() < 2 / 3:
        return joints
    chain = names[: 2 + int(rng.integers(2))]
    parts = {name: part for joint in joints.values() for name, part in joint.coordinates.items()}
    coupled = {}
    for leader, follower in pairwise(chain):
        low, high = parts[follower].range or (-1.0, 1.0)
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        terms = [
            Term(coefficient=middle, powers=(0,)),
            Term(coefficient=0.4 * half, powers=(1,)),
            Term(coefficient=float(rng.normal() * 0.1 * half), powers=(2,)),
        ]
        knots = np.linspace(-2.0, 2.0, 5)
        heights = middle + half * (0.3 * knots + rng.normal(size=5) * 0.05)
        coupled[follower] = (
            Polynomial(of=(leader,), terms=terms)
            if rng.random() < 0.5
            else Spline(coordinate=leader, x=knots.tolist(), y=heights.tolist())
        )
    return {
        name: Joint(
            parent=joint.parent,
            child=joint.child,
            axes=joint.axes,
            coordinates={
                c: part.model_copy(update={"coupled": coupled.get(c)}) for c, part in joint.coordinates.items()
            },
        )
        for name, joint in joints.items()
    }


def _bent(rng: np.random.Generator, axis: Axis, ranges: dict[str, tuple[float, float]]) -> Axis:
    """Return the axis with a nonlinear function of the same coordinate, which still rises or falls throughout."""
    if not isinstance(axis.function, Linear):
        return axis
    name = axis.function.coordinate
    low, high = ranges[name]
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    function: Function
    match rng.choice(["polynomial", "spline", "fourier", "product"]):
        case "polynomial":
            terms = [
                Term(coefficient=float(rng.normal() * 0.1), powers=(0,)),
                Term(coefficient=1.0, powers=(1,)),
                Term(coefficient=float(rng.uniform(-0.15, 0.15) / half), powers=(2,)),
                Term(coefficient=float(rng.uniform(0.0, 0.1) / half**2), powers=(3,)),
            ]
            function = Polynomial(of=(name,), terms=terms)
        case "spline":
            # Narrower than the range, so that some states lie on the straight ends.
            x = middle + half * np.sort(np.linspace(-0.8, 0.8, 5) + rng.uniform(-0.1, 0.1, size=5))
            y = x + rng.uniform(-0.06, 0.06, size=5) * half
            function = Spline(coordinate=name, x=tuple(x.tolist()), y=tuple(y.tolist()))
        case "fourier":
            # The waves are small beside the slope: no dead points.
            period = float(rng.uniform(2.0, 6.0)) * half
            wave = 0.2 * period / (2 * np.pi)
            function = Fourier(
                coordinate=name,
                period=period,
                mean=float(rng.normal() * 0.1),
                slope=1.0,
                cosines=(float(rng.uniform(-wave, wave)),),
                sines=(float(rng.uniform(-wave, wave)), 0.3 * wave),
            )
        case _:
            stretch = Polynomial(
                of=(name,),
                terms=[Term(coefficient=1.0, powers=(0,)), Term(coefficient=float(0.05 / half), powers=(1,))],
            )
            function = Product(
                factors=(Linear(coordinate=name), stretch, Constant(value=float(rng.choice([1.0, -1.2]))))
            )
    return Axis(motion=axis.motion, direction=axis.direction, function=function)


def _follower(rng: np.random.Generator, own: list[str], others: list[str], flat: bool) -> Axis:
    """Return a small motion that follows one to three coordinates, of other joints first."""
    picked = [str(name) for name in rng.permutation(others)[:2]] + [str(name) for name in rng.permutation(own)[:1]]
    size = float(rng.uniform(0.05, 0.15))
    function: Any
    match rng.choice(["polynomial", "product", "spline"]):
        case "polynomial":
            terms = [Term(coefficient=size, powers=(1,) * len(picked))]
            terms += [
                Term(coefficient=float(rng.normal() * size), powers=tuple(row))
                for row in rng.integers(0, 4, size=(3, len(picked))).tolist()
            ]
            function = Polynomial(of=tuple(picked), terms=terms)
        case "product":
            wave = Fourier(coordinate=picked[0], period=4.0, mean=0.5, cosines=(0.3, 0.1), sines=(0.4,))
            lines = [Linear(coordinate=name, slope=0.4, offset=1.0) for name in picked[1:]]
            function = Product(factors=(Constant(value=size), wave, *lines))
        case _:
            knots = [-2.0, -1.1, -0.3, 0.4, 1.2, 2.0]
            function = Spline(coordinate=picked[0], x=knots, y=(rng.normal(size=len(knots)) * size).tolist())
    motion = str(rng.choice(["rotation", "translation"]))
    direction = rng.normal(size=3)
    if flat:
        direction = np.array([0, 0, 1.0]) if motion == "rotation" else direction * [1, 1, 0]
    return Axis(motion=motion, direction=tuple(direction.tolist()), function=function)
