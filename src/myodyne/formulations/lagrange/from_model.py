"""A model described by lists, so that its equations can be derived independently."""

from __future__ import annotations

from collections.abc import Sequence

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.function_texts import (
    coordinate_limit_text,
    function_text,
    limit_text,
    number_text,
)
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.expressions import Expression, quoted
from myodyne.formulations.lagrange.lists.records import (
    GROUND,
    Closure,
    Coincidence,
    Constraint,
    Coordinate,
    CoordinateForce,
    CoordinateSpring,
    Force,
    Frame,
    LinearSpring,
    Load,
    Nonholonomic,
    Point,
    Segment,
    Spring,
    Torque,
)
from myodyne.model import (
    BodyTorque,
    Constraint as ModelConstraint,
    CoordinateActuator,
    CoordinateLimit,
    CouplerConstraint,
    DistanceConstraint,
    Force as ModelForce,
    Joint,
    JointLimit,
    LineActuator,
    Marker,
    Model,
    MotionConstraint,
    PointActuator,
    PointConstraint,
    PointForce,
    PointSpring,
    SpeedConstraint,
    TorqueActuator,
    TorsionSpring,
)

_PLANE = 1e-12


def from_model(model: Model) -> Description:
    """Return the lists of a model: a frame and a centre of mass for each body, and its forces and constraints.

    A model that moves in the x-y plane is described in two dimensions. What the lists cannot express raises an error
    that names it: weld, line and rolling constraints, forces on coupled coordinates, and elements with paths.

    Examples
    --------
    >>> import myodyne as my
    >>> lists = from_model(my.load_model("double_pendulum"))
    >>> lists.dimension, list(lists.segments)
    (2, ['rod1', 'rod2'])
    """
    return _Writer(model).description()


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.size = 2 if _is_planar(model) else 3
        self.points: dict[str, Point] = {}
        self.frames: dict[str, Frame] = {}
        self.springs: dict[str, Spring] = {}
        self.forces: dict[str, Load] = {}
        self.torques: dict[str, Torque] = {}
        self.constraints: dict[str, Closure] = {}
        self.coordinates = self._coordinate_texts()

    def description(self) -> Description:
        model = self.model
        for name in model.muscles:
            raise ModelError(f"'{name}' is a muscle, which the lists cannot express; remove it with model.without")
        for name in model.tree:
            self._joint(name, model.joints[name])
        for name, force in model.forces.items():
            self._force(name, force)
        for name, constraint in model.constraints.items():
            self._constraint(name, constraint)
        parts = {name: model.coordinates[name] for name in model.moving}
        return Description(
            name=model.name,
            dimension=self.size,
            coordinates={n: Coordinate(part.default, part.default_speed) for n, part in parts.items()},
            points=self.points,
            frames=self.frames,
            segments=self._segments(),
            springs=self.springs,
            forces=self.forces,
            torques=self.torques,
            constraints=self.constraints,
            inputs=model.controls,
            gravity=model.gravity[: self.size],
        )

    def _coordinate_texts(self) -> dict[str, str]:
        """Return each coordinate as an expression of the free ones."""
        found = {name: quoted(name) for name in self.model.moving}
        found |= {name: number_text(part.default) for name, part in self.model.coordinates.items() if part.locked}
        waiting = {name: part.coupled for name, part in self.model.coordinates.items() if part.coupled is not None}
        while waiting:
            for name, function in list(waiting.items()):
                if all(other in found for other in function.coordinates):
                    found[name] = f"({function_text(function, found, f'coordinate {name!r}')})"
                    del waiting[name]
        return found

    # The tree

    def _joint(self, name: str, joint: Joint) -> None:
        """Write the frames from parent to child, with an extra one where a translation follows a rotation."""
        walk = _Walk(self, name, joint.parent.body)
        walk.shift(joint.parent.at)
        walk.turn_by(joint.parent.orientation)
        for axis in joint.axes:
            text = function_text(axis.function, self.coordinates, f"joint '{name}'")
            if axis.motion == "rotation":
                walk.turn(axis.direction, text)
            else:
                walk.slide(axis.direction, text)
        # The body's frame is the inverse of the child's placement in the joint's frame.
        a, b, c = joint.child.orientation
        for letter, angle in (("z", -c), ("y", -b), ("x", -a)):
            if angle:
                walk.turn(letter, angle)
        walk.shift([-part for part in joint.child.at])
        walk.end(joint.child.body)

    def _segments(self) -> dict[str, Segment]:
        found = {}
        for name, body in self.model.bodies.items():
            inertia = body.inertia
            if body.mass == 0 and not any((inertia.xx, inertia.yy, inertia.zz)):
                continue
            centre = self._point(f"{name}:centre", Marker(body=name, at=body.centre_of_mass))
            # Winter's products of inertia are ∫ x y dm, the model's are entries of the matrix: the signs differ.
            products = (-inertia.xy, -inertia.xz, -inertia.yz)
            moments = (inertia.xx, inertia.yy, inertia.zz, *products) if self.size == 3 else (inertia.zz,)
            found[name] = Segment(centre, body.mass, moments)
        return found

    def _point(self, name: str, marker: Marker) -> str:
        self.points[name] = Point(marker.body, marker.at[: self.size])
        return name

    # Forces

    def _force(self, name: str, force: ModelForce) -> None:
        control = f"*{quoted(name)}" if name in self.model.controls else ""
        match force:
            case PointForce():
                at = self._point(f"{name}:at", Marker(body=force.body, at=force.at))
                axes = GROUND if force.axes == "ground" else force.body
                self.forces[name] = Force(at, self._scaled(force.force[: self.size], control), axes)
            case BodyTorque():
                torque = force.torque if self.size == 3 else force.torque[2:]
                axes = GROUND if force.axes == "ground" else force.body
                self.torques[name] = Torque(GROUND, force.body, self._scaled(torque, control), axes)
            case PointSpring():
                start, end = self._point(f"{name}:start", force.start), self._point(f"{name}:end", force.end)
                self.springs[name] = LinearSpring(start, end, force.stiffness, force.damping, force.rest_length)
            case CoordinateActuator():
                if self._moves(name, force.coordinate):
                    self.forces[name] = CoordinateForce(force.coordinate, f"{number_text(force.gain)}{control}")
            case TorsionSpring():
                if self._moves(name, force.coordinate):
                    self.springs[name] = CoordinateSpring(force.coordinate, force.stiffness, force.damping, force.rest)
            case JointLimit():
                if self._moves(name, force.coordinate):
                    self.forces[name] = CoordinateForce(force.coordinate, limit_text(force))
            case CoordinateLimit():
                if self._moves(name, force.coordinate):
                    self.forces[name] = CoordinateForce(force.coordinate, coordinate_limit_text(force))
            case TorqueActuator():
                self._motor(name, force)
            case LineActuator():
                start, end = self._point(f"{name}:start", force.start), self._point(f"{name}:end", force.end)
                self.forces[name] = Force(end, f"{number_text(force.gain)}{control}", reaction_at=start)
            case PointActuator(at_frame="body"):
                at = self._point(f"{name}:at", Marker(body=force.body, at=force.at))
                axes = GROUND if force.axes == "ground" else force.body
                parts = [force.gain * part for part in force.direction[: self.size]]
                self.forces[name] = Force(at, self._scaled(parts, control), axes)
            case _:
                kind = getattr(force, "kind", type(force).__name__)
                raise ModelError(
                    f"force '{name}' is a {kind}, which the lists cannot express; remove it with model.without"
                )

    def _motor(self, name: str, motor: TorqueActuator) -> None:
        parts = [motor.gain * part for part in (motor.axis if self.size == 3 else motor.axis[2:])]
        axes = GROUND if motor.axes == "ground" else motor.body
        reaction = motor.reaction or GROUND
        self.torques[name] = Torque(reaction, motor.body, self._scaled(parts, f"*{quoted(name)}"), axes)

    def _moves(self, name: str, coordinate: str) -> bool:
        part = self.model.coordinates[coordinate]
        if part.coupled is not None:
            raise ModelError(
                f"force '{name}' acts on the coupled coordinate '{coordinate}', which the lists cannot express"
            )
        return not part.locked

    @staticmethod
    def _scaled(parts: Sequence[float], control: str) -> list[Expression]:
        return [f"{number_text(part)}{control}" if control and part else part for part in parts]

    def _constraint(self, name: str, constraint: ModelConstraint) -> None:
        if constraint.by in ("projection", "differences"):
            raise ModelError(
                f"constraint '{name}' is solved by {constraint.by}: the lists cannot express coordinates without a "
                "formula. Use multipliers, or the method 'fit'"
            )
        match constraint:
            case _ if constraint.by == "fit":
                return  # satisfied by the functions of the coordinates
            case PointConstraint() if self._holds_all(constraint.axes):
                self.constraints[name] = Coincidence(*self._ends(name, constraint))
            case PointConstraint():
                first, second = self._ends(name, constraint)
                for axis in constraint.axes:
                    gap = f"{quoted(first)}.{axis} - {quoted(second)}.{axis}"
                    self.constraints[f"{name}_{axis}"] = Constraint(gap)
            case DistanceConstraint():
                first, second = self._ends(name, constraint)
                gaps = [f"({quoted(first)}.{axis} - {quoted(second)}.{axis})**2" for axis in "xyz"[: self.size]]
                self.constraints[name] = Constraint(f"sqrt({' + '.join(gaps)}) - {number_text(constraint.distance)}")
            case CouplerConstraint():
                wanted = function_text(constraint.function, self.coordinates, f"constraint '{name}'")
                self.constraints[name] = Constraint(f"{self.coordinates[constraint.coordinate]} - ({wanted})")
            case SpeedConstraint():
                speed = quoted(f"{constraint.coordinate}_dot")
                self._moving(name, constraint.coordinate)
                self.constraints[name] = Nonholonomic(f"{speed} - {number_text(constraint.speed)}")
            case MotionConstraint():
                self._moving(name, constraint.coordinate)
                motion = function_text(constraint.function, {"time": "t"}, f"constraint '{name}'")
                self.constraints[name] = Constraint(f"{quoted(constraint.coordinate)} - ({motion})")
            case _:
                raise ModelError(f"constraint '{name}' is a {constraint.kind}, which the lists cannot express")

    def _moving(self, name: str, coordinate: str) -> None:
        if coordinate not in self.model.moving:
            raise ModelError(f"constraint '{name}' drives '{coordinate}', which is locked or coupled")

    def _holds_all(self, axes: str) -> bool:
        # In the plane z coincides anyway.
        return axes.startswith("xy") if self.size == 2 else axes == "xyz"

    def _ends(self, name: str, constraint: PointConstraint | DistanceConstraint) -> tuple[str, str]:
        return self._point(f"{name}:first", constraint.first), self._point(f"{name}:second", constraint.second)


class _Walk:
    """The transformations from one body's frame to the next, written as points and frames."""

    def __init__(self, writer: _Writer, joint: str, start: str) -> None:
        self._writer = writer
        self._joint = joint
        self._frame = start
        self._at: list[list[str]] = [[], [], []]
        self._turns: list[tuple[str | Sequence[float], Expression]] = []
        self._stops = 0

    def turn(self, axis: str | Sequence[float], angle: Expression) -> None:
        if self._writer.size == 2:
            if axis in ("x", "y"):
                return
            axis = axis if isinstance(axis, str) else "z" if axis[2] > 0 else "-z"
        self._turns.append((axis, angle))

    def turn_by(self, orientation: Sequence[float]) -> None:
        for letter, angle in zip("xyz", orientation, strict=True):
            if angle:
                self.turn(letter, angle)

    def shift(self, by: Sequence[float]) -> None:
        if any(by):
            self._stand()
            for parts, number in zip(self._at, by, strict=True):
                if number:
                    parts.append(number_text(number))

    def slide(self, direction: Sequence[float], text: str) -> None:
        self._stand()
        for parts, share in zip(self._at, direction, strict=True):
            if share:
                parts.append(f"({text})" if share == 1 else f"{number_text(share)}*({text})")

    def end(self, body: str) -> None:
        self._frame_here(body)

    def _stand(self) -> None:
        """Add a frame if there are rotations before the next translation."""
        if self._turns:
            self._stops += 1
            self._frame_here(f"{self._joint}:frame{self._stops}")

    def _frame_here(self, name: str) -> None:
        point = f"{name}:origin"
        at = [" + ".join(parts) if parts else 0 for parts in self._at]
        self._writer.points[point] = Point(self._frame, at[: self._writer.size])
        axes, angles = zip(*self._turns, strict=True) if self._turns else ((), ())
        self._writer.frames[name] = Frame(point, angles, axes, self._frame)
        self._frame, self._at, self._turns = name, [[], [], []], []


def _is_planar(model: Model) -> bool:
    """Return whether the model moves in the x-y plane."""

    def flat(vector: Sequence[float]) -> bool:
        return abs(vector[2]) <= _PLANE

    def upright(vector: Sequence[float]) -> bool:
        return abs(vector[0]) <= _PLANE and abs(vector[1]) <= _PLANE

    for joint in model.joints.values():
        for place in (joint.parent, joint.child):
            if not (flat(place.at) and upright(place.orientation)):
                return False
        for axis in joint.axes:
            if not (upright if axis.motion == "rotation" else flat)(axis.direction):
                return False
    points = [marker for part in [*model.forces.values(), *model.constraints.values()] for marker in _ends_of(part)]
    vectors = [model.gravity, *(marker.at for marker in points)]
    vectors += [force.force for force in model.forces.values() if isinstance(force, PointForce)]
    vectors += [force.direction for force in model.forces.values() if isinstance(force, PointActuator)]
    torques = [force.torque for force in model.forces.values() if isinstance(force, BodyTorque)]
    torques += [force.axis for force in model.forces.values() if isinstance(force, TorqueActuator)]
    return all(map(flat, vectors)) and all(map(upright, torques))


def _ends_of(part: ModelForce | ModelConstraint) -> list[Marker]:
    names = ("start", "end", "first", "second")
    found = [getattr(part, name) for name in names if hasattr(part, name)]
    if isinstance(part, PointForce | PointActuator):
        found.append(Marker(body=part.body, at=part.at))
    return found
