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
    PointForce,
    PointSpring,
    TorsionSpring,
)

if TYPE_CHECKING:
    from sympy import Expr

    from myodyne.formulations.lagrange.to_model import Anchor, Builder

_PARALLEL = 1e-9
End = TypeVar("End")


class ForceWriter:
    """Writes the elements of the model; ``controls`` lists the elements that each input drives."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self.elements: dict[str, ModelForce] = {}
        self.controls: dict[str, list[str]] = {}

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

    def _spring(self, name: str, spring: Spring) -> None:
        builder, place = self._builder, f"spring '{name}'"
        stiffness, damping = builder.value(spring.stiffness, place), builder.value(spring.damping, place)
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
        constant, driven = self._split([force.force], place, varying=True)
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
            raise ModelError(f"{place}: '{constant[0]}' is not a spring and damper, which a model needs here")
        rest = float(start) / float(stiffness) if stiffness != 0 else 0.0
        self.elements[builder.unique(name, "force")] = TorsionSpring(
            coordinate=force.coordinate, stiffness=float(stiffness), damping=float(damping), rest=rest
        )

    def _force(self, name: str, force: Force) -> None:
        builder, place = self._builder, f"force '{name}'"
        if force.along_line:
            raise ModelError(f"{place} acts along the line between two points, which a model cannot express")
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

        self._both(name, [*force.components], ends, element)

    def _torque(self, name: str, torque: Torque) -> None:
        builder, place = self._builder, f"torque '{name}'"
        single = self._single(torque.reaction_on, torque.on)
        parts: list[Expression] = [0, 0, *torque.components] if len(torque.components) == 1 else [*torque.components]
        constant, driven = self._split(parts, place)
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
        ends = [(builder.body_of(torque.on), 1.0, ""), (builder.body_of(torque.reaction_on), -1.0, "_reaction")]

        def element(end: str, sign: float, numbers: list[float], controlled: bool) -> BodyTorque | None:
            if end == GROUND:
                return None
            x, y, z = (sign * part for part in numbers)
            return BodyTorque(body=end, torque=(x, y, z), axes=axes, controlled=controlled)

        self._both(name, parts, ends, element)

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
        parts: list[Expression],
        ends: Sequence[tuple[End, float, str]],
        element: Callable[[End, float, list[float], bool], ModelForce | None],
    ) -> None:
        """Write a force and its reaction: the constant part, and that of each input."""
        constant, driven = self._split(parts, f"'{name}'")
        numbers = [float(part) for part in constant] + [0.0] * (3 - len(constant))
        for end, sign, suffix in ends:
            made = element(end, sign, numbers, False) if any(numbers) else None
            if made is not None:
                self.elements[self._builder.unique(f"{name}{suffix}", "force")] = made
            for control, vector in driven.items():
                made = element(end, sign, [*vector, *([0.0] * (3 - len(vector)))], True)
                if made is not None:
                    self._driven(control, f"{name}{suffix}", made)

    def _driven(self, control: str, name: str, element: ModelForce) -> None:
        """Add an element that an input drives: the first has its name, others have their own appended."""
        known = self.controls.setdefault(control, [])
        chosen = control if not known else self._builder.unique(f"{control}_{name}", "force")
        known.append(chosen)
        self.elements[chosen] = element

    def _split(
        self, parts: list[Expression], place: str, varying: bool = False
    ) -> tuple[list[Expr], dict[str, list[float]]]:
        """Return the part of a vector that is independent of inputs, and the vector of each input."""
        builder = self._builder
        formulas = [builder.raw(part) for part in parts]
        driven: dict[str, list[float]] = {}
        for name, symbol in builder.equations.inputs.items():
            slopes = [formula.diff(symbol) for formula in formulas]
            if any(slope != 0 for slope in slopes):
                driven[name] = [builder.number(slope, f"{place}, driven by '{name}'") for slope in slopes]
        nothing = dict.fromkeys(builder.equations.inputs.values(), 0)
        constant = [formula.subs(nothing) for formula in formulas]
        for formula in constant:
            if formula.free_symbols and not varying:
                raise ModelError(f"{place}: '{formula}' depends on the state or time, which a model cannot express")
        return constant, driven
