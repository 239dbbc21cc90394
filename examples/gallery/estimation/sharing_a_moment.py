"""Who carries the moment.

Static optimisation shares the moments of a reach among six muscles: the least sum of squared activations.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

arm = my.load_model("planar_arm")
time = np.arange(60) / 60.0
reach = my.Trajectory(time, {"shoulder": 0.6 + 0.6 * np.sin(9 * time), "elbow": 1.2 + 0.5 * np.sin(9 * time + 1.0)})
found = my.static_optimisation(arm, reach)
figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
for name in arm.muscles:
    axes.plot(time, found.values(f"{name}.activation"), label=name)
    print(f"{name:22} largest force {found.values(f'{name}.force').max():5.0f} N")
axes.set(xlabel="time (s)", ylabel="activation", title="Six muscles, two joints")
axes.legend(fontsize="small")
figure.savefig("sharing_a_moment.png", dpi=90)
