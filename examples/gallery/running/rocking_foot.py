"""A foot that rolls on its arc.

A half disc rocks on the floor without slipping. Its contact point moves along; energy is kept, and the period follows
from the rolling constraint.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

RADIUS, CENTRE, MASS, INERTIA = 0.3, 0.12, 1.2, 0.01  # of the arc, of the centre of mass below it (m), kg, kg m²
foot = my.Body(mass=MASS, centre_of_mass=(0.0, -CENTRE, 0.0), inertia=INERTIA)
model = my.Model(
    name="foot",
    bodies={"foot": foot},
    joints={"planar": my.planar("ground", "foot", ("x", "y", "q"))},
    constraints={"floor": my.RollingConstraint(body="foot", radius=RADIUS)},
)
run = my.simulate(model, 4.0, start={"x": -0.6 * RADIUS, "y": RADIUS, "q": 0.6}, every=0.01)
small = np.sqrt(MASS * 9.81 * CENTRE / (INERTIA + MASS * (RADIUS - CENTRE) ** 2))
figure, (angle, energy) = plt.subplots(2, 1, figsize=(6, 4.5), sharex=True, layout="constrained")
angle.plot(run.time, run.values("q"), label="rolling foot")
angle.plot(run.time, 0.6 * np.cos(small * run.time), ":", label="small swings")
angle.set(ylabel="angle (rad)", title="Rocking on an arc")
angle.legend(fontsize="small")
for name in ("kinetic", "potential"):
    energy.plot(run.time, run.values(f"energy.{name}"), label=name)
energy.set(xlabel="time (s)", ylabel="energy (J)")
energy.legend(fontsize="small")
figure.savefig("rocking_foot.png", dpi=90)
print(f"energy error {run.report.energy_error:.1e}, drift {max(run.report.drift.values()):.1e}")
