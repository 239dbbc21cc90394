"""Forces in the joints of a bent leg.

Newton and Euler's planar system solves for whatever is unknown: here the reaction forces and moments that hold a leg
still, over the angle of the knee.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

ne = my.newton_euler
leg = ne.Chain(
    [
        ne.Segment("thigh", length=0.43, centre=0.19, mass=7.5, inertia=0.14),
        ne.Segment("shank", length=0.43, centre=0.19, mass=3.5, inertia=0.06),
    ],
    joints=["hip", "knee", "ankle"],
)
bends = np.linspace(0.0, 90.0, 31)
moments = {"hip": [], "knee": []}
for bend in bends:
    pose = ne.Motion(angles=[my.degrees(-60), my.degrees(-60 - bend)])
    held = ne.solve(leg, pose, known=ne.weight(leg), unknown=ne.inverse_unknowns(leg))
    for name, values in moments.items():
        values.append(held[f"{name}.moment"])
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, values in moments.items():
    axes.plot(bends, values, label=name)
axes.set(xlabel="flexion of the knee (°)", ylabel="moment (N m)", title="What holds a raised leg")
axes.legend()
figure.savefig("moments_of_a_raised_leg.png", dpi=90)
print(f"straight: hip {moments['hip'][0]:.1f} N m; bent by 90°: {moments['hip'][-1]:.1f} N m")
