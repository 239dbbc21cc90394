"""Reaching for a target.

The library's reach by an arm with six muscles: the path of the hand bends gently, and its speed is one bell, though
neither was asked for.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

reach = my.load_movement("reach")
run = reach.run()
hand = next(name.removesuffix(".position_x") for name in run.names if "hand" in name and name.endswith(".position_x"))
x, y = (run.values(f"{hand}.position_{axis}") for axis in "xy")
speed = np.hypot(np.gradient(x, run.time), np.gradient(y, run.time))
figure, (path, bell) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
path.plot(100 * x, 100 * y)
path.plot(100 * x[[0, -1]], 100 * y[[0, -1]], "o--", linewidth=0.8)
path.set(xlabel="x (cm)", ylabel="y (cm)", aspect="equal", title="Path of the hand")
bell.plot(run.time, speed)
bell.set(xlabel="time (s)", ylabel="speed (m/s)", title="Speed of the hand")
figure.savefig("reaching.png", dpi=90)
print(f"{np.hypot(x[-1] - x[0], y[-1] - y[0]):.3f} m in {run.time[-1]:.2f} s, fastest {speed.max():.2f} m/s")
