"""A load that is let go.

A fully active muscle holds a load; then the load loses half its weight, and the muscle shortens. The force falls
within 40 ms, as the tendon recoils, and then follows the force–velocity curve.
"""

import matplotlib.pyplot as plt

import myodyne as my

points = ({"body": "ground", "at": (0.0, 0.0, 0.0)}, {"body": "load", "at": (0.0, 0.0, 0.0)})
muscle = my.Muscle(
    max_force=1000.0,
    optimal_fibre_length=0.1,
    tendon_slack_length=0.2,
    default_activation=1.0,
    path=my.PointPath(points=points),
)
heavy = my.Model(
    name="quick release",
    bodies={"load": my.Body(mass=90.0)},
    joints={"rail": my.slider("ground", "load", "length", axis="-y", default=0.31)},
    muscles={"muscle": muscle},
)
held = my.equilibrium(heavy, controls={"muscle": 1.0}, stable=False)
light = heavy.with_values({"load.mass": 45.0})
run = my.simulate(light, 0.15, start=held, controls={"muscle": 1.0}, scheme=my.TRBDF2(), every=0.001)
figure, (force, length) = plt.subplots(2, 1, figsize=(6, 4.5), sharex=True, layout="constrained")
force.plot(1000 * run.time, run.values("muscle.force"))
force.axhline(45.0 * 9.81, color="grey", linewidth=0.8)
force.set(ylabel="force (N)", title="From 90 to 45 kg")
length.plot(1000 * run.time, 1000 * (run.values("muscle.length") - run.values("muscle.length")[0]), label="muscle")
along = 0.1 * run.values("muscle.projected_length")
length.plot(1000 * run.time, 1000 * (along - along[0]), label="fibre")
length.set(xlabel="time (ms)", ylabel="change (mm)")
length.legend(fontsize="small")
figure.savefig("quick_release.png", dpi=90)
print(f"held at {held['length']:.4f} m; after 0.15 s at {run.final['length']:.4f} m")
