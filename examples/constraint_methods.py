"""Ways to keep a closed loop closed, side by side. Run it with

    python examples/constraint_methods.py

A crank turns a rocker for ten seconds, and a rower's chain of four segments, pinned at the foot stretcher, swings on
springs with the hip on a slide and the hand at a constant height. Both are integrated by Heun's method with a step that
is too long on purpose. The rows of constraints are enforced on accelerations alone; or stabilised by Baumgarte's rates;
or the state is projected onto the constraints after every step, or after every tenth. The linkage is also embedded: an
ordinary differential equation in one angle. The script prints drift, energy error and the error of the motion for each,
as the tables of ``docs/guide/constraints.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import myodyne as my

STEP = 0.005  # s
DURATION = 10.0  # s
RATES = (1.0, 5.0, 20.0, 80.0)  # 1/s


@dataclass(frozen=True)
class Mechanism:
    """A model with constraints, the coordinate that is judged and its first speed, the model with that one alone."""

    name: str
    model: my.Model
    judged: str
    speed: float = 0.0
    embedded: my.Model | None = None


def linkage() -> Mechanism:
    """Return a crank that turns a rocker: ground 5, crank 1, coupler 4, rocker 3 m, as a chain whose end is held."""
    ne = my.newton_euler
    lengths = (1.0, 4.0, 3.0)
    bars = [
        ne.Segment(name, length, length / 2, length, length**3 / 12)
        for name, length in zip(("crank", "coupler", "rocker"), lengths, strict=True)
    ]
    chain = ne.Chain(bars, joints=["axle", "pin", "joint", "support"])
    crank = 1.0
    gap = np.array([5.0, 0.0]) - lengths[0] * np.array([np.cos(crank), np.sin(crank)])
    reach = np.hypot(*gap)
    coupler = np.arctan2(gap[1], gap[0]) + np.arccos((16.0 + reach**2 - 9.0) / (8.0 * reach))
    rocker = np.arctan2(*(gap - 4.0 * np.array([np.cos(coupler), np.sin(coupler)]))[::-1])
    motion = ne.Motion([crank, coupler, rocker])
    model = ne.to_model(chain, motion, constraints=[ne.PointAcceleration("support")])
    return Mechanism("crank and rocker", model, "axle_angle", 4.0, my.embed(model, "axle_angle").model)


def rower() -> Mechanism:
    """Return a chain with the hip on a slide and the hand at a height, on springs."""
    ne = my.newton_euler
    chain = ne.Chain(
        [
            ne.Segment("shanks", length=0.45, centre=0.26, mass=7.0, inertia=0.12),
            ne.Segment("thighs", length=0.44, centre=0.25, mass=15.0, inertia=0.27),
            ne.Segment("trunk", length=0.50, centre=0.30, mass=43.0, inertia=2.2),
            ne.Segment("arms", length=0.60, centre=0.28, mass=7.5, inertia=0.25),
        ],
        joints=["ankle", "knee", "hip", "shoulder", "hand"],
    )
    rows = [ne.PointAcceleration("hip", x=None), ne.PointAcceleration("hand", x=None)]
    model = ne.to_model(chain, ne.Motion(np.radians([60.0, -50.0, 110.0, 200.0])), constraints=rows)
    springs = {
        f"{joint}_spring": my.TorsionSpring(coordinate=f"{joint}_angle", stiffness=stiffness, rest=rest)
        for joint, stiffness, rest in (("knee", 300.0, -1.9), ("hip", 400.0, 2.6))
    }
    return Mechanism("rower", model.with_parts(forces=springs), "knee_angle")


@dataclass(frozen=True)
class Row:
    """One way: largest drift (m, m/s), relative energy error, largest error of the judged coordinate (rad)."""

    way: str
    drift: float
    drift_speed: float
    energy: float
    error: float

    def __str__(self) -> str:
        cells = (self.drift, self.drift_speed, self.energy, self.error)
        # Below 1e-9 only rounding is left.
        return f"| {self.way} | " + " | ".join("< 1e-9" if cell < 1e-9 else f"{cell:.1e}" for cell in cells) + " |"


def rows(mechanism: Mechanism) -> Iterator[Row]:
    """Yield a row for each way."""
    heun, model = my.Heun(step=STEP), mechanism.model
    start = {f"{mechanism.judged}.speed": mechanism.speed}
    exact = my.simulate(model, DURATION, start=start, scheme=my.DOP853(1e-12, 1e-12), every=10 * STEP)
    true = exact.values(mechanism.judged)

    def row(way: str, model: my.Model, scheme: my.Heun | my.Projected = heun, every: float = STEP) -> Row:
        run = my.simulate(model, DURATION, start=start, scheme=scheme, every=every)
        drift = run.report.drift
        places = [size for name, size in drift.items() if name.endswith(".drift")]
        speeds = [size for name, size in drift.items() if name.endswith(".drift_speed")]
        error = np.abs(run.values(mechanism.judged)[:: round(10 * STEP / every)] - true).max()
        return Row(way, max(places), max(speeds, default=0.0), run.report.energy_error, float(error))

    yield row("rows on accelerations", model)
    for rate in RATES:
        yield row(f"stabilised at {rate:g} 1/s", model.with_values({"stabilisation": rate}))
    yield row("projected after every step", model, my.Projected(heun))
    yield row("projected after every tenth step", model, my.Projected(heun), 10 * STEP)
    if mechanism.embedded is not None:
        yield row("embedded", mechanism.embedded)


def main() -> None:
    """Print the table of each mechanism."""
    for mechanism in (linkage(), rower()):
        print(f"| {mechanism.name} | drift (m) | drift (m/s) | energy error | error (rad) |")
        print("|---|---|---|---|---|")
        for row in rows(mechanism):
            print(row, flush=True)
        print()


if __name__ == "__main__":
    main()
