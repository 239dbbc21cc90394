"""Two double pendulums, a micrometre apart.

Both obey the same equations; the second starts a millionth of a radian away. The distance grows by e in about half a
second, until they have nothing in common. So a long forecast of a double pendulum is no test of a program: its energy
is.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

model = my.load_model("double_pendulum")
one, other = (my.simulate(model, 10.0, start={"angle1": start}, every=0.01) for start in (2.0, 2.0 + 1e-6))
figure, (angle, apart) = plt.subplots(2, 1, figsize=(6, 4.5), sharex=True, layout="constrained")
for run, style in ((one, "-"), (other, "--")):
    angle.plot(run.time, np.degrees(run.values("angle2")), style)
apart.semilogy(one.time, np.abs(one.values("angle2") - other.values("angle2")) + 1e-12)
angle.set(ylabel="second angle (°)", title="The same start to a millionth of a radian")
apart.set(xlabel="time (s)", ylabel="difference (rad)")
figure.savefig("double_pendulum.png", dpi=90)
print(f"energy error of both: {one.report.energy_error:.1e}, {other.report.energy_error:.1e}")
