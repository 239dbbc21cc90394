"""The path of a spinning top.

The centre of mass, seen from above, for three ways to let go: at rest, pushed against the precession (loops), and
along with it (waves).
"""

import matplotlib.pyplot as plt

import myodyne as my

model = my.load_model("spinning_top")
figure, panels = plt.subplots(1, 3, figsize=(8, 3), layout="constrained")
for axes, push in zip(panels, (0.0, 1.0, -1.0), strict=True):
    start = {"tilt_x": 0.5, "tilt_z": 0.0, "spin.speed": 150.0, "tilt_z.speed": push}
    run = my.simulate(model, 1.6, start=start, every=0.002)
    axes.plot(run.values("com.position_x"), run.values("com.position_z"), linewidth=0.8)
    axes.set(title=f"pushed at {push:g} rad/s", aspect="equal", xticks=[], yticks=[])
    print(f"push {push:4.1f} rad/s: energy error {run.report.energy_error:.1e}")
figure.savefig("spinning_top.png", dpi=90)
