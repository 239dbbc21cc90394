"""A rod designed with its movement.

The swing-up again, but the mass of the rod is free between 0.6 and 1 kg: the solver finds the movement and the mass
together, and takes the lightest rod.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

motor = my.CoordinateActuator(coordinate="angle", gain=1.6, control_range=(-1.0, 1.0))
model = my.load_model("pendulum").with_parts(forces={"motor": motor})
ends = [my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": np.pi, "angle.speed": 0.0})]
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for parameters in ({}, {"rod.mass": (0.6, 1.0)}):
    problem = my.Problem(model, duration=4.0, goals=[my.Effort(of="torques")], conditions=ends, parameters=parameters)
    best = my.solve(problem, my.Radau(degree=3), nodes=31, guess=my.standing(model), show=False)
    mass = best.model.value("rod.mass")
    axes.plot(best.time, 1.6 * best.values("motor.control"), label=f"rod of {mass:.2f} kg")
    print(f"{mass:.2f} kg: mean squared control {best.report.optimum.objective:.3f}")
axes.set(xlabel="time (s)", ylabel="torque (N m)", title="Movement and mass together")
axes.legend()
figure.savefig("best_rod.png", dpi=90)
