"""Predict walking from slow to fast without data, and compare the walk with the averages of Winter. Run it with

    python examples/predicted_gait.py

It takes some minutes. The script prints a table and writes ``predicted_walk.png`` and ``predicted_walk.gif`` into the
current folder.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

SPEEDS = (1.3, 1.1, 0.8, 1.5, 1.8)
PERCENT = np.linspace(0.0, 100.0, 101)


def whole_cycle(half, name):
    """Return a quantity of the right side over a whole cycle: its half, then what the left side did in it."""
    right, left = half.values(f"right_{name}"), half.values(f"left_{name}")
    time = (half.time - half.time[0]) / np.ptp(half.time)
    return np.interp(PERCENT, 50 * np.append(time, 1 + time[1:]), np.append(right, left[1:]))


def ground_force(half, axis):
    """Return the force on the right foot over a cycle, in body weights."""
    weight = half.problem.model.mass * 9.81
    return (whole_cycle(half, f"heel.force_{axis}") + whole_cycle(half, f"toe.force_{axis}")) / weight


problem, walks = my.load_problem("gait2d_predictive"), {}
for speed in SPEEDS:
    # The default starts at 1.3 m/s; each further speed starts from its neighbour.
    near = min(walks, key=lambda other: abs(other - speed), default=None)
    walks[speed] = my.solve(problem.with_speed(speed), guess=walks.get(near))

print("speed m/s  stride m  by the walk ratio  cadence /min  stance %  peak BW")
for speed in sorted(walks):
    cycle = 2 * walks[speed].report.optimum.duration
    force = ground_force(walks[speed], "y")
    # Step length over cadence is about constant in men, 0.0065 m min (Sekiya and Nagasaki 1998).
    expected = 2 * np.sqrt(0.0065 * 60 * speed)
    print(
        f"{speed:9.1f} {speed * cycle:9.2f} {expected:18.2f} {120 / cycle:13.0f} "
        f"{100 * np.mean(force[:-1] > 0.03):9.0f} {force.max():8.2f}"
    )

norm, walk = my.winter_gait(), walks[1.3]
figure, axes = plt.subplots(1, 5, figsize=(14, 2.8), layout="constrained")
curves = {
    name: (np.degrees(whole_cycle(walk, name)), f"right_{name}", 180 / np.pi) for name in ("hip", "knee", "ankle")
}
curves |= {f"force {axis}": (ground_force(walk, axis), f"right_ground_force_{axis}", 1.0) for axis in "yx"}
for axis, (title, (values, column, factor)) in zip(axes, curves.items(), strict=True):
    mean, deviation = (factor * part.values(column) for part in (norm.mean, norm.deviation))
    percent = np.linspace(0.0, 100.0, len(mean), endpoint=False)
    axis.fill_between(percent, mean - deviation, mean + deviation, color="0.85", label="Winter, ± 1 s")
    axis.plot(PERCENT, values, label="predicted")
    axis.set(title=f"{title} ({'°' if factor > 1 else 'body weights'})", xlabel="% of the cycle")
axes[0].legend(frameon=False, fontsize=8)
figure.savefig("predicted_walk.png", dpi=110)
my.animate(walk, "predicted_walk.gif")
