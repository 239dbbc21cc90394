"""A four-bar linkage with its closed loop kept or embedded, and the difference between the two. Run it with

    python examples/closed_loop.py

Kept: the linkage is a chain of three bars whose end is held by a constraint. The constraint force can be read, and the
constraint drifts with the integration error. Embedded: the second and third angle are functions of the first, which
gives an ordinary differential equation in one angle, without constraint force and without drift. The functions are
fitted to the loop beforehand, or refined by it in every step. The script prints the difference for finer and finer
fits, and for the refined functions, and writes ``closed_loop.png`` into the current folder.
"""

from __future__ import annotations

import numpy as np

import myodyne as my

ANGLES = ("theta1", "theta2", "theta3")
# The linkage swings between 0.58 and 0.9 rad. Fits are worst at their ends, so the range is wider.
RANGE = (0.0, 1.3)
TOLERANCES = (1e-2, 1e-4, 1e-6, 1e-8)  # rad


def linkage() -> my.Model:
    """Return the built-in four-bar linkage with a spring (300 N m/rad) that supports its first bar."""
    spring = my.TorsionSpring(coordinate="theta1", stiffness=300.0, rest=0.9)
    return my.load_model("four_bar").with_parts(forces={"spring": spring})


def difference(one: my.Result, other: my.Result) -> float:
    """Return the largest difference of the three angles (rad) between two runs with the same times."""
    return max(float(np.abs(one.values(name) - other.values(name)).max()) for name in ANGLES)


def main() -> None:
    """Simulate both, print the difference, plot the motion."""
    model = linkage()
    kept = my.simulate(model, duration=5.0)
    drift = kept.report.drift["loop.drift"]
    print(f"kept: {len(model.moving)} coordinates, the loop drifts by {drift:.1e} m at most\n")
    print(f"{'fitted to':>12}{'loop error m':>15}{'difference rad':>17}")
    for tolerance in TOLERANCES:
        mechanism = my.embed(model, "theta1", {"theta1": RANGE}, method="fit", tolerance=tolerance)
        embedded = my.simulate(mechanism.model, duration=5.0)
        print(f"{tolerance:12.0e}{mechanism.loop_error:15.1e}{difference(kept, embedded):17.1e}")
    mechanism = my.embed(model, "theta1", {"theta1": RANGE})
    embedded = my.simulate(mechanism.model, duration=5.0)
    print(f"{'refined':>12}{mechanism.loop_error:15.1e}{difference(kept, embedded):17.1e}")
    force = np.hypot(kept.values("loop.force_x"), kept.values("loop.force_y"))
    print(f"\nOnly the kept loop knows its force: {force.min():.1f} to {force.max():.1f} N.")
    runs = {"kept": kept, "embedded": embedded}
    my.plot(runs, ANGLES, title="A four-bar linkage on a spring", path="closed_loop.png")


if __name__ == "__main__":
    main()
