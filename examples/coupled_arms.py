"""A runner in the air whose limbs follow one angle, arms coupled to the opposite legs. Run it with

    python examples/coupled_arms.py

The trunk of the built-in ``runner_skeleton`` is held, as in a harness. A wheel turns once for each stride. Hips and
knees follow its angle (Fourier series), and each shoulder follows the opposite hip. Eight coupled coordinates leave
one degree of freedom: a movement with one parameter. The couplings are kept as constraints, whose torques can be
read, or embedded, as functions in the joints. Both give the same motion. No motor acts: once turning, the wheel
speeds up and slows down as limbs and wheel exchange energy. The script prints the torques of couplings with swinging
and with still arms, and writes ``coupled_arms.png`` into the current folder.
"""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

STRIDES = 1.4  # per second
ARM_SWING = 0.6  # rad of a shoulder for each rad of the opposite hip
TURN = 2 * math.pi
HELD = ("pelvis_x", "pelvis_y", "pelvis_tilt", "neck", "ankle_r", "ankle_l")


def couplings(swing: float = ARM_SWING) -> dict[str, my.Fourier | my.Linear]:
    """Return the functions of the coupled coordinates; the left leg is half a stride behind the right one."""
    functions: dict[str, my.Fourier | my.Linear] = {}
    for side, other, sign in (("r", "l", 1.0), ("l", "r", -1.0)):
        functions[f"hip_{side}"] = my.Fourier(coordinate="stride", period=TURN, mean=0.25, cosines=(0.6 * sign,))
        functions[f"knee_{side}"] = my.Fourier(
            coordinate="stride", period=TURN, mean=-0.9, cosines=(0.1 * sign, 0.1), sines=(0.6 * sign, -0.1)
        )
        functions[f"shoulder_{side}"] = my.Linear(coordinate=f"hip_{other}", slope=swing, offset=-0.25 * swing)
        functions[f"elbow_{side}"] = my.Linear(coordinate=f"shoulder_{side}", slope=0.3, offset=1.4)
    return functions


def runner() -> my.Model:
    """Return the runner with a held trunk and the wheel of the stride."""
    model = my.load_model("runner_skeleton").with_values({f"{name}.locked": True for name in HELD})
    return model.with_parts(
        bodies={"wheel": my.Body(mass=1.0, inertia=0.5)},
        joints={"axle": my.pin("ground", "wheel", "stride", default_speed=TURN * STRIDES)},
    )


def kept(swing: float = ARM_SWING) -> my.Model:
    """Return the runner with its couplings as constraints."""
    table = {
        f"{name}_coupling": my.CouplerConstraint(coordinate=name, function=function)
        for name, function in couplings(swing).items()
    }
    return runner().with_parts(constraints=table)


def embedded(swing: float = ARM_SWING) -> my.Model:
    """Return the runner with its couplings inside the joints."""
    return runner().with_values({f"{name}.coupled": function for name, function in couplings(swing).items()})


def run(model: my.Model, duration: float = 2.0) -> my.Result:
    """Return the motion of a runner whose wheel was given a turn."""
    start = {"stride": 0.0, "stride.speed": TURN * STRIDES}
    return my.simulate(model, duration, start=start, every=0.005)


def draw(runs: dict[str, my.Result]) -> None:
    """Draw a shoulder over the opposite hip, and the rate of strides over time."""
    figure, (cycle, rate) = plt.subplots(1, 2, figsize=(8.0, 3.2), layout="constrained")
    for name, result in runs.items():
        cycle.plot(result.values("hip_l"), result.values("shoulder_r"), label=name)
        rate.plot(result.time, result.values("stride.speed") / TURN)
    cycle.set(xlabel="hip_l (rad)", ylabel="shoulder_r (rad)")
    cycle.legend()
    rate.set(xlabel="time (s)", ylabel="strides per second")
    figure.savefig("coupled_arms.png", dpi=90)


def main() -> None:
    """Run with couplings kept and embedded, with swinging and still arms."""
    by_constraints, by_functions = run(kept()), run(embedded())
    apart = np.abs(by_constraints.values("stride") - by_functions.values("stride")).max()
    print(
        f"coupled: {len(kept().moving)} coordinates and {len(couplings())} constraints, or {embedded().moving[0]} alone"
    )
    print(f"The two differ by {apart:.0e} rad after {by_constraints.time[-1]:g} s.\n")
    still = run(kept(swing=0.0))
    print(f"{'arms':>10}{'strides/s':>16}{'at the shoulder N m':>22}{'at the hip N m':>17}")
    for name, result in {"swinging": by_constraints, "still": still}.items():
        rate = result.values("stride.speed") / TURN
        largest = [np.abs(result.values(f"{joint}_r_coupling.torque")).max() for joint in ("shoulder", "hip")]
        print(f"{name:>10}{f'{rate.min():.2f} to {rate.max():.2f}':>16}{largest[0]:22.1f}{largest[1]:17.1f}")
    draw({"arms swing": by_constraints, "arms still": still})


if __name__ == "__main__":
    main()
