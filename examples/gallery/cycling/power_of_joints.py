"""Which joint pays for a sprint.

Power of the motors at ankle, knee and hip over two revolutions of the library's ride, and their means as bars.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

run = my.load_movement("cycle").run()
figure, (over_time, means) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", width_ratios=[2, 1])
average = {}
for joint in ("ankle", "knee", "hip"):
    power = run.values(f"{joint}_motor.power")
    over_time.plot(run.time, power, label=joint)
    average[joint] = np.trapezoid(power, run.time) / run.time[-1]
    print(f"{joint:6} {average[joint]:6.0f} W on average")
over_time.set(xlabel="time (s)", ylabel="power (W)", title="Two revolutions at 120 rpm")
over_time.legend(fontsize="small")
means.barh(list(average), list(average.values()))
means.set(xlabel="mean power (W)")
figure.savefig("power_of_joints.png", dpi=90)
print(f"one leg    {sum(average.values()):6.0f} W")
