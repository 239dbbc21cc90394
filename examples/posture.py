"""A person stands, held upright by motors that answer angles and speeds, and is pushed. Run it with

    python examples/posture.py

The built-in ``jumper_skeleton`` stands on a foot that the ground holds at the ball and supports at the heel, so a
body that leans too far tips over its toes. Motors at ankle, knee and hip supply what holds the pose, plus
proportional and derivative feedback (PD). The linear system about the pose shows how much stiffness standing needs:
the eigenvalues of the closed loop. A push at the shoulders shows what it is worth in a motion that is not small. The
script prints the slowest eigenvalue for weaker and stronger feedback and the push that each withstands, and writes
``posture.png`` into the current folder.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

JOINTS = ("ankle", "knee", "hip")
POSE = {"ankle": 0.12, "knee": -0.12, "hip": 0.05}  # rad
# Stiffness (N m/rad) of each joint; damping (N m s/rad) is a fraction (s) of it.
STIFFNESS = {"ankle": 1500.0, "knee": 1200.0, "hip": 900.0}
LAG = 0.15
PUSH_TIME = 0.1  # s
DURATION = 4.0  # s


class Standing:
    """The person in the pose, and the torques that hold it."""

    def __init__(self, model: my.Model | None = None) -> None:
        self.model = my.load_model("jumper_skeleton") if model is None else model
        rest = my.equilibrium(self.model, pose=POSE)
        self.start = {name: rest[name] for name in self.model.moving}
        self.torques = {name: rest.holding[name] for name in JOINTS}
        # A control of one is the full torque of a motor.
        self.full = {name: self.model.forces[f"{name}_motor"].gain for name in JOINTS}

    def law(self, share: float = 1.0) -> my.Feedback:
        """Return the feedback with a share of the stiffness and damping."""

        def torques(at: Any) -> dict[str, ca.SX]:
            error = {name: POSE[name] - at[name] - LAG * at[f"{name}.speed"] for name in JOINTS}
            torque = {name: self.torques[name] + at["share"] * STIFFNESS[name] * error[name] for name in JOINTS}
            return {f"{name}_motor": torque[name] / self.full[name] for name in JOINTS}

        return my.Feedback(torques, gains={"share": share})

    def eigenvalues(self, share: float = 1.0) -> np.ndarray:
        """Return the eigenvalues of the closed loop (1/s), slowest last."""
        return np.sort_complex(my.linearise(self.model, self.start, feedback=self.law(share)).eigenvalues)

    def pushed(self, force: float, share: float = 1.0) -> my.Result:
        """Return the motion after a push forwards (N) at the shoulders."""
        times = np.linspace(0.0, DURATION + 0.1, 411)
        pulse = force * np.where(times < PUSH_TIME, np.sin(np.pi * times / PUSH_TIME) ** 2, 0.0)
        zero, up = 0.0 * times, np.full_like(times, self.model.markers["shoulder_centre"].at[1])
        columns = {"fx": pulse, "fy": zero, "fz": zero, "px": zero, "py": up, "pz": zero}
        push = my.ExternalForce(
            "push", "hat", my.Trajectory(times, columns), ("fx", "fy", "fz"), ("px", "py", "pz"), point_frame="hat"
        )
        return my.simulate(
            self.model,
            DURATION,
            start=self.start,
            feedback=self.law(share),
            external_forces=my.ExternalForces([push]),
            until=my.Crossing("com.position_y", "falling", level=0.7),
        )

    def withstands(self, force: float, share: float = 1.0) -> bool:
        """Return whether the person still stands after a push."""
        return self.pushed(force, share).report.status == "completed"

    def largest_push(self, share: float = 1.0, precision: float = 4.0) -> float:
        """Return the largest push (N) that the person withstands, by bisection."""
        low, high = 0.0, 600.0
        while high - low > precision:
            middle = (low + high) / 2
            low, high = (middle, high) if self.withstands(middle, share) else (low, middle)
        return low

    def bound(self) -> float:
        """Return the push (N) that moves the extrapolated centre of mass (Hof et al. 2005) to the ball of the foot."""
        rest = self.pushed(0.0).at(0.0)
        mass = sum(body.mass for body in self.model.bodies.values())
        speed = -rest["com.position_x"] * np.sqrt(9.80665 / rest["com.position_y"])
        return float(mass * speed / (PUSH_TIME / 2))


def draw(runs: dict[str, my.Result]) -> None:
    """Draw the centre of mass and the ankle's torque over time."""
    figure, (place, effort) = plt.subplots(2, 1, figsize=(7.0, 4.5), sharex=True, layout="constrained")
    for name, run in runs.items():
        place.plot(run.time, run.values("com.position_x"), label=name)
        effort.plot(run.time, run.values("ankle_motor.control"))
    place.axhline(0.0, color="black", linewidth=0.8)
    place.set(ylabel="com.position_x (m)", ylim=(-0.15, 0.15))
    place.legend()
    effort.set(xlabel="time (s)", ylabel="ankle_motor.control", ylim=(-1.0, 0.5))
    figure.savefig("posture.png", dpi=90)


def main() -> None:
    """Print what feedback of different strength is worth, and draw pushes."""
    standing = Standing()
    print(f"{'feedback':>10}{'slowest eigenvalue 1/s':>26}{'largest push N':>18}")
    for share in (0.5, 0.8, 1.0, 2.0, 4.0):
        slowest = standing.eigenvalues(share)[-1]
        push = f"{standing.largest_push(share):.0f}" if slowest.real < 0 else "falls unpushed"
        print(f"{share:10.1f}{slowest:26.2f}{push:>18}")
    print(f"\nA push of {standing.bound():.0f} N moves the extrapolated centre of mass (Hof et al. 2005) to the ball.")
    cases = ((100.0, 1.0), (200.0, 1.0), (200.0, 2.0))
    draw({f"push of {force:.0f} N, feedback {share:g}": standing.pushed(force, share) for force, share in cases})


if __name__ == "__main__":
    main()
