"""What a simulation adds to a model: feedback, and recorded forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from myodyne.data import ExternalForces
from myodyne.equations import Equations
from myodyne.equations.closure import TIME, Closure
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import (
    ContactPoint,
    EllipsoidContact,
    HuntCrossleyContact,
    Model,
    SmoothSphereContact,
    SpherePairContact,
)
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.control.external_signals import force_signals, loads_of
from myodyne.simulate.control.feedback import Feedback, check_law
from myodyne.simulate.control.sampled import Sampled
from myodyne.simulate.signals import Signal

_CONTACTS = (ContactPoint, EllipsoidContact, HuntCrossleyContact, SmoothSphereContact, SpherePairContact)
# A law for all models of a simulation, one for some of them by their names, or a controller in Python.
AnyFeedback = Feedback | Sampled | Mapping[str, Feedback]


@dataclass(frozen=True, eq=False)
class Additions:
    """Feedback and recorded forces; ``given`` are the names of controls that have signals."""

    feedback: AnyFeedback | None = None
    forces: ExternalForces | None = None
    given: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.feedback is not None and not isinstance(self.feedback, Feedback | Sampled | Mapping):
            raise ModelError(f"feedback must be a my.Feedback or a my.Sampled, not {self.feedback!r:.60}")

    def to(self, equations: Equations) -> Equations:
        """Return equations with the law and the forces in them."""
        law = self.feedback
        if isinstance(law, Mapping):
            law = law.get(equations.model.name)
        if law is not None and not isinstance(law, Sampled):
            check_law(equations, law, dict.fromkeys(self.given))
        written = law.law if isinstance(law, Feedback) else None
        if written is None and self.forces is None:
            return equations
        return equations.closed_by(Closure.of(written, loads_of(equations.model, self.forces)))

    def notes(self, model: Model) -> list[str]:
        """Return a warning where recorded forces act beside contacts: both may stand for the same ground."""
        contacts = [name for name, force in model.forces.items() if isinstance(force, _CONTACTS)]
        if not contacts or not self.forces:
            return []
        return [
            f"recorded forces act beside the contacts of '{model.name}' ({listed(contacts, 3)}): if both represent "
            f"the ground, it pushes twice; leave the contacts out with model.without"
        ]

    def unkept(self, equations: Equations) -> list[str]:
        """Return what takes part and is not kept in a result: it cannot be run again without it."""
        found = ["a controller in Python"] if isinstance(self.feedback, Sampled) else []
        found += ["control laws of several models"] if isinstance(self.feedback, Mapping) else []
        return [*found, *(["recorded forces"] if equations.closure.loads and self.forces is None else [])]

    def check_names(self, models: list[str]) -> None:
        """Refuse laws for models that do not take part."""
        for name in self.feedback if isinstance(self.feedback, Mapping) else ():
            if name not in models:
                raise ModelError("feedback: " + unknown_name("model", name, models))

    def signals(self, equations: Equations, begin: float, end: float) -> dict[str, Signal]:
        """Return the signals of time and of recorded forces from ``begin`` to ``end`` (s), unless they are given."""
        closure = equations.closure
        loads = () if self.given.issuperset(closure.entries) else closure.loads
        found = force_signals(loads, self.forces, begin, end)
        if closure.clocked and TIME not in self.given:
            # From zero on, where it can be: a simulation that goes on finds the same polynomial.
            first = min(begin, 0.0)
            found[TIME] = Signal(TIME, PiecewisePolynomial([first, end], [[[first], [1.0]]]))
        return found


def closed_at_rest(equations: Equations, feedback: Feedback, given: Mapping[str, object]) -> Equations:
    """Return equations under a control law that does not change with time; controls that are ``given`` stay open."""
    check_law(equations, feedback, given)
    if feedback.law.timed:
        raise ModelError("linearise: the feedback depends on at.time, and a linear system does not; leave the time out")
    return equations.closed_by(Closure.of(feedback.law))
