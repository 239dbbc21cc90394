"""A description as an ordinary model, which can be simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.algebra.symbols import sympy_module
from myodyne.formulations.lagrange.formulas.equations import LagrangeEquations
from myodyne.formulations.lagrange.lists.checks import TIME
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.expressions import Expression, evaluate, names_in
from myodyne.formulations.lagrange.lists.records import GROUND, Direction, Point, Segment
from myodyne.formulations.lagrange.mobility import mobility_of
from myodyne.formulations.lagrange.model_constraints import constraint_of
from myodyne.formulations.lagrange.model_forces import ForceWriter
from myodyne.formulations.lagrange.motions import motion_function
from myodyne.model import (
    Axis,
    Body,
    Constant,
    Constraint as ModelConstraint,
    Inertia,
    Joint,
    Linear,
    Marker,
    Model,
    MotionConstraint,
    Placement,
    Polynomial,
    SpeedConstraint,
    Term,
)

if TYPE_CHECKING:
    from sympy import Expr

_MOST_AXES = 6
# Coefficients of products of powers of coordinates.
Coefficients: TypeAlias = Mapping[tuple[tuple[str, int], ...], float]
AxisMotion: TypeAlias = tuple[Literal["rotation", "translation"], Direction, Coefficients]
Signal = TypeVar("Signal")


def to_model(description: Description, values: Mapping[str, float] | None = None) -> Model:
    """Return the same mechanism as a model: a body for each frame, its joint from origin and angles.

    ``values`` gives parameters that have no value in the description. Inputs become controls of the same name, a
    torque between two segments too. An input that acts in several places becomes a control for each, named
    ``<input>_<place>`` (see `controls_of`). Motions of time become motion constraints. What a model cannot express
    raises an error that names it: joints that are not polynomials of the coordinates, motions that are neither
    polynomials nor waves, forces that depend on the state or on time (`to_model_with_law` takes these).

    Examples
    --------
    >>> from myodyne.formulations.lagrange import Frame
    >>> pendulum = Description(
    ...     name="pendulum", coordinates=["q"], gravity=(0, -9.81),
    ...     points={"pivot": Point("ground", (0, 0)), "bob": Point("arm", (2.0, 0))},
    ...     frames={"arm": Frame("pivot", ["q"])}, segments={"bob": Segment("bob", 3.0)},
    ... )
    >>> to_model(pendulum).bodies["arm"].mass
    3.0
    """
    builder = Builder(description, values)
    model = builder.model()
    for message in builder.forces.refused:
        raise ModelError(f"{message}; my.lagrange.to_model_with_law takes it as feedback")
    return model


@dataclass(frozen=True)
class ModelWithLaw:
    """A model, and the law by which its motors give the forces that depend on state and time.

    ``law`` is the function that `myodyne.Feedback` takes.
    """

    model: Model
    law: Callable[[Any], dict[str, Any]]


def to_model_with_law(description: Description, values: Mapping[str, float] | None = None) -> ModelWithLaw:
    """Return a description as a model whose motors follow a law: for forces that depend on state and time.

    Each such force, torque or damper gets a motor on each coordinate that it does work on, called
    ``<force>_<coordinate>``, and the law gives its generalised force.

    Examples
    --------
    A pendulum with a drag by speed squared:

    >>> import myodyne as my
    >>> from myodyne.formulations.lagrange import CoordinateSpring, Frame
    >>> pendulum = Description(
    ...     name="pendulum", coordinates=["q"], gravity=(0, -9.81),
    ...     points={"pivot": Point("ground", (0, 0)), "bob": Point("arm", (2.0, 0))},
    ...     frames={"arm": Frame("pivot", ["q"])}, segments={"bob": Segment("bob", 3.0)},
    ...     springs={"drag": CoordinateSpring("q", damping=0.5, power=2)},
    ... )
    >>> driven = to_model_with_law(pendulum)
    >>> driven.model.controls
    ('drag_q',)
    >>> run = my.simulate(driven.model, 0.1, feedback=my.Feedback(driven.law))
    >>> bool(run.values("drag_q.control")[-1] > 0)
    True
    """
    builder = Builder(description, values)
    model = builder.model()
    return ModelWithLaw(model, builder.law())


def controls_of(
    description: Description, inputs: Mapping[str, Signal], values: Mapping[str, float] | None = None
) -> dict[str, Signal]:
    """Return controls for the model of a description from values or signals of its inputs.

    An input that acts in several places has a control for each; all get the signal of the one input.
    """
    builder = Builder(description, values)
    builder.model()
    return {
        control: inputs[name]
        for name, controls in builder.forces.controls.items()
        if name in inputs
        for control in controls
    }


@dataclass
class Anchor:
    """The location of a point: a body, and the position in it (m)."""

    body: str
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def marker(self) -> Marker:
        return Marker(body=self.body, at=self.at)


@dataclass
class _Tables:
    bodies: dict[str, Body] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    constraints: dict[str, ModelConstraint] = field(default_factory=dict)


class Builder:
    """Makes bodies, joints and constraints from the lists; `ForceWriter` adds forces, torques and springs."""

    def __init__(self, description: Description, values: Mapping[str, float] | None) -> None:
        self.sympy = sympy_module()
        self.description = description
        self.numbers = description.numbers(values)
        equations = LagrangeEquations(description, mobility_of(description, values))
        equations.mobility.check()
        self.equations = equations
        self.mechanics = equations.mechanics
        self._known = {equations.parameters[name]: self._exact(number) for name, number in self.numbers.items()}
        self.coordinate_names = {symbol: name for name, symbol in equations.coordinates.items()}
        self._owned: set[str] = set()
        self._occupied: set[str] = set()
        self._tables = _Tables()
        self._anchors: dict[str, Anchor] = {}
        self._taken = {GROUND, *description.coordinate_table, *description.inputs}
        self._body_of = {GROUND: GROUND}
        self.forces = ForceWriter(self)

    def model(self) -> Model:
        description = self.description
        self._frames()
        for name, segment in description.segments.items():
            self._segment(name, segment)
        self.forces.write()
        self._constraints()
        for name in description.coordinate_table:
            if name not in self._owned:
                raise ModelError(f"coordinate '{name}' moves no body: only points without mass and force depend on it")
        gravity = [float(self.number(part, "gravity")) for part in self._vector(description.gravity or ())]
        markers = {self.unique(name, "point"): self.anchor(name).marker for name in self._fixed_points()}
        return Model(
            name=description.name,
            gravity=tuple(gravity),
            bodies=self._tables.bodies,
            joints=self._tables.joints,
            markers=markers,
            forces=self.forces.elements,
            constraints=self._tables.constraints,
        )

    def law(self) -> Callable[[Any], dict[str, Any]]:
        """Return the law of the forces that depend on the state: a function of what `Feedback` reads."""
        import casadi

        equations, laws = self.equations, dict(self.forces.laws)
        known = {"Abs": casadi.fabs, "sqrt": casadi.sqrt, "asin": casadi.asin, "acos": casadi.acos, "atan": casadi.atan}
        known |= {n: getattr(casadi, n) for n in ("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "sign")}
        symbols = [*equations.coordinates.values(), *equations.speeds.values(), equations.time]
        evaluate_all = self.sympy.lambdify(symbols, list(laws.values()), modules=[known], cse=True)
        names = list(equations.coordinates)

        def law(at: Any) -> dict[str, Any]:  # noqa: ANN401 - the reader of feedback, which is of a higher layer
            state = [*(at[name] for name in names), *(at[f"{name}.speed"] for name in names), at.time]
            return dict(zip(laws, evaluate_all(*state), strict=True))

        return law

    # Names and numbers

    def unique(self, name: str, kind: str) -> str:
        """Return the name if it is unused in the model, else the name with its kind appended."""
        candidate, count = name, 1
        while candidate in self._taken:
            candidate = f"{name}_{kind}" if count == 1 else f"{name}_{kind}{count}"
            count += 1
        self._taken.add(candidate)
        return candidate

    def formula(self, expression: Expr) -> Expr:
        """Return an expression with numbers for its parameters."""
        return self.sympy.expand(self.sympy.sympify(expression).xreplace(self._known))

    def number(self, expression: Expr, place: str) -> float:
        """Return a constant expression as a number."""
        value = self.formula(expression)
        if value.free_symbols:
            raise ModelError(f"{place}: '{value}' is not constant, which a model cannot express")
        return float(value)

    def polynomial(self, expression: Expr, place: str) -> Coefficients:
        """Return an expression as coefficients of products of coordinates."""
        formula = self.formula(expression)
        foreign = formula.free_symbols - set(self.coordinate_names)
        if foreign:
            others = ", ".join(sorted(map(str, foreign)))
            raise ModelError(f"{place}: '{formula}' depends on {others}, not on coordinates alone")
        symbols = sorted(formula.free_symbols, key=str)
        if not symbols:
            return {(): float(formula)} if formula != 0 else {}
        try:
            terms = self.sympy.Poly(formula, *symbols).terms()
        except self.sympy.PolynomialError:
            raise ModelError(
                f"{place}: '{formula}' is not a polynomial of the coordinates, which a model needs here"
            ) from None
        names = [self.coordinate_names[symbol] for symbol in symbols]
        return {
            tuple((name, power) for name, power in zip(names, powers, strict=True) if power): float(coefficient)
            for powers, coefficient in terms
        }

    def function(self, terms: Coefficients) -> Constant | Linear | Polynomial:
        """Return a polynomial as the simplest function of a model."""
        rest = {powers: value for powers, value in terms.items() if powers}
        constant = terms.get((), 0.0)
        if not rest:
            return Constant(value=constant)
        if len(rest) == 1:
            ((powers, slope),) = rest.items()
            if len(powers) == 1 and powers[0][1] == 1:
                return Linear(coordinate=powers[0][0], slope=slope, offset=constant)
        names = sorted({name for powers in rest for name, _ in powers})
        rows = [
            Term(coefficient=value, powers=tuple(dict(powers).get(name, 0) for name in names))
            for powers, value in terms.items()
        ]
        return Polynomial(of=tuple(names), terms=tuple(rows))

    def _exact(self, number: float) -> Expr:
        return self.sympy.Integer(int(number)) if float(number).is_integer() else self.sympy.Float(number)

    def _vector(self, parts: Iterable[Expression]) -> list[Expr]:
        values = [self._evaluated(part) for part in parts]
        return [*values, *([self.sympy.Integer(0)] * (3 - len(values)))]

    def _evaluated(self, expression: Expression) -> Expr:
        return evaluate(expression, self.mechanics.scope, self.mechanics.algebra).value

    def value(self, expression: Expression, place: str) -> float:
        """Return a constant of the lists as a number."""
        return self.number(self._evaluated(expression), place)

    def raw(self, expression: Expression) -> Expr:
        """Return an expression of the lists as a formula with numbers for parameters."""
        return self.formula(self._evaluated(expression))

    # Bodies and joints

    def _frames(self) -> None:
        for name in self.description.frame_order:
            record = self.description.frames[name]
            point = self.description.points[record.origin]
            body = self.unique(name, "body")
            self._body_of[name] = body
            turns = self.mechanics.relative_turns(point.frame, name)
            motions: list[AxisMotion] = [
                ("rotation", turn.axis, self.polynomial(turn.angle.value, f"frame '{name}'")) for turn in turns
            ]
            self._join(point, body, f"{name}_joint", motions)
            self._tables.bodies[body] = Body(mass=0.0)
            if self._moves(point):
                self._anchors.setdefault(record.origin, Anchor(body))

    def _join(self, point: Point, body: str, joint: str, turns: list[AxisMotion]) -> None:
        """Join a body to the frame of a point: translations along the point's components, then rotations."""
        place = f"joint '{joint}'"
        shifts = [self.polynomial(part, place) for part in self._vector(point.at)]
        directions = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        motions: list[AxisMotion] = [
            ("translation", axis, shift) for axis, shift in zip(directions, shifts, strict=True) if any(shift)
        ]
        at = tuple(0.0 if any(shift) else shift.get((), 0.0) for shift in shifts)
        motions += turns
        parent = Placement(body=self._body_of[point.frame], at=at)
        while len(motions) > _MOST_AXES:
            # A joint has at most six axes; a massless body carries the rest.
            carrier = self.unique(f"{body}_carrier", "body")
            self._tables.bodies[carrier] = Body(mass=0.0)
            self._add_joint(f"{carrier}_joint", parent, carrier, motions[:_MOST_AXES])
            parent, motions = Placement(body=carrier), motions[_MOST_AXES:]
        self._add_joint(joint, parent, body, motions)

    def _add_joint(self, name: str, parent: Placement, body: str, motions: list[AxisMotion]) -> None:
        axes = [
            Axis(motion=motion, direction=direction, function=self.function(terms))
            for motion, direction, terms in motions
        ]
        names = dict.fromkeys(n for axis in axes for n in axis.function.coordinates if n not in self._owned)
        self._owned.update(names)
        coordinates = {coordinate: self._coordinate(coordinate) for coordinate in names}
        self._tables.joints[self.unique(name, "of")] = Joint(
            parent=parent, child=Placement(body=body), coordinates=coordinates, axes=axes
        )

    def _coordinate(self, name: str) -> dict[str, float | bool]:
        part = self.description.coordinate_table[name]
        if not part.prescribed:
            return {"default": float(part.default), "default_speed": float(part.default_speed)}
        if part.motion is None:
            raise ModelError(f"coordinate '{name}' is prescribed at each evaluation, which a model cannot express")
        motion = self.raw(part.motion)
        time = self.equations.time
        start, speed = motion.subs(time, 0), motion.diff(time)
        if speed == 0:
            return {"default": float(start), "locked": True}
        drive: ModelConstraint = (
            MotionConstraint(coordinate=name, function=motion_function(motion, time, f"coordinate '{name}'"))
            if speed.free_symbols
            else SpeedConstraint(coordinate=name, speed=float(speed))
        )
        self._tables.constraints[self.unique(f"{name}_drive", "constraint")] = drive
        return {"default": float(start), "default_speed": float(speed.subs(time, 0))}

    def anchor(self, name: str) -> Anchor:
        """Return the body to which a point is fixed, and where; a point that moves in its frame gets its own body."""
        if name in self._anchors:
            return self._anchors[name]
        point = self.description.points[name]
        if self._moves(point):
            self._anchors[name] = Anchor(self._carrier(name, point, "point"))
        else:
            x, y, z = (self.number(part, f"point '{name}'") for part in self._vector(point.at))
            self._anchors[name] = Anchor(self._body_of[point.frame], (x, y, z))
        return self._anchors[name]

    def _moves(self, point: Point) -> bool:
        varying = {*self.description.coordinate_table, TIME}
        return any(names_in(part)[0] & varying for part in point.at)

    def body_of(self, frame: str) -> str:
        """Return the body of a frame."""
        return self._body_of[frame]

    def _fixed_points(self) -> list[str]:
        return [n for n, point in self.description.points.items() if n in self._anchors or not self._moves(point)]

    def _carrier(self, name: str, point: Point, kind: str) -> str:
        body = self.unique(name, kind)
        self._join(point, body, f"{body}_joint", [])
        self._tables.bodies[body] = Body(mass=0.0)
        return body

    def _segment(self, name: str, segment: Segment) -> None:
        point = self.description.points[segment.centre]
        if segment.inertia is not None and self._moves(point):
            # Its own body: it moves in its frame without rotating, whatever else is fixed to its centre.
            anchor = Anchor(self._carrier(name, point, "segment"))
        else:
            anchor = self.anchor(segment.centre)
        body = self._body(name, segment, anchor.at)
        host = anchor.body
        if host == GROUND or host in self._occupied:
            host = self.unique(name, "segment")
            self._tables.joints[self.unique(f"{host}_weld", "of")] = Joint(
                parent=Placement(body=anchor.body), child=Placement(body=host)
            )
        self._tables.bodies[host] = body
        self._occupied.add(host)

    def _body(self, name: str, segment: Segment, at: tuple[float, float, float]) -> Body:
        place = f"segment '{name}'"
        mass = self.value(segment.mass, place)
        entries = [self.value(part, place) for part in segment.inertia_entries]
        if len(entries) <= 1:
            inertia = entries[0] if entries else 0.0
            if entries and segment.about == "origin":
                inertia -= mass * (at[0] ** 2 + at[1] ** 2)
            return Body(mass=mass, centre_of_mass=at, inertia=Inertia(xx=inertia, yy=inertia, zz=inertia))
        xx, yy, zz, xy, xz, yz = [*entries, *([0.0] * (6 - len(entries)))]
        matrix = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
        if segment.about == "origin":
            arm = np.array(at)
            matrix -= mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return Body(
            mass=mass,
            centre_of_mass=at,
            inertia=Inertia(
                xx=matrix[0, 0], yy=matrix[1, 1], zz=matrix[2, 2], xy=matrix[0, 1], xz=matrix[0, 2], yz=matrix[1, 2]
            ),
        )

    def _constraints(self) -> None:
        for name, constraint in self.description.constraints.items():
            made = constraint_of(self, name, constraint)
            self._tables.constraints[self.unique(name, "constraint")] = made
