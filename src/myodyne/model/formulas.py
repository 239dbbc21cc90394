"""Forces given by formulas of arithmetic, which are parsed and never run as code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Field, StrictStr

from myodyne.model.bodies import Marker, Placement
from myodyne.model.part import Name, NonNegative, Part
from myodyne.model.paths import Path

# A number, the name of a variable, or an operation with its arguments.
Formula: TypeAlias = "float | str | tuple[str, tuple[Formula, ...]]"

# Functions of formulas and how many arguments they take, as in the formulas of OpenSim.
FUNCTIONS = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"), 1),
    **dict.fromkeys(("abs", "step", "square", "cube", "recip"), 1),
    **dict.fromkeys(("min", "max"), 2),
}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/^(),]))"
)
_LONGEST, _DEEPEST = 2000, 60
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_NEGATIVE = 3


class _Parser:
    """A formula while it is read, by the binding of its operators."""

    def __init__(self, text: str, variables: Sequence[str]) -> None:
        if len(text) > _LONGEST:
            raise ValueError(f"a formula has at most {_LONGEST} characters, not {len(text)}")
        self.variables = variables
        self.tokens: list[tuple[str, str]] = []
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if found is None:
                raise ValueError(f"'{text.strip():.60}' cannot be read at '{text[place:].strip()[:10]}'")
            self.tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            place = found.end()
        self.at = 0

    def next(self) -> tuple[str, str]:
        """Return the next part of the text and go on."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "the end")
        self.at += 1
        return token

    def expect(self, sign: str) -> None:
        """Go on behind a sign that must come next."""
        _, text = self.next()
        if text != sign:
            raise ValueError(f"'{sign}' is expected, not '{text}'")

    def sum(self, binding: int = 0, depth: int = 0) -> Formula:
        """Return the operation that begins here, with operators that bind more strongly than ``binding``."""
        if depth > _DEEPEST:
            raise ValueError("the formula is nested too deeply")
        left = self.operand(depth)
        while self.at < len(self.tokens):
            sign = self.tokens[self.at][1]
            strength = _BINDING.get(sign, 0)
            if strength <= binding:
                break
            self.at += 1
            # Powers are taken from the right: a^b^c is a^(b^c).
            left = (sign, (left, self.sum(strength - (sign == "^"), depth + 1)))
        return left

    def operand(self, depth: int) -> Formula:
        """Return a number, a variable, a function, or what stands in brackets."""
        kind, text = self.next()
        if kind == "number":
            return float(text)
        if text in "+-":
            inner = self.sum(_NEGATIVE, depth + 1)
            return inner if text == "+" else ("negative", (inner,))
        if text == "(":
            inner = self.sum(0, depth + 1)
            self.expect(")")
            return inner
        if kind != "name":
            raise ValueError(f"a number, a variable or a bracket is expected, not '{text}'")
        if text in FUNCTIONS:
            return text, self.arguments(text, depth)
        if text not in self.variables:
            raise ValueError(f"'{text}' is neither a variable ({', '.join(self.variables)}) nor a known function")
        return text

    def arguments(self, function: str, depth: int) -> tuple[Formula, ...]:
        """Return the arguments of a function."""
        self.expect("(")
        found = [self.sum(0, depth + 1)]
        while len(found) < FUNCTIONS[function]:
            self.expect(",")
            found.append(self.sum(0, depth + 1))
        self.expect(")")
        return tuple(found)


def parsed(text: str, variables: Sequence[str]) -> Formula:
    """Return a formula as nested operations; nothing in the text is run.

    Examples
    --------
    >>> parsed("-2*q^2", ("q",))
    ('*', (('negative', (2.0,)), ('^', ('q', 2.0))))
    """
    parser = _Parser(text, variables)
    found = parser.sum()
    if parser.at < len(parser.tokens):
        raise ValueError(f"'{parser.tokens[parser.at][1]}' is not expected in '{text.strip():.60}'")
    return found


def _of(*variables: str) -> Any:  # noqa: ANN401 - a type, made for each list of variables
    def check(text: str) -> str:
        parsed(text, variables)
        return text

    return Annotated[StrictStr, AfterValidator(check)]


MOTION = ("q", "qdot")
SPAN = ("d", "ddot")
STRETCH = ("s", "ldot")
DEVIATIONS = ("theta_x", "theta_y", "theta_z", "delta_x", "delta_y", "delta_z")


def _of_deviations(texts: tuple[str, str, str]) -> tuple[str, str, str]:
    for text in texts:
        parsed(text, DEVIATIONS)
    return texts


_Formulas = Annotated[tuple[StrictStr, StrictStr, StrictStr], AfterValidator(_of_deviations)]
_NonNegatives = tuple[NonNegative, NonNegative, NonNegative]
_NONE = (0.0, 0.0, 0.0)


class CoordinateFormula(Part):
    """A torque (N m, or N) on a coordinate by a formula of its value ``q`` (rad or m) and rate ``qdot``.

    Formulas have ``+ - * / ^``, brackets, and sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs,
    step, square, cube, recip, min and max.

    Examples
    --------
    >>> import myodyne as my
    >>> my.CoordinateFormula(coordinate="knee", formula="-20*q^3 - 0.5*qdot").coordinate
    'knee'
    """

    controlled: ClassVar[bool] = False
    kind: Literal["coordinate_formula"] = "coordinate_formula"
    coordinate: Name
    formula: _of(*MOTION)  # type: ignore[valid-type]


class LineFormula(Part):
    """A tension (N) between two points by a formula of their distance ``d`` (m) and its rate ``ddot``.

    Examples
    --------
    >>> import myodyne as my
    >>> ends = my.Marker(body="thigh"), my.Marker(body="shank")
    >>> my.LineFormula(start=ends[0], end=ends[1], formula="500*(d - 0.4) + 2*ddot").kind
    'line_formula'
    """

    controlled: ClassVar[bool] = False
    kind: Literal["line_formula"] = "line_formula"
    start: Marker
    end: Marker
    formula: _of(*SPAN)  # type: ignore[valid-type]


class PathFormula(Part):
    """A tension (N) along a path by a formula of its stretch ``s`` (m) and its lengthening speed ``ldot`` (m/s).

    The stretch is the length beyond ``rest_length`` (m); with ``slack`` it is never negative.

    Examples
    --------
    >>> import myodyne as my
    >>> path = my.PointPath(points=(("thigh", (0.03, -0.2, 0.0)), ("shank", (0.05, -0.04, 0.0))))
    >>> my.PathFormula(path=path, rest_length=0.2, formula="3000*s^2*(1 + 0.5*ldot)").slack
    True
    """

    controlled: ClassVar[bool] = False
    kind: Literal["path_formula"] = "path_formula"
    path: Path
    rest_length: NonNegative = 0.0
    formula: _of(*STRETCH)  # type: ignore[valid-type]
    slack: bool = Field(default=True, strict=True)


class BushingFormula(Part):
    """A `Bushing` whose resistance is given by formulas: three ``torques`` (N m) and three ``forces`` (N).

    They are functions of the deviations of the second frame from the first, ``theta_x`` … (rad) and ``delta_x`` … (m),
    and act against them. Damping (N m s/rad, N s/m) is added.

    Examples
    --------
    >>> import myodyne as my
    >>> disc = my.BushingFormula(first=my.Placement(body="sacrum"), second=my.Placement(body="lumbar5"),
    ...                          torques=("90*theta_x^3", "60*theta_y", "80*theta_z"))
    >>> disc.forces
    ('0', '0', '0')
    """

    controlled: ClassVar[bool] = False
    kind: Literal["bushing_formula"] = "bushing_formula"
    first: Placement
    second: Placement
    torques: _Formulas = Field(default=("0", "0", "0"))
    forces: _Formulas = Field(default=("0", "0", "0"))
    rotational_damping: _NonNegatives = _NONE
    translational_damping: _NonNegatives = _NONE
