"""Closed loops and rhythms as an ordinary differential equation against the same kept and stabilised.

Andrews' squeezer (001-17), a crank with a rocker, and the shoulder with its kept twin (001-21), at equal accuracy:
every march has the loosest tolerance that meets the same reference. The target of 4 stands on every row. Scheme for
scheme it is nearly met by TR-BDF2 on the squeezer and missed elsewhere: our kept loops have their multipliers
eliminated as straight-line code, so embedding gains less; iterations and the operations of one evaluation stand below.
It is met wherever embedding also allows another scheme.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from timing import against, alternating, figure

import myodyne as my
from myodyne.equations.definitions import define
from myodyne.equations.generated.c_source import casadi_function
from myodyne.equations.requests import KernelRequest
from myodyne.library.squeezer import andrews_squeezer
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.marches import march_of

ERROR = 1e-6  # rad, at the end


def _four_bar() -> my.Model:
    """Return a crank-rocker of uniform bars: ground 5, crank 1, coupler 4, rocker 3 m."""

    def bar(length: float) -> my.Body:
        return my.Body(mass=length, centre_of_mass=(length / 2, 0, 0), inertia=length**3 / 12)

    lengths = (1.0, 4.0, 3.0)
    crank, coupler, rocker = map(bar, lengths)
    return my.Model(
        name="crank and rocker",
        gravity=(0.0, -9.81, 0.0),
        bodies={"crank": crank, "coupler": coupler, "rocker": rocker},
        joints={
            "crank_pin": my.pin("ground", "crank", "drive", default=1.0, default_speed=4.0),
            "coupler_pin": my.pin({"body": "crank", "at": (lengths[0], 0, 0)}, "coupler", "middle", default=-0.5),
            "rocker_pin": my.pin({"body": "ground", "at": (5.0, 0, 0)}, "rocker", "follower", default=2.0),
        },
        constraints={
            "loop": my.PointConstraint(
                first={"body": "coupler", "at": (lengths[1], 0, 0)},
                second={"body": "rocker", "at": (lengths[2], 0, 0)},
                axes="xy",
            )
        },
    )


def _swinging_shoulder() -> my.Model:
    """Return the shoulder without motors: springs and dampers swing the arm."""
    bones = my.shoulder(muscles=False)
    springs = {
        f"{name}_spring": my.TorsionSpring(coordinate=name, stiffness=20.0, damping=0.2, rest=rest)
        for name, rest in (("plane", 1.2), ("elevation", 1.0), ("axial_rotation", -0.2))
    }
    return bones.without(*bones.forces).with_parts(forces=springs)


def _start(equations: my.Equations, independent: tuple[str, ...]) -> Any:
    from myodyne.simulate.constrained import consistent_state

    state = equations.state()
    if equations.multipliers:
        known = frozenset(name for one in independent for name in (one, f"{one}.speed"))
        state, _ = consistent_state(equations, state, known)
    return np.append(state, 0.0)


@dataclass(frozen=True)
class Pair:
    """A mechanism embedded, the same kept and stabilised, its independent coordinates and the span (s) to march."""

    title: str
    free: my.Equations
    kept: my.Equations
    independent: tuple[str, ...]
    span: float

    def column(self, equations: my.Equations) -> int:
        """Return the state that is compared with the reference."""
        return equations.motion.index(self.independent[0])

    def reference(self) -> float:
        march = march_of(my.DOP853(1e-13, 1e-13), self.kept, PiecewisePolynomial.merged([]))
        end = march.advance(0.0, _start(self.kept, self.independent), np.array([self.span])).states[-1]
        return float(end[self.column(self.kept)])


def _as_accurate(pair: Pair, equations: my.Equations, family: Any, reference: float) -> tuple[Callable[[], float], int]:
    """Return the march with the loosest tolerance that meets the reference to the wanted error, and its iterations."""
    start, times, none = _start(equations, pair.independent), np.array([pair.span]), PiecewisePolynomial.merged([])
    column = pair.column(equations)
    for tolerance in 10.0 ** -np.arange(5.0, 13.5, 0.5):
        march = march_of(family(relative=tolerance, absolute=tolerance), equations, none)

        def advanced(march: Any = march) -> Any:
            march.reset()
            return march.advance(0.0, start, times)

        def work(advanced: Callable[[], Any] = advanced) -> float:
            return float(advanced().states[-1][column])

        done = advanced()
        if abs(float(done.states[-1][column]) - reference) <= ERROR:
            return work, int(done.iterations)
    raise AssertionError(f"{family.__name__} does not reach an error of {ERROR}")


def _rows(pair: Pair) -> list[dict[str, Any]]:
    reference = pair.reference()
    rows = []
    for name, family, peer_name, peer_family in (
        ("embedded, TR-BDF2", my.TRBDF2, "kept and stabilised, TR-BDF2", my.TRBDF2),
        ("embedded, BDF", my.BDF, "kept and stabilised, BDF", my.BDF),
        ("embedded, DOP853", my.DOP853, "kept and stabilised, multipliers eliminated, DOP853", my.DOP853),
        ("embedded, RKF45", my.RKF45, "kept and stabilised, multipliers eliminated, RKF45", my.RKF45),
        ("embedded, DOP853", my.DOP853, "kept and stabilised, implicit DAE (SUNDIALS BDF)", my.BDF),
    ):
        ours, own = _as_accurate(pair, pair.free, family, reference)
        peer, others = _as_accurate(pair, pair.kept, peer_family, reference)
        rows.append(against(f"{pair.title}: {name}", *alternating(ours, peer), peer_name, 4.0))
        if family is my.TRBDF2:
            rows.append(figure(f"{pair.title}: iterations of TR-BDF2, embedded", float(own), ""))
            rows.append(figure(f"{pair.title}: iterations of TR-BDF2, kept", float(others), ""))
    for what, request in (("accelerations", "marched"), ("residual and Jacobians", "balance")):
        for kind, equations in (("embedded", pair.free), ("kept", pair.kept)):
            rows.append(
                figure(f"{pair.title}: operations of {what}, {kind}", float(operations(equations, request)), "")
            )
    for kind, equations in (("embedded", pair.free), ("kept", pair.kept)):
        unknowns = len(equations.motion) + len(equations.multipliers)
        rows.append(figure(f"{pair.title}: unknowns of an implicit step, {kind}", float(unknowns), ""))
    return rows


def operations(equations: my.Equations, request: KernelRequest) -> int:
    """Return how many operations a compiled function of the equations performs."""
    return int(casadi_function(define(equations.assembly(), request)).n_instructions())


def _loops(title: str, model: my.Model, independent: str, span: float, rate: float) -> Pair:
    kept = my.equations_of(model.with_values({"stabilisation": rate}), compiled=True)
    free = my.equations_of(my.embed(model, independent, tolerance=1e-9).model, compiled=True)
    return Pair(title, free, kept, (independent,), span)


def _shoulder() -> Pair:
    model = _swinging_shoulder()
    kept = my.equations_of(my.kept(model).with_values({"stabilisation": 20.0}), compiled=True)
    free = my.equations_of(model, compiled=True)
    return Pair("shoulder 0.5 s", free, kept, ("elevation", "plane", "axial_rotation"), 0.5)


def run() -> list[dict[str, Any]]:
    return [
        *_rows(_loops("squeezer 0.05 s", andrews_squeezer(), "beta", 0.05, 200.0)),
        *_rows(_loops("crank and rocker 5 s", _four_bar(), "drive", 5.0, 10.0)),
        *_rows(_shoulder()),
    ]
