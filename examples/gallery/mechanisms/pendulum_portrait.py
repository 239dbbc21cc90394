"""Swings and rotations of a pendulum.

Each curve is one simulation: angle against angular velocity. Below the energy of the upright rod it swings, above it
turns over.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

model = my.load_model("pendulum")
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for speed in np.linspace(1.0, 10.0, 10):
    run = my.simulate(model, 2.0, start={"angle": 0.0, "angle.speed": speed})
    axes.plot(run.values("angle"), run.values("angle.speed"), label=f"{speed:.0f} rad/s")
axes.set(
    xlabel="angle (rad)", ylabel="angular velocity (rad/s)", xlim=(-4, 8), title="One rod, ten speeds at the bottom"
)
axes.legend(title="speed below", ncols=2, fontsize="small")
figure.savefig("pendulum_portrait.png", dpi=90)
print(f"fastest at the bottom that still swings: {np.sqrt(4 * 14.715):.2f} rad/s")
