"""How much a late muscle costs.

Each muscle of the jumper is switched on later than in its best jump by up to 60 ms, all others as before.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

jumper = my.load_model("jumper")
ONSETS = {  # s, of the best jump
    "soleus": 0.0158,
    "gastrocnemius": 0.02,
    "vasti": 0.0,
    "rectus_femoris": 0.0652,
    "glutei": 0.0038,
    "hamstrings": 0.0,
}


def height(onsets):
    """Return the height of the centre of mass at the top of the flight (m)."""
    rest = {name: muscle.default_activation for name, muscle in jumper.muscles.items()}
    controls = {name: my.step(at=time, before=rest[name]) for name, time in onsets.items()}
    push = my.simulate(jumper, 0.8, controls=controls, until=my.falls_through_zero("stance.force_y"))
    return push.final["com.position_y"] + push.final["com.velocity_y"] ** 2 / (2 * 9.81)


delays = np.linspace(0.0, 0.06, 7)
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for muscle, onset in ONSETS.items():
    heights = [height(ONSETS | {muscle: onset + delay}) for delay in delays]
    axes.plot(1000 * delays, 100 * (np.array(heights) - heights[0]), "o-", label=muscle)
    print(f"{muscle:15} 60 ms later: {100 * (heights[-1] - heights[0]):6.1f} cm")
axes.set(xlabel="delay of one muscle (ms)", ylabel="height gained (cm)", title="Timing of a squat jump")
axes.legend(fontsize="small")
figure.savefig("late_muscles.png", dpi=90)
