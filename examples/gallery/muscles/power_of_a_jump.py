"""Where the power of a jump comes from.

Power of all muscles of the jumper in its best jump. Glutei and vasti give most of the work; soleus and gastrocnemius
give theirs late.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

jump = my.load_movement("jump")
run = jump.run()
figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
bottom = np.zeros(len(run.time))
for name in jump.model.muscles:
    power = np.clip(run.values(f"{name}.power"), 0.0, None)
    axes.fill_between(1000 * run.time, bottom, bottom + power, label=name, alpha=0.8)
    bottom = bottom + power
    print(f"{name:15} {np.trapezoid(run.values(f'{name}.power'), run.time):6.1f} J")
axes.set(xlabel="time (ms)", ylabel="power delivered (W)", title="Muscles of a squat jump")
axes.legend(fontsize="small", loc="upper left")
figure.savefig("power_of_a_jump.png", dpi=90)
