"""A person stands, held upright by motors that answer angles and speeds, and is pushed. Run it with

    python examples/posture.py

The built-in ``jumper_skeleton`` stands on a foot that the ground holds at the ball and supports at the heel, so a body that
leans too far tips over its toes. Motors at ankle, knee and hip supply what holds the pose, plus proportional and derivative
feedback (PD). The linear system about the pose shows how much stiffness standing needs: the eigenvalues of the closed loop.
A push at the shoulders shows what it is worth in a motion that is not small. The script prints the slowest eigenvalue for
weaker and stronger feedback and the push that each withstands, and writes ``posture.png`` into the current folder.
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
PUSHES = np.arange(50.0, 1001.0, 50.0)  # N
PUSH_TIME = 0.1  # s
DURATION = 4.0  # s


class Standing:
    """The person in the pose, and the torques that hold it."""

    def __init__(self) -> None:
        self.model = my.load_model("jumper_skeleton")
        rest = my.equilibrium(self.model, pose=POSE)
        self.start = {name: rest[name] for name in self.model.moving}
        self.torques = {name: rest.holding[name] for name in JOINTS}

    def law(self, share: float = 1.0) -> my.Feedback:
        """Return the feedback with a share of the stiffness and damping."""
        numbers = {"share": share}

        def torques(at: Any) -> dict[str, ca.SX]:
            return {
                f"{name}_motor": self.torques[name]
                + at["share"] * STIFFNESS[name] * (POSE[name] - at[name] - LAG * at[f"{name}.speed"])
                for name in JOINTS
            }

        return my.Feedback(torques, gains=numbers)

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

if __name__ == "__main__":
    s = Standing()
    print(s.start, s.torques)
    for sh in (0., .3,.5,.7,1.,2.):
        print(sh, s.eigenvalues(sh).round(2))
    for f in (0.,100.,300.,600.):
        r=s.pushed(f); print(f, r.report.status, {n:r.values(n)[-1].round(4) for n in (*JOINTS,'toe','com.position_x','com.position_y')}, r.values('com.position_x').max(), r.values('toe').min(), r.report.energy_error, r.report.notes)
