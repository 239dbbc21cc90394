"""Where an arm comes to rest.

All muscles of the planar arm are equally excited, from 5 to 50 %. Each excitation has one pose in which nothing
moves; the pose is found as an equilibrium, not by waiting.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

arm = my.load_model("planar_arm")
levels = np.linspace(0.05, 0.5, 10)
rests = [my.equilibrium(arm, controls=dict.fromkeys(arm.muscles, float(level))) for level in levels]
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name in arm.moving:
    axes.plot(100 * levels, [np.degrees(rest[name]) for rest in rests], "o-", label=name)
axes.set(xlabel="excitation of all muscles (%)", ylabel="angle at rest (°)", title="Postures of equal excitation")
axes.legend()
figure.savefig("resting_postures.png", dpi=90)
print(f"all stable: {all(rest.stable for rest in rests)}")
