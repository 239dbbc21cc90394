"""Goals about feet: how suddenly the ground acts on them, and how fast they move close to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from pydantic import Field, field_validator

from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND, ContactPoint, HuntCrossleyContact, Model, SmoothSphereContact
from myodyne.model.part import Name, Positive
from myodyne.optimise.expressions import Expression, Scope
from myodyne.optimise.goals.base import Goal
from myodyne.physics.forces.contact import meeting_of

if TYPE_CHECKING:
    from casadi import SX

GroundContact: TypeAlias = ContactPoint | HuntCrossleyContact | SmoothSphereContact


class ContactForceRate(Goal):
    """How suddenly the ground force on each foot changes: the mean over time of ``Σ feet, axes (rate / scale)²``.

    The rate is the derivative of the summed force of all contacts of a foot, in body weights per second. Muscles do
    not feel an impact; without this goal, feet that hit the ground cost nothing.

    Parameters
    ----------
    axes
        Components of the force in the ground's axes: ``"y"``, ``"x"``, or several, ``("x", "y")``.
    scale
        The rate (body weights per second) that counts as one.
    of
        The contacts of each foot, by a name of the foot. By default all contacts with the ground; those on a body and
        on bodies that it carries, such as toes, are of one foot.

    Examples
    --------
    >>> import myodyne as my
    >>> impact = my.ContactForceRate(axes="y", weight=0.3)
    >>> impact.axes, impact.scale
    (('y',), 50.0)
    """

    kind: Literal["contact_force_rate"] = "contact_force_rate"
    axes: tuple[Literal["x", "y", "z"], ...] = Field(default=("y",), min_length=1)
    scale: Positive = 50.0
    of: dict[Name, tuple[Name, ...]] = Field(default_factory=dict)

    @field_validator("axes", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    def split(self, model: Model) -> dict[str, Goal]:
        feet = feet_of(model, self.of, self.name)
        return {foot: self.model_copy(update={"of": {foot: contacts}}) for foot, contacts in feet.items()}

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        model = scope.assembly.model
        weight = model.mass * float(np.linalg.norm(model.gravity))
        if not weight > 0:
            raise ModelError(f"{self.name}: '{model.name}' has no weight; rates are in body weights per second")
        rates = []
        for contacts in feet_of(model, self.of, self.name).values():
            for axis in self.axes:
                force = ca.sum1(ca.vertcat(*(scope[f"{contact}.force_{axis}"] for contact in contacts)))
                rates.append(_rate(scope, force) / (weight * self.scale))
        return ca.sumsqr(ca.vertcat(*rates))


class FootClearance(Goal):
    """How fast feet move close to the ground: the mean over time of ``Σ points exp(-y / height) · speed²``.

    The points are those of the contacts, or the lowest ones of contact spheres; y (m) is their height above the ground,
    the speed (m/s) that along it. A foot that stands costs nothing, one that scuffs does.

    Parameters
    ----------
    height
        Above the ground (m), over which the cost falls to 37 %.
    of
        Names of contacts; by default all contacts with the ground.

    Examples
    --------
    >>> import myodyne as my
    >>> my.FootClearance(weight=0.01).height
    0.008
    """

    kind: Literal["foot_clearance"] = "foot_clearance"
    height: Positive = 0.008
    of: tuple[Name, ...] = ()

    def split(self, model: Model) -> dict[str, Goal]:
        return {name: self.model_copy(update={"of": (name,)}) for name in self._contacts(model)}

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        kinematics = scope.assembly.kinematics
        terms = []
        for part in self._contacts(scope.assembly.symbolic).values():
            meeting = meeting_of(kinematics, part)
            terms.append(ca.exp(meeting.depth / self.height) * ca.sumsqr(meeting.slip))
        return ca.sum1(ca.vertcat(*terms))

    def _contacts(self, model: Model) -> dict[str, GroundContact]:
        known = ground_contacts(model, self.name)
        for name in self.of:
            if name not in known:
                raise ModelError(f"{self.name}: {unknown_name('contact with the ground', name, list(known))}")
        return {name: known[name] for name in self.of or known}


def ground_contacts(model: Model, asked_by: str) -> dict[str, GroundContact]:
    """Return the contacts of a model with the ground, by name."""
    found = {
        name: part
        for name, part in model.forces.items()
        if isinstance(part, GroundContact) and part.plane.body == GROUND
    }
    if not found:
        raise ModelError(
            f"{asked_by}: '{model.name}' has no contacts with the ground; add some under its feet, for example "
            'my.ContactPoint(body="foot", at=...)'
        )
    return found


def feet_of(model: Model, given: Mapping[str, tuple[str, ...]], asked_by: str) -> dict[str, tuple[str, ...]]:
    """Return the contacts of each foot: those given, or all with the ground.

    A foot is named after the highest body that bears one of its contacts.
    """
    contacts = ground_contacts(model, asked_by)
    for name in (contact for named in given.values() for contact in named):
        if name not in contacts:
            raise ModelError(f"{asked_by}: {unknown_name('contact with the ground', name, list(contacts))}")
    if given:
        return dict(given)
    parents = {joint.child.body: joint.parent.body for joint in model.joints.values()}
    bearing = {part.body for part in contacts.values()}
    feet: dict[str, list[str]] = {}
    for name, part in contacts.items():
        body = foot = part.body
        while (body := parents.get(body, GROUND)) != GROUND:
            foot = body if body in bearing else foot
        feet.setdefault(foot, []).append(name)
    return {foot: tuple(names) for foot, names in feet.items()}


def _rate(scope: Scope, force: SX) -> SX:
    """Return the time derivative of an expression of coordinates and speeds."""
    import casadi as ca

    a = scope.assembly
    if ca.depends_on(force, a.vdot):
        raise ModelError("ContactForceRate: a ground force that depends on accelerations has no known rate")
    rate: SX = ca.jtimes(force, a.q, a.v) + ca.jtimes(force, a.v, a.vdot)
    return rate
