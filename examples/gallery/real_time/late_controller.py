"""A controller that comes late.

A motor keeps a rod upright; its controller sees the angle every 10, 120 and 150 ms only. The same gains hold at the
first two rates and fail at the third.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for period in (0.01, 0.12, 0.15):
    law = my.Sampled(lambda at: {"motor": -20.0 * (at["angle"] - np.pi) - 5.0 * at["angle.speed"]}, period=period)
    run = my.simulate(rod, 2.0, start={"angle": 2.8}, feedback=law, every=0.005)
    axes.plot(run.time, np.degrees(run.values("angle")), label=f"every {1000 * period:.0f} ms")
    print(f"every {1000 * period:3.0f} ms: {np.degrees(run.final['angle'] - np.pi):6.1f}° from upright after 2 s")
axes.axhline(180, color="grey", linewidth=0.8)
axes.set(xlabel="time (s)", ylabel="angle (°)", ylim=(155, 205), title="One law, three rates")
axes.legend(fontsize="small")
figure.savefig("late_controller.png", dpi=90)
