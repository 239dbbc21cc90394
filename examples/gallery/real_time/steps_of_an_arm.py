"""An arm with 138 muscles in real time.

298 states are advanced by steps of 3 ms. The histogram shows how long a step takes on this machine; real time would
allow 3000 µs.
"""

import time as clock

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

arm = my.stepper(my.synthetic_arm(muscles=138), my.Rosenbrock(step=0.003))
taken = []
for _ in range(1000):
    begun = clock.perf_counter()
    arm.step({"scapula_humerus_1": 0.5})
    taken.append(1e6 * (clock.perf_counter() - begun))
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.hist(taken, bins=np.logspace(1, 3.6, 50))
axes.axvline(3000, color="black", label="real time")
axes.set(xscale="log", xlabel="time of a step (µs)", ylabel="steps")
axes.legend()
figure.savefig("steps_of_an_arm.png", dpi=90)
print(f"median {np.median(taken):.0f} µs: {3000 / np.median(taken):.0f} times faster than real time")
