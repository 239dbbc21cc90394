"""Closed loops as an ordinary differential equation against the same loops kept and stabilised.

Andrews' squeezer and a crank with a rocker, at equal accuracy: every march has the loosest tolerance that meets the
same reference. The target of 4 stands on every row. Scheme for scheme it is met by TR-BDF2 on the squeezer and missed
elsewhere: our kept loops have their multipliers eliminated as straight-line code, so embedding gains less. It is met
wherever embedding also allows another scheme.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from timing import against, alternating

import myodyne as my
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


def _start(equations: my.Equations) -> Any:
    from myodyne.simulate.constrained import consistent_state

    state = equations.state()
    if equations.multipliers:
        state, _ = consistent_state(equations, state, frozenset(["drive", "drive.speed"]))
    return np.append(state, 0.0)


def _as_accurate(
    equations: my.Equations, family: Any, column: int, span: float, reference: float
) -> Callable[[], float]:
    """Return the march with the loosest tolerance that meets the reference to the wanted error."""
    start, times, none = _start(equations), np.array([span]), PiecewisePolynomial.merged([])
    for tolerance in 10.0 ** -np.arange(5.0, 13.5, 0.5):
        march = march_of(family(relative=tolerance, absolute=tolerance), equations, none)

        def work(march: Any = march) -> float:
            march.reset()
            return float(march.advance(0.0, start, times).states[-1][column])

        if abs(work() - reference) <= ERROR:
            return work
    raise AssertionError(f"{family.__name__} does not reach an error of {ERROR}")


def _pair(title: str, model: my.Model, independent: str, span: float, rate: float) -> list[dict[str, Any]]:
    kept = my.equations_of(model.with_values({"stabilisation": rate}), compiled=True)
    free = my.equations_of(my.embed(model, independent, tolerance=1e-9).model, compiled=True)
    column = kept.motion.index(independent)
    best = march_of(my.DOP853(1e-13, 1e-13), kept, PiecewisePolynomial.merged([]))
    reference = float(best.advance(0.0, _start(kept), np.array([span])).states[-1][column])
    rows = []
    for name, family, peer_name, peer_family in (
        ("embedded, TR-BDF2", my.TRBDF2, "loops kept and stabilised, TR-BDF2", my.TRBDF2),
        ("embedded, BDF", my.BDF, "loops kept and stabilised, BDF", my.BDF),
        ("embedded, DOP853", my.DOP853, "loops kept and stabilised, multipliers eliminated, DOP853", my.DOP853),
        ("embedded, DOP853", my.DOP853, "loops kept and stabilised, implicit DAE (SUNDIALS BDF)", my.BDF),
    ):
        ours = _as_accurate(free, family, 0, span, reference)
        peer = _as_accurate(kept, peer_family, column, span, reference)
        rows.append(against(f"{title}: {name}", *alternating(ours, peer), peer_name, 4.0))
    return rows


def run() -> list[dict[str, Any]]:
    return [
        *_pair("squeezer 0.05 s", andrews_squeezer(), "beta", 0.05, 200.0),
        *_pair("crank and rocker 5 s", _four_bar(), "drive", 5.0, 10.0),
    ]
