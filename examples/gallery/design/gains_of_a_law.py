"""Gains of a control law, optimised.

Stiffness and damping of a law that keeps a rod upright are unknowns of an optimal control problem: deviation and
torque are weighed against each other. Below, the eigenvalues before and after.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})
law = my.Feedback(
    lambda at: {"motor": at["k"] * (np.pi - at["angle"]) - at["d"] * at["angle.speed"]}, gains={"k": 50.0, "d": 1.0}
)
effort = my.Custom(mean=lambda at: 4 * (at["angle"] - np.pi) ** 2 + 1e-3 * at["motor.control"] ** 2)
problem = my.Problem(
    rod,
    duration=3.0,
    feedback=law,
    goals=[effort],
    conditions=[my.Start({"angle": 2.6, "angle.speed": 0.0})],
    parameters={"k": (6.0, 500.0), "d": (0.5, 100.0)},
)
best = my.solve(problem, my.Radau(degree=3), nodes=41, show=False)
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, feedback in (("chosen by hand", law), ("optimised", best.feedback)):
    run = my.simulate(rod, 3.0, start={"angle": 2.6}, feedback=feedback, every=0.01)
    axes.plot(run.time, np.degrees(run.values("angle")), label=name)
    slowest = my.linearise(rod, {"angle": np.pi, "angle.speed": 0.0}, feedback=feedback).eigenvalues.real.max()
    print(f"{name:15} k {feedback.gains['k']:6.1f}, d {feedback.gains['d']:5.1f}, slowest eigenvalue {slowest:.2f} 1/s")
axes.set(xlabel="time (s)", ylabel="angle (°)", title="Back to upright")
axes.legend()
figure.savefig("gains_of_a_law.png", dpi=90)
