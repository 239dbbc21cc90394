"""The predicted walk beside people.

Joint angles of the library's walk over the cycle, and the means and one standard deviation of Winter's natural
cadence, which the prediction never saw.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

walk = my.load_movement("walk")
cycle = walk.follows if walk.follows is not None else my.whole_cycle(walk.run())
norm = my.winter_gait(count=101)
figure, panels = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for axes, joint in zip(panels, ("hip", "knee", "ankle"), strict=True):
    name = f"right_{joint}"
    percent = 100 * (cycle.time - cycle.time[0]) / (cycle.time[-1] - cycle.time[0])
    mean, spread = (np.degrees(part.values(name)) for part in (norm.mean, norm.deviation))
    shown = 100 * norm.mean.time / norm.duration
    axes.fill_between(shown, mean - spread, mean + spread, alpha=0.3, label="people, mean ± SD")
    axes.plot(percent, np.degrees(cycle.values(name)), label="predicted")
    at = np.interp(shown, percent, np.degrees(cycle.values(name)))
    print(f"{joint:6} correlation {np.corrcoef(at, mean)[0, 1]:.2f}")
    axes.set(xlabel="cycle (%)", title=joint)
panels[0].set(ylabel="angle (°)")
panels[0].legend(fontsize="small")
figure.savefig("against_people.png", dpi=90)
