"""A muscle is excited for a tenth of a second.

One muscle at constant length: excitation, activation, and force. The force lags behind, and lasts.
"""

import matplotlib.pyplot as plt

import myodyne as my

points = ({"body": "ground", "at": (0.0, 0.0, 0.0)}, {"body": "load", "at": (0.0, 0.0, 0.0)})
muscle = my.Muscle(
    max_force=1000.0, optimal_fibre_length=0.1, tendon_slack_length=0.2, path=my.PointPath(points=points)
)
model = my.Model(
    name="isometric",
    bodies={"load": my.Body(mass=1e4)},
    joints={"rail": my.slider("ground", "load", "length", axis="x", default=0.3)},
    muscles={"muscle": muscle},
    gravity=(0.0, 0.0, 0.0),
)
pulse = my.piecewise_constant([0.0, 0.05, 0.15], [0.0, 1.0, 0.0])
run = my.simulate(model, 0.6, controls={"muscle": pulse}, scheme=my.TRBDF2(), every=0.002)
figure, (drive, force) = plt.subplots(2, 1, figsize=(6, 4.5), sharex=True, layout="constrained")
drive.plot(run.time, [pulse(t) for t in run.time], label="excitation")
drive.plot(run.time, run.values("muscle.activation"), label="activation")
drive.legend(fontsize="small")
force.plot(run.time, run.values("muscle.force"))
force.set(xlabel="time (s)", ylabel="force (N)")
figure.savefig("twitch.png", dpi=90)
print(
    f"largest force {run.values('muscle.force').max():.0f} N at {run.time[run.values('muscle.force').argmax()]:.3f} s"
)
