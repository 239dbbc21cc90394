"""Closed loops as an ordinary differential equation against the same loops kept and stabilised.

Andrews' squeezer and a four-bar linkage. Each pair is marched by the same scheme; the tolerance of the kept loops is
tightened until they are as accurate as the embedded ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import against, alternating

import myodyne as my
from myodyne.model.squeezer import andrews_squeezer
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.simulation import march_of


def _four_bar() -> my.Model:
    """Return a crank-rocker of uniform bars: ground 5, crank 2, coupler 4, rocker √5 (Ehsani, Table 1)."""

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
                first={"body": "coupler", "at": (lengths[1], 0, 0)}, second={"body": "rocker", "at": (lengths[2], 0, 0)},
                axes="xy",
            )
        },
    )


def _start(equations: my.Equations) -> Any:
    from myodyne.simulate.constrained import consistent_state

    state = equations.state()
    return consistent_state(equations, state, frozenset(["drive", "drive.speed"]))[0] if equations.multipliers else state


def _pair(title: str, model: my.Model, independent: str, span: float, rate: float) -> list[dict[str, Any]]:
    kept = my.equations_of(model.with_values({"stabilisation": rate}), compiled=True)
    free = my.equations_of(my.embed(model, independent).model, compiled=True)
    column = kept.motion.index(independent)
    times = np.array([span])
    none = PiecewisePolynomial.merged([])
    reference = march_of(my.DOP853(1e-13, 1e-13), free, none).advance(0.0, _start(free), times).states[-1][0]
    rows = []
    for name, family in (("BDF", my.BDF), ("TR-BDF2", my.TRBDF2), ("RKF45", my.RKF45), ("DOP853", my.DOP853)):
        own = march_of(family(1e-7, 1e-7) if family is not my.TRBDF2 else my.TRBDF2(None, 1e-7, 1e-7), free, none)
        start = _start(free)

        def ours(own: Any = own, start: Any = start) -> float:
            own.reset()
            return float(own.advance(0.0, start, times).states[-1][0])

        error = abs(ours() - reference)
        for tolerance in (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
            scheme = family(tolerance, tolerance) if family is not my.TRBDF2 else my.TRBDF2(None, tolerance, tolerance)
            other = march_of(scheme, kept, none)
            other_start = _start(kept)

            def peer(other: Any = other, other_start: Any = other_start) -> float:
                other.reset()
                return float(other.advance(0.0, other_start, times).states[-1][column])

            if abs(peer() - reference) <= 1.5 * error:
                break
        ours_time, peer_time = alternating(ours, peer)
        rows.append(
            against(f"{title}, {name}, error {error:.0e}", ours_time, peer_time, "loops kept and stabilised", 4)
        )
    return rows


def run() -> list[dict[str, Any]]:
    return [
        *_pair("squeezer 0.05 s", andrews_squeezer(), "beta", 0.05, 200.0),
        *_pair("crank and rocker 5 s", _four_bar(), "drive", 5.0, 10.0),
    ]
