"""The curves of a muscle as numbers: value and derivative of each over its range, to look at or to compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

import numpy as np

from myodyne.errors import ModelError, unknown_name
from myodyne.model import Constant, Curves, FunctionPath, Muscle
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.physics.spatial import SX

Range = tuple[float, float]

_FAMILIES = get_args(get_args(Curves)[0])


@dataclass(frozen=True)
class MuscleCurve:
    """One curve: ``value`` (maximal forces) and ``derivative`` at the places ``at``, with their name and unit.

    Examples
    --------
    >>> import myodyne as my
    >>> tendon = my.muscle_curves(my.Millard2012())["tendon"]
    >>> tendon.quantity, tendon.unit
    ('tendon length', 'slack lengths')
    """

    quantity: str
    unit: str
    at: Floats = field(repr=False)
    value: Floats = field(repr=False)
    derivative: Floats = field(repr=False)


@dataclass(frozen=True)
class MuscleCurves:
    """The curves of a family, or of one muscle, by name: what `plot` shows.

    Examples
    --------
    >>> import myodyne as my
    >>> list(my.muscle_curves(my.Thelen2003()).curves)
    ['force_length', 'force_velocity', 'parallel', 'tendon']
    """

    kind: str
    curves: Mapping[str, MuscleCurve]

    def __getitem__(self, name: str) -> MuscleCurve:
        """Return the curve of that name."""
        if name not in self.curves:
            raise ModelError(unknown_name("curve", name, self.curves))
        return self.curves[name]


def muscle_curves(
    muscle: Muscle | Curves,
    *,
    activation: float = 1.0,
    lengths: Range = (0.2, 1.8),
    velocities: Range | None = None,
    tendon: Range = (0.98, 1.12),
    points: int = 401,
) -> MuscleCurves:
    """Return value and derivative of each curve of a muscle, or of a family of curves.

    Forces are in maximal forces. Derivatives are exact, by algorithmic differentiation.

    Parameters
    ----------
    muscle
        A muscle, or curves alone like ``my.Millard2012()``, which are then those of a muscle with a maximal velocity of
        10 optimal lengths per second.
    activation
        Active state (0 to 1) of the force–velocity curve, whose force is relative to the isometric one.
    lengths
        Range of fibre lengths (optimal lengths).
    velocities
        Range of fibre velocities (optimal lengths/s, lengthening positive). Without it: 1.2 maximal ones each way.
    tendon
        Range of tendon lengths (slack lengths).
    points
        How many places are evaluated.

    Examples
    --------
    >>> import myodyne as my
    >>> curves = my.muscle_curves(my.DeGrooteFregly2016(), lengths=(0.5, 1.5), points=3)
    >>> curves["force_length"].at, curves["force_length"].value.round(3)
    (array([0.5, 1. , 1.5]), array([0.053, 0.994, 0.231]))
    """
    from myodyne.physics.curves import family
    from myodyne.physics.spatial import SX

    if not 0 < activation <= 1:
        raise ModelError(f"activation must be above 0 and at most 1, not {activation!r}")
    whole = _as_muscle(muscle)
    functions, one = family(whole), SX(1)
    fast = 1.2 * whole.max_velocity
    isometric = activation * functions.force_length(whole, one)
    wanted: dict[str, tuple[str, str, Range, Callable[[SX], SX]]] = {
        "force_length": ("fibre length", "optimal lengths", lengths, lambda at: functions.force_length(whole, at)),
        "force_velocity": (
            "fibre velocity",
            "optimal lengths/s",
            velocities or (-fast, fast),
            lambda at: functions.contractile(whole, one, at, SX(activation)) / isometric,
        ),
        "parallel": ("fibre length", "optimal lengths", lengths, lambda at: functions.parallel(whole, at)),
    }
    if whole.tendon == "elastic":
        slack = whole.tendon_slack_length
        wanted["tendon"] = ("tendon length", "slack lengths", tendon, lambda at: functions.tendon(whole, at * slack))
    return MuscleCurves(
        whole.curves.kind,
        {name: _evaluated(*what, points) for name, what in wanted.items()},
    )


def _as_muscle(muscle: Muscle | Curves) -> Muscle:
    if isinstance(muscle, Muscle):
        return muscle
    if isinstance(muscle, _FAMILIES):
        # Only curves with parts in newtons per metre, such as a faint linear spring, depend on these sizes.
        return Muscle(
            max_force=1000.0,
            optimal_fibre_length=0.1,
            tendon_slack_length=0.2,
            curves=muscle,
            path=FunctionPath(length=Constant(value=0.3)),
        )
    raise ModelError(f"muscle_curves takes a muscle or a family of curves, not {type(muscle).__name__}")


def _evaluated(quantity: str, unit: str, span: Range, curve: Callable[[SX], SX], points: int) -> MuscleCurve:
    import casadi as ca

    low, high = span
    if not low < high or points < 2:
        raise ModelError(f"the range of the {quantity}, {low:g} to {high:g}, with {points} points gives no curve")
    at = np.linspace(low, high, points)
    place = ca.SX.sym("at")
    value = curve(place)
    both = ca.Function("curve", [place], [value, ca.jacobian(value, place)])
    values, derivatives = both.map(points)(at[None, :])
    return MuscleCurve(quantity, unit, at, np.asarray(values).ravel(), np.asarray(derivatives).ravel())
