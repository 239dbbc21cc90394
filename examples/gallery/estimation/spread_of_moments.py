"""How sure is a joint moment.

Errors of 0.1° in each recorded angle become a band around the moments of inverse dynamics.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

model = my.load_model("double_pendulum")
time = np.arange(201) / 200.0
columns = {"angle1": 0.5 * np.sin(5 * time), "angle2": 0.3 * np.cos(5 * time)}
motion = my.Trajectory(time, columns, dict.fromkeys(columns, "rad"))
moments = my.inverse_dynamics(model, motion, cutoff=6.0)
spread = my.moment_spread(model, motion, my.degrees(0.1), cutoff=6.0)
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name in columns:
    middle, band = moments.values(f"{name}.moment"), spread.values(f"{name}.moment")
    axes.fill_between(time, middle - 2 * band, middle + 2 * band, alpha=0.3)
    axes.plot(time, middle, label=name)
    print(f"{name}: standard deviation {band.mean():.2f} N m, largest moment {np.abs(middle).max():.1f} N m")
axes.set(xlabel="time (s)", ylabel="moment (N m)", title="Two standard deviations from 0.1° of error")
axes.legend()
figure.savefig("spread_of_moments.png", dpi=90)
