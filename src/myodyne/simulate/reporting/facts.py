"""What the record of a simulation needs to know about a model, gathered once for each model."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from myodyne.data.headers import Header
from myodyne.equations import Equations
from myodyne.equations.muscles.kinds import activation_states
from myodyne.model import (
    GROUND,
    ContactPoint,
    CoordinateLimit,
    HuntCrossleyContact,
    JointLimit,
    Model,
    SmoothSphereContact,
)
from myodyne.model.units import angles
from myodyne.types import Booleans, Floats, Integers

GroundContact = ContactPoint | HuntCrossleyContact | SmoothSphereContact

# Models whose facts are kept.
_MODELS = 64


class Fibres(NamedTuple):
    """The muscles of a model: columns of path lengths and fibre states, and their numbers (m)."""

    names: tuple[str, ...]
    paths: Integers
    states: Integers
    elastic: Booleans
    optimal: Floats
    slack: Floats


@dataclass(frozen=True)
class Facts:
    """Names, units and ranges of all that is recorded; two of the same model are equal."""

    identity: str
    equations: Equations = field(compare=False)

    @cached_property
    def turning(self) -> frozenset[str]:
        """Names of the coordinates that are angles."""
        return angles(self.equations.model)

    @cached_property
    def header(self) -> Header:
        """Names and units of all columns: motion, controls, outputs, work."""
        equations = self.equations
        units = ["rad" if name in self.turning else "m" for name in equations.coordinates]
        # Motions of the ground stand behind the controls of the model.
        controls = equations.control_columns[: len(equations.model.controls)]
        names = [*equations.motion, *controls, *equations.outputs, "energy.input_work"]
        plain = [""] * (len(equations.motion) - 2 * len(units) + len(controls))
        return Header(names, [*units, *(f"{unit}/s" for unit in units), *plain, *equations.output_units, "J"])

    @cached_property
    def model_text(self) -> str:
        """The model as JSON text."""
        return json.dumps(self.equations.model.model_dump(mode="json"), allow_nan=False, separators=(",", ":"))

    @cached_property
    def coordinate_ranges(self) -> tuple[Floats, Floats]:
        """Lower and upper limits (n,) of the coordinates, infinite where there are none."""
        parts = [self.equations.model.coordinates[name].range for name in self.equations.coordinates]
        limits = np.array([part or (-np.inf, np.inf) for part in parts], dtype=float).reshape(-1, 2)
        return limits[:, 0], limits[:, 1]

    @cached_property
    def control_ranges(self) -> tuple[Floats, Floats]:
        """Lower and upper limits (n,) of the model's controls, infinite where there are none."""
        parts = [_control_range(self.equations.model, name) for name in self.equations.model.controls]
        limits = np.array([part or (-np.inf, np.inf) for part in parts], dtype=float).reshape(-1, 2)
        return limits[:, 0], limits[:, 1]

    @cached_property
    def ranged(self) -> tuple[tuple[str, ...], Integers, Floats, Floats]:
        """Coordinates with a range: their names, their columns, and lower and upper limits."""
        parts = self.equations.model.coordinates.items()
        kept = {n: p.range for n, p in parts if p.range is not None and not p.locked and n in self.header}
        limits = np.array(list(kept.values()), dtype=float).reshape(-1, 2)
        columns = np.array([self.header.column(name) for name in kept], dtype=np.intp)
        return tuple(kept), columns, limits[:, 0], limits[:, 1]

    @cached_property
    def limits(self) -> dict[str, str]:
        """The joint limits of the model: the name of the force by that of its coordinate."""
        forces = self.equations.model.forces.items()
        return {force.coordinate: name for name, force in forces if isinstance(force, JointLimit | CoordinateLimit)}

    @cached_property
    def fibres(self) -> Fibres:
        """Where lengths of paths and fibres stand, and the numbers that give the fibres' length."""
        muscles = self.equations.model.muscles
        elastic = np.array([muscle.elastic for muscle in muscles.values()], dtype=bool)
        column = self.header.column
        return Fibres(
            names=tuple(muscles),
            paths=np.array([column(f"{name}.length") for name in muscles], dtype=np.intp),
            # A rigid tendon leaves no fibre state: the path's own column stands in, and is not read.
            states=np.array(
                [column(f"{n}.projected_length" if m.elastic else f"{n}.length") for n, m in muscles.items()],
                dtype=np.intp,
            ),
            elastic=elastic,
            optimal=np.array([muscle.optimal_fibre_length for muscle in muscles.values()], dtype=float),
            slack=np.array([muscle.tendon_slack_length for muscle in muscles.values()], dtype=float),
        )

    @cached_property
    def contacts(self) -> dict[str, GroundContact]:
        """Points and spheres of bodies that touch planes of the ground, by name."""
        forces = self.equations.model.forces.items()
        found = {name: force for name, force in forces if isinstance(force, GroundContact)}
        return {name: c for name, c in found.items() if c.plane.body == GROUND and c.body != GROUND}

    @cached_property
    def activations(self) -> dict[str, int]:
        """Where the activations of muscles stand in the motion."""
        return {name: self.equations.motion.index(name) for name in activation_states(self.equations.model).values()}


def _control_range(model: Model, name: str) -> tuple[float, float] | None:
    if name in model.muscles:
        return 0.0, 1.0
    limits: tuple[float, float] | None = getattr(model.forces[name], "control_range", None)
    return limits


def identity(equations: Equations) -> str:
    """Return a text that is the same for equations of the same model under the same feedback and forces."""
    closure = equations.closure
    return f"{equations.model.hash} {closure.fingerprint} {closure.values}"


def facts_of(equations: Equations) -> Facts:
    """Return the facts of the model of some equations."""
    return _kept(Facts(identity(equations), equations))


@lru_cache(maxsize=_MODELS)
def _kept(facts: Facts) -> Facts:
    return facts
