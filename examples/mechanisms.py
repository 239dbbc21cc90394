"""Mechanisms: loops kept or embedded, blocks that push each other, a person on moving ground. Run it with

python examples/mechanisms.py
"""

from __future__ import annotations

import numpy as np

import myodyne as my


def squeezer() -> tuple[my.Result, my.Result]:
    """Return Andrews' squeezer to 0.03 s, its three loops kept, and embedded as functions of the crank's angle."""
    kept = my.load_model("andrews_squeezer")
    embedded = my.embed(kept, "beta").model
    return my.simulate(kept, duration=0.03), my.simulate(embedded, duration=0.03)


def four_bar() -> dict[str, my.Result]:
    """Return a four-bar linkage that falls for 10 s with steps that are too long: plain, stabilised, projected."""
    model, coarse = my.load_model("four_bar"), my.Heun(step=0.01)
    return {
        "left alone": my.simulate(model, duration=10.0, scheme=coarse),
        "stabilised": my.simulate(model.with_values({"stabilisation": 20.0}), duration=10.0, scheme=coarse),
        "projected": my.simulate(model, duration=10.0, scheme=my.Projected(coarse)),
    }


def five_bar() -> tuple[my.Result, my.Embedding]:
    """Return a five-bar linkage, kept, and embedded over ranges of its two independent coordinates."""
    model = my.load_model("five_bar")
    embedding = my.embed(model, ["theta1", "theta2"], {"theta1": (0.8, 1.3), "theta2": (0.4, 1.0)})
    return my.simulate(model, duration=0.2), embedding


def blocks() -> my.Result:
    """Return a block that slides down a movable wedge."""
    return my.simulate(my.load_model("sliding_blocks"), duration=0.3)


def balance(acceleration: float = 2.0, push: float = 100.0) -> my.Result:
    """Return a passive person on accelerating ground (m/s²), pushed (N) at the hips from 0.05 s on.

    Ground that accelerates acts like tilted gravity: the motion is given relative to the ground.
    """
    model = my.load_model("three_segment_balance").with_values({"gravity.x": -acceleration})
    return my.simulate(model, duration=0.3, controls={"hip_push": my.step(at=0.05, after=push)})


def main() -> None:
    kept, embedded = squeezer()
    print("Andrews' squeezer at 0.03 s      kept              embedded")
    for name in ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"):
        print(f"  {name:8} {kept.final[name]:25.10f} {embedded.final[name]:19.10f}")
    print(f"  largest drift of the kept loops: {max(kept.report.drift.values()):.1e}\n")

    print("Four-bar linkage, Heun at 10 ms: drift of the loop after 10 s")
    for how, run in four_bar().items():
        print(f"  {how:11} {run.values('loop.drift')[-1]:8.1e} m, energy off by {run.report.energy_error:.1e}")

    run, embedding = five_bar()
    force = np.hypot(run.values("loop.force_x"), run.values("loop.force_y"))
    print(f"\nFive-bar linkage: the pin that closes it carries up to {np.max(force):.1f} N;")
    print(f"  embedded, its loop is open by {embedding.loop_error:.1e} m at most")

    run = blocks()
    print(
        f"\nSliding blocks: {run.values('contact.torque')[0]:.3f} N between them, "
        f"the wedge yields by {run.final['wedge']:.3f} m in 0.3 s"
    )

    run = balance()
    print(
        f"\nBalance: after 0.3 s on moving ground the ankle is at {np.degrees(run.final['ankle']):.1f} degrees, "
        f"the ground pushes with {run.values('platform.torque')[-1]:.0f} N"
    )


if __name__ == "__main__":
    main()
