"""Forces, torques and springs of a description as elements of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, SupportsFloat, TypeVar

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.lists.expressions import Expression
from myodyne.formulations.lagrange.lists.records import (
    GROUND,
    CoordinateForce,
    CoordinateSpring,
    Direction,
    Force,
    LinearSpring,
    Spring,
    Torque,
    TorsionalSpring,
)
from myodyne.model import (
    BodyTorque,
    CoordinateActuator,
    Force as ModelForce,
    LineActuator,
    PointForce,
    PointSpring,
    TorqueActuator,
    TorsionSpring,
)

if TYPE_CHECKING:
    from sympy import Expr

    from myodyne.formulations.lagrange.to_model import Anchor, Builder

_PARALLEL = 1e-9
End = TypeVar("End")


class ForceWriter:
    """Writes the elements of the model.

    ``controls`` lists the elements that each input drives. ``laws`` has the generalised force of each motor that stands
    for a force of state and time, ``refused`` the reasons why these forces are no elements of a model.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self.elements: dict[str, ModelForce] = {}
        self.controls: dict[str, list[str]] = {}
        self.laws: dict[str, Expr] = {}
        self.refused: list[str] = []
        self._waiting: dict[str, list[tuple[str, ModelForce]]] = {}

    def write(self) -> None:
        """Write all springs, forces and torques."""
        description = self._builder.description
        for name, spring in description.springs.items():
            self._spring(name, spring)
        for name, force in description.forces.items():
            if isinstance(force, CoordinateForce):
                self._coordinate_force(name, force)
            else:
                self._force(name, force)
        for name, torque in description.torques.items():
            self._torque(name, torque)
        self._name_controls()

    def _name_controls(self) -> None:
        """Give the elements of each input their names: that of the input if there is one, else one for each place.

        None of several bears the name of the input alone: set by itself it would be part of the force only.
        """
        for control, parts in self._waiting.items():
            several = len(parts) > 1
            names = [self._builder.unique(f"{control}_{name}", "force") if several else control for name, _ in parts]
            self.controls[control] = names
            self.elements.update((name, element) for name, (_, element) in zip(names, parts, strict=True))

    def _law(self, name: str, message: str) -> None:
        """Write a motor for every coordinate that a force of state and time does work on."""
        builder = self._builder
        self.refused.append(message)
        equations = builder.equations
        nothing = dict.fromkeys(equations.inputs.values(), 0)
        parts = [part for part in builder.mechanics.working if part.name == name]
        for coordinate, speed in equations.speeds.items():
            force = sum((part.force * equations.slope(part.speed, speed) for part in parts), builder.sympy.Integer(0))
            generalised = builder.formula(force).subs(nothing)
            if generalised == 0:
                continue
            motor = builder.unique(f"{name}_{coordinate}", "force")
            self.elements[motor] = CoordinateActuator(coordinate=coordinate)
            self.laws[motor] = generalised

    def _spring(self, name: str, spring: Spring) -> None:
        builder, place = self._builder, f"spring '{name}'"
        stiffness, damping = builder.value(spring.stiffness, place), builder.value(spring.damping, place)
        if damping and spring.power != 1:
            self._law(name, f"{place}: its damper has the power {spring.power:g}, which a model cannot express")
            damping = 0.0
            if not stiffness:
                return
        match spring:
            case LinearSpring():
                element: ModelForce = PointSpring(
                    start=builder.anchor(spring.start).marker,
                    end=builder.anchor(spring.end).marker,
                    stiffness=stiffness,
                    damping=damping,
                    rest_length=builder.value(spring.free_length, place),
                )
            case CoordinateSpring():
                rest = builder.value(spring.rest, place)
                element = TorsionSpring(coordinate=spring.coordinate, stiffness=stiffness, damping=damping, rest=rest)
            case TorsionalSpring():
                single = self._single(spring.start, spring.end)
                if single is None:
                    raise ModelError(
                        f"{place}: the angle between '{spring.start}' and '{spring.end}' is not one coordinate, "
                        "which a model needs; define the frame relative to the other one"
                    )
                _, coordinate, slope, offset = single
                element = TorsionSpring(
                    coordinate=coordinate,
                    stiffness=stiffness * slope**2,
                    damping=damping * slope**2,
                    rest=(builder.value(spring.free_angle, place) - offset) / slope,
                )
        self.elements[builder.unique(name, "spring")] = element

    def _coordinate_force(self, name: str, force: CoordinateForce) -> None:
        builder, place = self._builder, f"force '{name}'"
        constant, driven = self._split([force.force], place)
        for control, (gain,) in driven.items():
            self._driven(control, name, CoordinateActuator(coordinate=force.coordinate, gain=gain))
        if constant[0] == 0:
            return
        value = builder.equations.coordinates[force.coordinate]
        speed = builder.equations.speeds[force.coordinate]
        stiffness, damping = -constant[0].diff(value), -constant[0].diff(speed)
        start = constant[0].subs({value: 0, speed: 0})
        numbers = [part for part in (stiffness, damping, start) if not part.free_symbols]
        if len(numbers) < 3 or min(float(stiffness), float(damping)) < 0 or (start != 0 and stiffness == 0):
            self._law(name, f"{place}: '{constant[0]!s:.80}' is not a spring and damper, which a model needs here")
            return
        rest = float(start) / float(stiffness) if stiffness != 0 else 0.0
        self.elements[builder.unique(name, "force")] = TorsionSpring(
            coordinate=force.coordinate, stiffness=float(stiffness), damping=float(damping), rest=rest
        )

    def _force(self, name: str, force: Force) -> None:
        builder, place = self._builder, f"force '{name}'"
        if force.along_line:
            self._line(name, force)
            return
        ends = [(builder.anchor(force.at), 1.0, "")]
        if force.reaction_at is not None:
            ends.append((builder.anchor(force.reaction_at), -1.0, "_reaction"))
        own = builder.description.points[force.at].frame
        if force.axes != GROUND and (force.axes != own or len(ends) > 1):
            raise ModelError(f"{place} is in the axes of '{force.axes}', not of the ground or of the body it acts on")
        axes = "ground" if force.axes == GROUND else "body"

        def element(end: Anchor, sign: float, parts: list[float], controlled: bool) -> PointForce | None:
            if end.body == GROUND:
                return None
            x, y, z = (sign * part for part in parts)
            return PointForce(body=end.body, at=end.at, force=(x, y, z), axes=axes, controlled=controlled)

        constant, driven = self._split([*force.components], place)
        if self._varies(name, constant, place):
            constant = [builder.sympy.Integer(0)] * len(constant)
        self._both(name, constant, ends, element)
        for end, sign, suffix in ends:
            for control, vector in driven.items():
                made = element(end, sign, [*vector, *([0.0] * (3 - len(vector)))], True)
                if made is not None:
                    self._driven(control, f"{name}{suffix}", made)

    def _line(self, name: str, force: Force) -> None:
        """Write a force along the line between two points: a piston if inputs drive it, else a law."""
        builder, place = self._builder, f"force '{name}'"
        assert force.reaction_at is not None  # by the record
        (constant,), driven = self._split([*force.components], place)
        start, end = builder.anchor(force.reaction_at).marker, builder.anchor(force.at).marker
        for control, (gain,) in driven.items():
            self._driven(control, name, LineActuator(start=start, end=end, gain=gain))
        if constant != 0:
            self._law(name, f"{place} acts along the line between two points, which a model cannot express")

    def _varies(self, name: str, parts: Sequence[Expr], place: str) -> bool:
        """Return whether a force depends on state or time; it then becomes a law."""
        varying = [part for part in parts if part.free_symbols]
        if varying:
            self._law(name, f"{place}: '{varying[0]!s:.80}' depends on the state or time, which a model cannot express")
        return bool(varying)

    def _torque(self, name: str, torque: Torque) -> None:
        builder, place = self._builder, f"torque '{name}'"
        single = self._single(torque.reaction_on, torque.on)
        parts: list[Expression] = [0, 0, *torque.components] if len(torque.components) == 1 else [*torque.components]
        constant, driven = self._split(parts, place)
        if self._varies(name, constant, place):
            constant = [builder.sympy.Integer(0)] * 3
        plane = builder.description.dimension == 2
        frame = GROUND if plane else torque.axes or torque.on
        if single is not None and not any(constant) and (plane or frame in (torque.on, torque.reaction_on)):
            axis, coordinate, slope, _ = single
            for control, vector in driven.items():
                gain = slope * sum(a * b for a, b in zip(axis, vector, strict=True))
                self._driven(control, name, CoordinateActuator(coordinate=coordinate, gain=gain))
            return
        axes = self._axes_of(torque, frame, [constant, *driven.values()])
        if axes is None:
            raise ModelError(
                f"{place} is in the axes of '{frame}' with its reaction on '{torque.reaction_on}': a model cannot "
                "express it unless it acts along their common axis, or in the axes of the ground"
            )
        body, other = builder.body_of(torque.on), builder.body_of(torque.reaction_on)

        def element(end: str, sign: float, numbers: list[float], controlled: bool) -> BodyTorque | None:
            if end == GROUND:
                return None
            x, y, z = (sign * part for part in numbers)
            return BodyTorque(body=end, torque=(x, y, z), axes=axes, controlled=controlled)

        self._both(name, constant, [(body, 1.0, ""), (other, -1.0, "_reaction")], element)
        for control, vector in driven.items():
            self._driven(control, name, _motor(body, other, vector, axes))

    def _axes_of(
        self, torque: Torque, frame: str, vectors: Iterable[Sequence[SupportsFloat]]
    ) -> Literal["ground", "body"] | None:
        """Return the axes in which torque and reaction have the same components, None if there are none."""
        if frame == GROUND:
            return "ground"
        if torque.reaction_on == GROUND and frame == torque.on:
            return "body"
        turned = self._builder.mechanics.relative_turn(torque.reaction_on, torque.on)
        if turned is None or frame not in (torque.on, torque.reaction_on):
            return None
        for vector in vectors:
            x, y, z = (float(part) for part in vector)
            a, b, c = turned[0]
            across = (abs(y * c - z * b), abs(z * a - x * c), abs(x * b - y * a))
            if max(across) > _PARALLEL * max(abs(x), abs(y), abs(z), 1.0):
                return None
        return "body"

    def _single(self, start: str, end: str) -> tuple[Direction, str, float, float] | None:
        """Return axis, coordinate, slope and offset of an angle between two frames that is one coordinate."""
        turned = self._builder.mechanics.relative_turn(start, end)
        if turned is None:
            return None
        terms = dict(self._builder.polynomial(turned[1].value, f"the angle between '{start}' and '{end}'"))
        offset = terms.pop((), 0.0)
        if len(terms) != 1:
            return None
        ((powers, slope),) = terms.items()
        if len(powers) != 1 or powers[0][1] != 1:
            return None
        return turned[0], powers[0][0], slope, offset

    def _both(
        self,
        name: str,
        constant: Sequence[Expr],
        ends: Sequence[tuple[End, float, str]],
        element: Callable[[End, float, list[float], bool], ModelForce | None],
    ) -> None:
        """Write a constant force and its reaction."""
        numbers = [float(part) for part in constant] + [0.0] * (3 - len(constant))
        for end, sign, suffix in ends:
            made = element(end, sign, numbers, False) if any(numbers) else None
            if made is not None:
                self.elements[self._builder.unique(f"{name}{suffix}", "force")] = made

    def _driven(self, control: str, name: str, element: ModelForce) -> None:
        self._waiting.setdefault(control, []).append((name, element))

    def _split(self, parts: list[Expression], place: str) -> tuple[list[Expr], dict[str, list[float]]]:
        """Return the part of a vector that is independent of inputs, and the vector of each input."""
        builder = self._builder
        formulas = [builder.raw(part) for part in parts]
        driven: dict[str, list[float]] = {}
        for name, symbol in builder.equations.inputs.items():
            slopes = [formula.diff(symbol) for formula in formulas]
            if any(slope != 0 for slope in slopes):
                driven[name] = [builder.number(slope, f"{place}, driven by '{name}'") for slope in slopes]
        nothing = dict.fromkeys(builder.equations.inputs.values(), 0)
        return [formula.subs(nothing) for formula in formulas], driven


def _motor(body: str, other: str, vector: Sequence[float], axes: Literal["ground", "body"]) -> TorqueActuator:
    """Return one motor for a torque and its reaction: one control turns both bodies."""
    if body == GROUND:
        body, other, vector = other, body, [-part for part in vector]
    gain = sum(part * part for part in vector) ** 0.5
    x, y, z = (part / gain for part in vector)
    # Along an axis the sign stays with the gain, which reads better.
    if min(x, y, z) <= 0 and max(x, y, z) == 0:
        x, y, z, gain = -x + 0.0, -y + 0.0, -z + 0.0, -gain
    reaction = None if other == GROUND else other
    return TorqueActuator(body=body, reaction=reaction, axis=(x, y, z), axes=axes, gain=gain)
