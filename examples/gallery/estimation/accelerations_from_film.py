"""Accelerations from a film.

Second derivatives of a noisy angle: raw differences are useless, a filter at 6 Hz and a smoothing spline are not.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

time = np.arange(141) / 150.0
angle = 0.5 * np.sin(2 * np.pi * time / 0.9)
noisy = angle + np.random.default_rng(2).normal(0.0, 0.002, len(time))
motion = my.Trajectory(time, {"hip": noisy}, {"hip": "rad"})
ways = {
    "differences": np.gradient(np.gradient(noisy, time), time),
    "filter, 6 Hz": motion.filtered(6.0).derivative(2).values("hip"),
    "smoothing spline": motion.smoothed(error=0.002).derivative(2).values("hip"),
}
true = -((2 * np.pi / 0.9) ** 2) * angle
figure, axes = plt.subplots(figsize=(6.5, 3.5), layout="constrained")
for name, values in ways.items():
    axes.plot(time, values, label=name, linewidth=0.7 if name == "differences" else 1.5)
    inside = slice(15, -15)
    print(f"{name:17} root mean square error {np.sqrt(np.mean((values - true)[inside] ** 2)):6.2f} rad/s²")
axes.plot(time, true, "k:", label="true")
axes.set(xlabel="time (s)", ylabel="angular acceleration (rad/s²)", ylim=(-70, 70))
axes.legend(fontsize="small")
figure.savefig("accelerations_from_film.png", dpi=90)
