"""Joints that give a body an orientation against another body than the one it hangs on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from myodyne.errors import ModelError
from myodyne.model.functions import (
    Constant,
    Fourier,
    Function,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Product,
    Spline,
    Term,
)
from myodyne.model.joints import Along, Axis, Joint, Place, place_of

Turns: TypeAlias = Sequence[tuple[Along, "Function | str | float"]]
_MOST_AXES = 6


def oriented(
    parent: Place,
    child: Place,
    turns: Turns,
    *,
    parent_turns: Turns = (),
    coordinates: Mapping[str, Mapping[str, object]] | None = None,
) -> Joint:
    """Join a body whose orientation against a third body is a function of coordinates.

    The joint lies on the ``parent``, but the orientation of the child is counted from the body from which
    ``parent_turns`` lead to the parent. The joint undoes these, then makes the ``turns`` of the child; neighbouring
    turns about one axis are added up. So a scapula hangs on the clavicle, and regression gives its angles against the
    thorax.

    Parameters
    ----------
    parent, child : str or Placement
        Bodies, or places on them, as for other joints.
    turns : sequence of (axis, function)
        From the third body to the child, about axes that turn along; functions as in `Axis`.
    parent_turns : sequence of (axis, function)
        From the third body to the parent, in the same way.
    coordinates : mapping, optional
        Options of the coordinates that belong to this joint, by name.

    Examples
    --------
    A lamp that keeps level on an arm that tilts:

    >>> import myodyne as my
    >>> lamp = my.oriented("arm", "lamp", turns=[], parent_turns=[("z", "tilt")])
    >>> lamp.axes[0].function
    Linear(kind='linear', coordinate='tilt', slope=-1.0, offset=0.0)
    """
    own = [(_direction(axis), _function(function)) for axis, function in turns]
    undone = [(_direction(axis), negated(_function(function))) for axis, function in reversed(list(parent_turns))]
    motions: list[tuple[tuple[float, ...], Function]] = []
    for axis, function in [*undone, *own]:
        both = added(motions[-1][1], function) if motions and motions[-1][0] == axis else None
        if both is None:
            motions.append((axis, function))
        else:
            motions[-1] = (axis, both)
    if len(motions) > _MOST_AXES:
        raise ModelError(
            f"the joint to '{place_of(child).body}' needs {len(motions)} turns, and a joint has at most {_MOST_AXES}; "
            "put a massless body between, or count the child from its parent"
        )
    axes = [Axis(motion="rotation", direction=axis, function=function) for axis, function in motions]
    table = {name: dict(options) for name, options in (coordinates or {}).items()}
    return Joint(parent=place_of(parent), child=place_of(child), coordinates=table, axes=axes)


def negated(function: Function) -> Function:
    """Return minus a function of coordinates.

    Examples
    --------
    >>> negated(Linear(coordinate="knee", slope=2.0)).slope
    -2.0
    """
    match function:
        case Constant():
            return Constant(value=-function.value)
        case Linear():
            return Linear(coordinate=function.coordinate, slope=-function.slope, offset=-function.offset + 0.0)
        case Polynomial():
            terms = tuple(Term(coefficient=-term.coefficient, powers=term.powers) for term in function.terms)
            return Polynomial(of=function.of, terms=terms)
        case Spline() | PiecewiseLinear():
            return function.model_copy(update={"y": tuple(-y for y in function.y)})
        case Fourier():
            return Fourier(
                coordinate=function.coordinate,
                period=function.period,
                mean=-function.mean,
                slope=-function.slope,
                cosines=tuple(-a for a in function.cosines),
                sines=tuple(-a for a in function.sines),
            )
        case _:
            return Product(factors=(Constant(value=-1.0), function))


def added(first: Function, second: Function) -> Function | None:
    """Return the sum of two polynomials, lines or constants; None where it is not a function of a model.

    Examples
    --------
    >>> added(Linear(coordinate="a"), Linear(coordinate="b", slope=-1.0)).of
    ('a', 'b')
    """
    tables = [_powers(function) for function in (first, second)]
    if tables[0] is None or tables[1] is None:
        return None
    total = dict(tables[0])
    for powers, value in tables[1].items():
        total[powers] = total.get(powers, 0.0) + value
    names = tuple(dict.fromkeys(name for powers in total for name, _ in powers))
    if not names:
        return Constant(value=sum(total.values()))
    terms = tuple(
        Term(coefficient=value, powers=tuple(dict(powers).get(name, 0) for name in names))
        for powers, value in total.items()
    )
    return Polynomial(of=names, terms=terms)


def _powers(function: Function) -> dict[tuple[tuple[str, int], ...], float] | None:
    match function:
        case Constant():
            return {(): function.value}
        case Linear():
            return {((function.coordinate, 1),): function.slope, (): function.offset}
        case Polynomial():
            found: dict[tuple[tuple[str, int], ...], float] = {}
            for term in function.terms:
                pairs = sorted((name, power) for name, power in zip(function.of, term.powers, strict=True) if power)
                found[tuple(pairs)] = found.get(tuple(pairs), 0.0) + term.coefficient
            return found
        case _:
            return None


def _direction(axis: Along) -> tuple[float, ...]:
    return Axis.model_validate({"motion": "rotation", "direction": axis, "function": 0.0}).direction


def _function(function: Function | str | float) -> Function:
    return Axis.model_validate({"motion": "rotation", "direction": "x", "function": function}).function
