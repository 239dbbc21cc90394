"""Conditions: constraints on a movement, as typed objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, Strict, model_validator

from myodyne.analyse.sides.advancing import progressing_coordinates
from myodyne.analyse.sides.mirror import sides_of
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Part
from myodyne.model.part import Name, Number
from myodyne.optimise.expressions import Ends, Row, Scope, one_expression

# A required value, or the ends of a range; None leaves an end open.
Range = Number | tuple[Number | None, Number | None]


def range_of(value: Range) -> tuple[float, float]:
    """Return the two ends of a range; one number is both."""
    if isinstance(value, tuple):
        low, high = value
        return float("-inf") if low is None else float(low), float("inf") if high is None else float(high)
    return float(value), float(value)


def refuse_inverted(name: str, value: Range) -> None:
    """Refuse a range whose ends are exchanged."""
    low, high = range_of(value)
    if not low <= high:
        raise ValueError(f"{name}: the range [{low:g}, {high:g}] is inverted")


class Condition(Part):
    """The base of all conditions.

    Each gives bounds on states and controls, rows that hold at every instant, or rows between the two ends.
    """

    @property
    def name(self) -> str:
        """What reports call the condition."""
        return str(getattr(self, "kind", type(self).__name__))

    def bounds(self) -> Mapping[str, Range]:
        """Return ranges by name that hold all the time."""
        return {}

    def start_bounds(self) -> Mapping[str, Range]:
        """Return ranges by name that hold at the start."""
        return {}

    def end_bounds(self) -> Mapping[str, Range]:
        """Return ranges by name that hold at the end."""
        return {}

    def waypoints(self) -> Mapping[float, Mapping[str, Range]]:
        """Return ranges by name that hold at the node next to a fraction of the duration."""
        return {}

    def instants(self, scope: Scope) -> Iterable[Row]:
        """Return rows that hold at every instant: a name, an expression, and the two ends of its range."""
        return ()

    def ends(self, ends: Ends) -> Iterable[Row]:
        """Return rows between the two ends: a name, an expression, and the two ends of its range."""
        return ()


class _Ranges(Condition):
    """Ranges by name, given as a dictionary."""

    values: dict[Name, Range]

    @model_validator(mode="after")
    def _not_inverted(self) -> _Ranges:
        for name, value in self.values.items():
            refuse_inverted(name, value)
        return self


class Bounds(_Ranges):
    """Ranges of states, controls and outputs that hold all the time; None leaves an end open.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Bounds({"knee": (-2.0, 0.0), "com.position_y": (0.5, None)}).name
    'bounds'
    """

    kind: Literal["bounds"] = "bounds"

    def __init__(self, values: Mapping[str, Range] | None = None, **fields: object) -> None:
        Part.__init__(self, values=values, **fields)

    def bounds(self) -> Mapping[str, Range]:
        return self.values


class Start(_Ranges):
    """Values, or ranges, of states, controls and outputs at the start.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Start({"knee": -0.1, "knee.speed": (None, 0.0)}).name
    'start'
    """

    kind: Literal["start"] = "start"

    def __init__(self, values: Mapping[str, Range] | None = None, **fields: object) -> None:
        Part.__init__(self, values=values, **fields)

    def start_bounds(self) -> Mapping[str, Range]:
        return self.values


class End(_Ranges):
    """Values, or ranges, of states, controls and outputs at the end.

    Examples
    --------
    >>> import myodyne as my
    >>> my.End({"knee.speed": 0.0}).name
    'end'
    """

    kind: Literal["end"] = "end"

    def __init__(self, values: Mapping[str, Range] | None = None, **fields: object) -> None:
        Part.__init__(self, values=values, **fields)

    def end_bounds(self) -> Mapping[str, Range]:
        return self.values


class Waypoint(_Ranges):
    """Values, or ranges, of states, controls and outputs at a fraction of the duration, at the node next to it.

    Examples
    --------
    A foot that is 5 cm above the ground in the middle of the movement:

    >>> import myodyne as my
    >>> my.Waypoint({"left_heel_tip.position_y": (0.05, None)}, at=0.5).at
    0.5
    """

    kind: Literal["waypoint"] = "waypoint"
    at: Annotated[float, Field(strict=True, gt=0, lt=1)]

    def __init__(self, values: Mapping[str, Range] | None = None, **fields: object) -> None:
        Part.__init__(self, values=values, **fields)

    def waypoints(self) -> Mapping[float, Mapping[str, Range]]:
        return {self.at: self.values}


class Periodic(Condition):
    """All states and controls end as they start or, if ``mirrored``, as the start with its sides exchanged.

    Sides are recognised by names (``right_knee`` and ``left_knee``, ``knee_r`` and ``knee_l``), signs by geometry
    (`sides_of`): in space the list of the pelvis and a motor that bends the trunk sideways change sign.

    Parameters
    ----------
    mirrored
        Whether the movement is half a cycle, after which left does what right did.
    progressing
        Coordinates that need not come back; by default those that move the whole body along x.
    negated
        In a mirrored movement: the coordinates and controls that change sign, instead of those that geometry finds.
    controls
        Whether excitations and controls are periodic too, or the names of those that are.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Periodic(mirrored=True).controls
    True
    """

    kind: Literal["periodic"] = "periodic"
    mirrored: bool = Field(default=False, strict=True)
    progressing: tuple[Name, ...] | None = None
    negated: tuple[Name, ...] | None = None
    controls: Annotated[bool, Strict()] | tuple[Name, ...] = True

    def ends(self, ends: Ends) -> Iterable[Row]:
        model = ends.model
        left_out = progressing_coordinates(model) if self.progressing is None else self.progressing
        for name in left_out:
            if name not in ends.motion:
                raise ModelError("Periodic: " + unknown_name("coordinate", name, ends.motion))
        # The multipliers of constraints follow from the motion; controls that nothing depends on at an end are free.
        names = [*ends.motion, *self._controls(ends.controls)]
        others = self._mirrored(names, ends) if self.mirrored else {name: (name, 1.0) for name in names}
        for name, (other, sign) in others.items():
            if name not in left_out:
                yield f"periodic {name}", ends.end[name] - sign * ends.start[other], 0.0, 0.0

    def _mirrored(self, names: Sequence[str], ends: Ends) -> dict[str, tuple[str, float]]:
        """Return what mirrors each state and control, and with which sign."""
        sides = sides_of(ends.model)
        if self.negated is None:
            return {name: (sides.partner(name, names), sides.sign(name)) for name in names}
        for name in self.negated:
            if name not in (*ends.motion, *ends.controls):
                raise ModelError(
                    "Periodic: " + unknown_name("coordinate or control", name, [*ends.motion, *ends.controls])
                )
        signs = {name: -1.0 if name.removesuffix(".speed") in self.negated else 1.0 for name in names}
        return {name: (sides.partner(name, names), sign) for name, sign in signs.items()}

    def _controls(self, known: Sequence[str]) -> Sequence[str]:
        if isinstance(self.controls, bool):
            return known if self.controls else ()
        for name in self.controls:
            if name not in known:
                raise ModelError("Periodic: " + unknown_name("control", name, known))
        return self.controls


class AverageSpeed(Condition):
    """The mean speed (m/s) of a position from start to end.

    Examples
    --------
    >>> import myodyne as my
    >>> my.AverageSpeed(1.2).of
    'com.position_x'
    """

    kind: Literal["average_speed"] = "average_speed"
    speed: Range
    of: Name = "com.position_x"

    def __init__(self, speed: Range | None = None, **fields: object) -> None:
        Part.__init__(self, speed=speed, **fields)

    @model_validator(mode="after")
    def _not_inverted(self) -> AverageSpeed:
        refuse_inverted("speed", self.speed)
        return self

    def ends(self, ends: Ends) -> Iterable[Row]:
        low, high = range_of(self.speed)
        yield "average speed", (ends.end[self.of] - ends.start[self.of]) / ends.duration, low, high


class Equal(Condition):
    """Two named quantities are equal all the time.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Equal(first="right_knee", second="left_knee").name
    'equal'
    """

    kind: Literal["equal"] = "equal"
    first: Name
    second: Name

    def instants(self, scope: Scope) -> Iterable[Row]:
        yield f"{self.first} = {self.second}", scope[self.first] - scope[self.second], 0.0, 0.0


class SteadyActivation(Condition):
    """At the start the excitation of every muscle is its activation, so that no initial activation is free of effort.

    Examples
    --------
    >>> import myodyne as my
    >>> my.SteadyActivation().name
    'steady_activation'
    """

    kind: Literal["steady_activation"] = "steady_activation"

    def ends(self, ends: Ends) -> Iterable[Row]:
        from myodyne.equations.muscles.kinds import activation_states

        for muscle, state in activation_states(ends.model).items():
            yield f"steady {state}", ends.start[f"{muscle}.excitation"] - ends.start[state], 0.0, 0.0


class OnConstraints(Condition):
    """The movement starts on the kept constraints, in position and in speed; the equations keep it there.

    In a periodic movement the coordinates that follow from the constraints are left out of `Periodic`: they return by
    themselves, but for the errors of the scheme, and a condition that says so again can rarely be met exactly.

    Examples
    --------
    >>> import myodyne as my
    >>> my.OnConstraints().name
    'on_constraints'
    """

    kind: Literal["on_constraints"] = "on_constraints"

    def ends(self, ends: Ends) -> Iterable[Row]:
        errors = ends.start.constraint_errors
        if not errors:
            raise ModelError(f"OnConstraints: '{ends.model.name}' has no constraint that is kept by a force")
        for name, error in errors.items():
            yield f"on {name}", error, 0.0, 0.0


class SteadyFibres(Condition):
    """Fibres with elastic tendons keep their speed during the first interval.

    The equations hold at the collocation points, none of which is the first node. So the fibre lengths there are free,
    and weakly active muscles could start with fibres that are far from balanced and shorten at any speed. Not for
    periodic movements, where the end determines the start.

    Examples
    --------
    >>> import myodyne as my
    >>> my.SteadyFibres().name
    'steady_fibres'
    """

    kind: Literal["steady_fibres"] = "steady_fibres"


class CustomCondition(Condition):
    """Any CasADi expression of named quantities that stays in a range, given as a function that returns it.

    Such a condition cannot be written to a file.

    Parameters
    ----------
    range
        One number, or two ends, of which None is open.
    always
        Given the scope of an instant, ``scope["knee.moment"]``, an expression that stays in the range all the time.
    ends_of
        Given the ends, ``ends.start["knee"]``, ``ends.end["knee"]``, ``ends.duration``, an expression.

    Examples
    --------
    >>> import myodyne as my
    >>> level = my.CustomCondition(range=(-0.1, 0.1), always=lambda scope: scope["hip"] + scope["knee"])
    >>> level.name
    'custom'
    """

    kind: Literal["custom"] = "custom"
    range: Range
    label: str = ""
    always: Callable[[Scope], object] | None = Field(default=None, exclude=True)
    ends_of: Callable[[Ends], object] | None = Field(default=None, exclude=True)

    @property
    def name(self) -> str:
        return self.label or "custom"

    @model_validator(mode="after")
    def _check_functions(self) -> CustomCondition:
        refuse_inverted("range", self.range)
        if self.always is None and self.ends_of is None:
            raise ValueError("give the function whose value stays in the range: always=..., or ends_of=...")
        return self

    def instants(self, scope: Scope) -> Iterable[Row]:
        if self.always is not None:
            yield self.name, one_expression(self.name, self.always(scope)), *range_of(self.range)

    def ends(self, ends: Ends) -> Iterable[Row]:
        if self.ends_of is not None:
            yield self.name, one_expression(self.name, self.ends_of(ends)), *range_of(self.range)
