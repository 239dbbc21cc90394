"""How strong must the motor be?

A rod is swung up in 4 s by motors that can hold 60, 33 and 28 % of its weight. The least effort is the same swing for
all three; only the weakest motor works at its limit. A motor that holds a fifth finds no movement at all.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

figure, (angle, torque) = plt.subplots(2, 1, figsize=(6, 4.5), sharex=True, layout="constrained")
# Thick lines below thin ones: the swings are nearly the same.
for gain, width in ((2.9, 6), (1.6, 3.5), (1.4, 1.2)):
    motor = my.CoordinateActuator(coordinate="angle", gain=gain, control_range=(-1.0, 1.0))
    problem = my.Problem(
        my.load_model("pendulum").with_parts(forces={"motor": motor}),
        duration=4.0,
        goals=[my.Effort(of="torques")],
        conditions=[my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": np.pi, "angle.speed": 0.0})],
    )
    best = my.solve(problem, my.Radau(degree=3), nodes=31, guess=my.standing(problem.model), show=False)
    style = {"linewidth": width, "label": f"{gain} N m"}
    angle.plot(best.time, np.degrees(best.values("angle")), **style)
    torque.plot(best.time, gain * best.values("motor.control"), **style)
    print(f"{gain} N m: {best.report.status}, mean squared control {best.report.optimum.objective:.3f}")
angle.set(ylabel="angle (°)", title="Up in four seconds")
angle.legend(title="motor", fontsize="small")
torque.set(xlabel="time (s)", ylabel="torque (N m)")
figure.savefig("swing_up.png", dpi=90)
