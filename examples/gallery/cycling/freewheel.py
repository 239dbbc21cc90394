"""A crank with a freewheel.

The clutch pushes the wheel and never pulls it: it grips when the crank would overtake, and lets go when it would
brake. The same ride as in `examples/freewheel.py`.
"""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

EXAMPLES = Path(__file__).parents[2]
sys.path.insert(0, str(EXAMPLES))  # it shares functions with another example
ride = runpy.run_path(str(EXAMPLES / "freewheel.py"))["ride"]
run = ride()
crank = run.values("crank.speed")
figure, (speeds, torque) = plt.subplots(2, 1, figsize=(6, 4.5), sharex=True, layout="constrained")
speeds.plot(run.time, -crank, label="crank")
speeds.plot(run.time, -(crank + run.values("overrun.speed")), "--", label="wheel")
speeds.set(ylabel="speed (rad/s)", title="The wheel is never slower than the crank")
speeds.legend(fontsize="small")
torque.plot(run.time, -run.values("clutch.torque"))
torque.set(xlabel="time (s)", ylabel="torque of the clutch (N m)")
figure.savefig("freewheel.png", dpi=90)
print(f"{len(run.report.events)} changes; the largest torque is {np.nanmax(-run.values('clutch.torque')):.0f} N m")
