"""The Model: everything a body is, as plain, frozen, validated data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import Field, ValidationError, model_validator

from myodyne.errors import ModelError, unknown_name
from myodyne.model import values
from myodyne.model.audit import Audit
from myodyne.model.bodies import Body, Marker, Placement
from myodyne.model.checks import check_model
from myodyne.model.checks.tree import tree_order
from myodyne.model.constraints import Constraint
from myodyne.model.forces import Force
from myodyne.model.joints import Coordinate, Joint
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.part import Name, Named, NonNegative, Part, Vector, raise_model_error
from myodyne.model.prescribed import ControlFunction
from myodyne.model.surfaces import Surface, Wrapping
from myodyne.notebook import Table, counted, first_of, html_of

STANDARD_GRAVITY: Vector = (0.0, -9.80665, 0.0)
_TABLES = ("bodies", "joints", "markers", "sensors", "surfaces", "muscles", "forces", "constraints", "prescribed")
_REMOVABLE = ("muscles", "forces", "markers", "sensors", "constraints")


class Model(Part):
    """Bodies, joints, markers, surfaces, muscles, forces and constraints, by name.

    SI units, radians; y up, x forward, z to the right.
    ``wrapping`` sets how paths run over surfaces: "opensim", to the letter of OpenSim 4.6, or "shortest", taut on the
    wanted side, with lengths that hardly ever jump: ``model.with_values({"wrapping": "shortest"})``.
    ``sensors`` are the frames of inertial sensors. ``prescribed`` are functions of ``time`` (s) by the names of
    controls: a simulation follows those for which it is given no other control.
    ``stabilisation`` (1/s) is the rate at which errors of constraints die out (Baumgarte 1972); zero keeps the
    constraints on the accelerations alone.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.Model(
    ...     name="rod",
    ...     bodies={"rod": my.Body(mass=1.0, centre_of_mass=(0, -0.5, 0), inertia=1 / 12)},
    ...     joints={"pivot": my.pin("ground", "rod", "angle")},
    ... )
    >>> list(rod.coordinates)
    ['angle']
    """

    name: Name
    source: str = ""
    gravity: Vector = STANDARD_GRAVITY
    bodies: Named[Body] = Named()
    joints: Named[Joint] = Named()
    markers: Named[Marker] = Named()
    sensors: Named[Placement] = Named()
    surfaces: Named[Surface] = Named()
    wrapping: Wrapping = "opensim"
    muscles: Named[Muscle] = Named()
    forces: Named[Force] = Named()
    constraints: Named[Constraint] = Named()
    prescribed: Named[ControlFunction] = Named()
    stabilisation: NonNegative = 0.0
    free_values: tuple[str, ...] = ()
    # What the file held that the model was read from: about the model, not of it, so no part of its equality or hash.
    audit: Audit | None = Field(default=None, exclude=True, repr=False)

    @model_validator(mode="after")
    def _check_consistency(self) -> Model:
        check_model(self)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        compared = (name for name, field in type(self).model_fields.items() if not field.exclude)
        return all(getattr(self, name) == getattr(other, name) for name in compared)

    def _tables(self) -> dict[tuple[str, str], Named[Any]]:
        """Return the tables that are not empty, by what one and many of their parts are called."""
        tables: dict[tuple[str, str], Named[Any]] = {
            ("body", "bodies"): self.bodies,
            ("coordinate", "coordinates"): self.coordinates,
            ("muscle", "muscles"): self.muscles,
            ("force", "forces"): self.forces,
            ("constraint", "constraints"): self.constraints,
            ("marker", "markers"): self.markers,
            ("sensor", "sensors"): self.sensors,
        }
        return {names: table for names, table in tables.items() if table}

    def __repr__(self) -> str:
        counts = [counted(len(table), one, many) for (one, many), table in self._tables().items()]
        return f"<Model '{self.name}': {', '.join(counts) or 'empty'}>"

    def _repr_html_(self) -> str:
        rows = [(counted(len(table), *names), first_of(table, 160)) for names, table in self._tables().items()]
        source = [first_of([self.source], 300)] if self.source else []
        return html_of(f"Model {self.name}, {self.mass:.5g} kg", source, [Table("", (), rows)])

    # Printing a large model in full would take thousands of lines.
    __str__ = __repr__

    def __hash__(self) -> int:
        return hash(self.hash)

    @cached_property
    def tree(self) -> tuple[str, ...]:
        """Names of the joints, every parent before its children."""
        return tree_order(self)

    @cached_property
    def coordinates(self) -> Named[Coordinate]:
        """All coordinates, in the order of the tree, the locked ones too."""
        return Named({name: part for joint in self.tree for name, part in self.joints[joint].coordinates.items()})

    @cached_property
    def moving(self) -> tuple[str, ...]:
        """Names of the coordinates that can move on their own: neither locked nor coupled."""
        return tuple(name for name, part in self.coordinates.items() if not part.locked and part.coupled is None)

    @cached_property
    def controls(self) -> tuple[str, ...]:
        """Names of the controls: each bears the name of the muscle that it excites or the force that it drives."""
        driven = (name for name, force in self.forces.items() if force.controlled)
        return (*self.muscles, *driven)

    @cached_property
    def motions(self) -> tuple[str, ...]:
        """Names of the constraints that move a coordinate as a function of time."""
        return tuple(name for name, part in self.constraints.items() if part.kind == "motion")

    @cached_property
    def mass(self) -> float:
        """Mass of all bodies together (kg)."""
        return sum(body.mass for body in self.bodies.values())

    def value(self, name: str) -> Any:  # noqa: ANN401 - a number, text or part, as the name says
        """Return a number, or a group of numbers, by name: ``model.value("thigh.mass")``."""
        return values.get(self, name)

    def with_values(self, changes: Mapping[str, Any]) -> Model:
        """Return a copy in which the named numbers are others: ``{"thigh.mass": 8.0, "gravity.y": -1.62}``."""
        if not isinstance(changes, Mapping):
            raise ModelError(f"values are given by name, like {{'thigh.mass': 8.0}}, not as {changes!r:.60}")
        changed = self
        for name, value in changes.items():
            changed = values.replaced(changed, name, value)
        return Model._validated(changed)

    def free(self, *names: str) -> Model:
        """Return a copy in which the named numbers are inputs of the equations instead of parts of their code.

        They can then be changed by `with_values` without a rebuild, and differentiated by.
        """
        leaves = [leaf for name in names for leaf in values.leaves(self, name)]
        free_values = tuple(dict.fromkeys([*self.free_values, *leaves]))
        return Model._validated(self.model_copy(update={"free_values": free_values}))

    def unconstrained(self) -> Model:
        """Return the plain tree in which every coordinate can move: locks, couplings and constraints lifted."""
        lifted = {"locked": False, "coupled": None}
        joints = {}
        for name, joint in self.joints.items():
            coordinates = {c: part.model_copy(update=lifted) for c, part in joint.coordinates.items()}
            joints[name] = joint.model_copy(update={"coordinates": Named(coordinates)})
        return Model._validated(self.model_copy(update={"joints": Named(joints), "constraints": Named()}))

    def unprescribed(self, *names: str) -> Model:
        """Return a copy in which the named controls, or all, are no longer functions of time.

        Examples
        --------
        >>> import myodyne as my
        >>> rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")},
        ...     prescribed={"motor": my.Linear(coordinate="time", slope=2.0)})
        >>> dict(rod.unprescribed().prescribed)
        {}
        """
        for name in names:
            if name not in self.prescribed:
                raise ModelError(unknown_name("prescribed control", name, list(self.prescribed)))
        kept = {name: held for name, held in self.prescribed.items() if names and name not in names}
        return Model._validated(self.model_copy(update={"prescribed": Named(kept)}))

    def with_parts(self, **tables: Mapping[str, Any]) -> Model:
        """Return a copy with parts added or exchanged: ``model.with_parts(constraints={"toe": ...})``."""
        changes = {}
        for table, parts in tables.items():
            if table not in _TABLES:
                raise ModelError(unknown_name("table", table, _TABLES))
            changes[table] = {**getattr(self, table), **parts}
        return Model(**{**{name: getattr(self, name) for name in type(self).model_fields}, **changes})

    def without(self, *names: str) -> Model:
        """Return a copy without the named muscles, forces, markers, sensors or constraints."""
        tables = {table: dict(getattr(self, table)) for table in _REMOVABLE}
        for name in names:
            owner = next((parts for parts in tables.values() if name in parts), None)
            if owner is None:
                known = [known for parts in tables.values() for known in parts]
                raise ModelError(unknown_name("muscle, force, marker, sensor or constraint", name, known))
            del owner[name]
        return Model._validated(self.model_copy(update={table: Named(parts) for table, parts in tables.items()}))

    @cached_property
    def free_numbers(self) -> tuple[float, ...]:
        """The present values of the free numbers, in the order of ``free_values``."""
        return tuple(float(values.get(self, name)) for name in self.free_values)

    @cached_property
    def hash(self) -> str:
        """A fingerprint of all that the model says, its free numbers included."""
        return _digest(_without_pictures(self.model_dump(mode="json")))

    @cached_property
    def structure_hash(self) -> str:
        """A fingerprint of what is built into the code of the equations: all but free numbers and prose."""
        masked = self
        for name in self.free_values:
            masked = values.replaced(masked, name, 0.0)
        content = masked.model_dump(mode="json", exclude={"name", "source", "sensors", "prescribed"})
        for body in content["bodies"].values():
            del body["geometry"]
        for marker in content["markers"].values():
            marker.pop("fixed", None)
        return _digest(_without_pictures(content))

    @classmethod
    def _validated(cls, model: Model) -> Model:
        """Check a copy that was put together piece by piece."""
        try:
            # No warnings: a value of the wrong type is rejected by the validation below, by name.
            content = {**model.model_dump(warnings=False), "audit": model.audit}
            # What a copy no longer has needs no control.
            kept = {name: held for name, held in content["prescribed"].items() if name in model.controls}
            content["prescribed"] = kept
            return cls.model_validate(content)
        except ValidationError as error:
            raise_model_error(model.name, error)
            raise ModelError("unreachable") from error


def _without_pictures(content: dict[str, Any]) -> dict[str, Any]:
    """Return plain data without the points that paths are only drawn along: no equation depends on them."""
    for table in ("sensors", "prescribed"):
        # Models without them keep the fingerprints that they had before there were any.
        if not content.get(table, True):
            del content[table]
    for part in (*content["muscles"].values(), *content["forces"].values()):
        if isinstance(path := part.get("path"), dict):
            path.pop("shown", None)
    return content


def _digest(content: object) -> str:
    # Not sorted: the order of the parts is the order of the coordinates.
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
