"""The drive of a rowing stroke, from a planar chain.

Shanks, thighs, trunk and arms are a chain of `my.newton_euler` whose base is the foot stretcher. Two rows of
constraints keep the hip on the slide and the hands at the height of the handle, which resists by its speed squared, as
the flywheel of an ergometer does. Legs and trunk are prescribed; the chain gives the moments of knee and hip. The same
chain as a model, driven by these moments, then rows by itself. Segments and timing are ours.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.interpolate import make_interp_spline

import myodyne as my

ne = my.newton_euler
DRIVE, RESISTANCE, SLIDE, HANDLE = 0.9, 180.0, 0.05, 0.30  # s, N s²/m², heights above the base (m)
rower = ne.Chain(
    [
        ne.Segment("shanks", length=0.45, centre=0.26, mass=7.0, inertia=0.12),
        ne.Segment("thighs", length=0.44, centre=0.25, mass=15.0, inertia=0.27),
        ne.Segment("trunk", length=0.50, centre=0.30, mass=43.0, inertia=2.2),
        ne.Segment("arms", length=0.60, centre=0.28, mass=7.5, inertia=0.25),
    ],
    joints=["ankle", "knee", "hip", "shoulder", "hand"],
)
time = np.linspace(0.0, DRIVE, 451)


def swing(first, last, begin, end):
    """Return a smooth turn between two angles (degrees) and two instants (parts of the drive)."""
    part = np.clip((time / DRIVE - begin) / (end - begin), 0.0, 1.0)
    return np.radians(first + (last - first) * part**4 * (35 - 84 * part + 70 * part**2 - 20 * part**3))


shanks, trunk = swing(80.0, 25.0, -0.15, 1.0), swing(120.0, 65.0, 0.1, 1.15)
thighs = -np.arcsin((0.45 * np.sin(shanks) - SLIDE) / 0.44)
arms = np.pi + np.arcsin((SLIDE + 0.50 * np.sin(trunk) - HANDLE) / 0.60)
angles = make_interp_spline(time, np.column_stack([shanks, thighs, trunk, arms]), k=7)
motion, speeding = ne.Motion(angles(time), angles(time, 1)), angles(time, 2)
speed = ne.velocity(rower, motion, "hand")[:, 0]
pull = np.outer(RESISTANCE * speed**2, [-1.0, 0.0])
known = ne.added(ne.weight(rower), ne.force_at(rower, motion, "hand", pull))
known |= {"shanks.angular_acceleration": speeding[:, 0], "trunk.angular_acceleration": speeding[:, 2]}
rows = [ne.PointAcceleration("hip", x=None), ne.PointAcceleration("hand", x=None)]
unknown = [f"{joint}.reaction_force_{axis}" for joint in rower.joints[:-1] for axis in "xy"]
unknown += ["knee.moment", "hip.moment", "thighs.angular_acceleration", "arms.angular_acceleration"]
stroke = ne.solve(rower, motion, known, unknown, rows)
model = ne.to_model(rower, ne.Motion(angles(0.0), angles(0.0, 1)), constraints=rows)
handle = my.PointForce(body="arms", at=(0.60, 0.0, 0.0), force=(-1.0, 0.0, 0.0), controlled=True)
moments = my.Trajectory(time, {f"{joint}_moment": stroke[f"{joint}.moment"] for joint in ("knee", "hip")})
given = {name: my.recorded(moments, name, smooth=True) for name in moments.names}
drag = my.Feedback(lambda at: {"handle": RESISTANCE * at["hand.velocity_x"] ** 2})
run = my.simulate(model.with_parts(forces={"handle": handle}), DRIVE, controls=given, feedback=drag, every=0.01)
seat, hands = stroke.reaction_of(rows[0])[::5, 0], ne.position(rower, motion, "hand")[::5, 0]
apart = np.abs(run.values("hand.position_x") - hands).max()
print(f"the model's hands follow the chain's within {apart:.0e} m, drift {max(run.report.drift.values()):.0e}")
apart = np.abs(run.values("row_1.force_y") - seat).max()
print(f"slide: {seat.min():.0f} (it would have to pull) to {seat.max():.0f} N, both ways within {apart:.0e} N")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for row in range(0, 451, 75):
    left.plot(*np.transpose([ne.position(rower, motion, joint)[row] for joint in rower.joints]), "o-", ms=3)
left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
right.set_xlabel("time (s)")
right.plot(time, moments.rows(), label=["knee (N m)", "hip (N m)"])
right.plot(run.time, run.values("row_1.force_y"), label="slide (N)")
right.plot(time, -pull[:, 0], label="handle (N)")
right.legend()
figure.savefig("rowing.png", dpi=90)
