"""A four-bar linkage whose coordinate is the height of a centre of mass.

Ehsani's four-bar linkage takes the height of its second bar's centre of mass as generalised coordinate. A gauge without
mass slides up and down and a constraint holds it level with that centre; `my.embed` then makes all angles functions of
the height. Each height has two poses, one on each half of the loop; they meet at ±2.05738 m.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

four = my.load_model("four_bar")
figure, (angles, swing) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for half, sign in (("first", 1.0), ("second", -1.0)):
    pose = {name: sign * four.coordinates[name].default for name in four.moving}
    turns = np.cumsum(list(pose.values()))
    height = my.Coordinate(default=float(2.0 * np.sin(turns[0]) + 2.0 * np.sin(turns[1])))
    rail = my.Joint(
        parent=my.Placement(body="ground"),
        child=my.Placement(body="gauge"),
        coordinates={"height": height},
        axes=[my.Axis(motion="translation", direction="y", function="height")],
    )
    level = my.PointConstraint(first=four.markers["coupler_centre"], second=my.Marker(body="gauge"), axes="y")
    model = four.with_values({f"{name}.default": value for name, value in pose.items()}).with_parts(
        bodies={"gauge": my.Body(mass=0.0)}, joints={"rail": rail}, constraints={"level": level}
    )
    found = my.embed(model, "height", {"height": (-2.0, 2.0)})
    # A spring that pulls the height to zero, so that the linkage stays within the range.
    held = found.model.with_parts(forces={"spring": my.TorsionSpring(coordinate="height", stiffness=500.0)})
    run = my.simulate(held, 2.0, start={"height": 1.0}, every=0.005)
    for name in four.moving:
        angles.plot(run.values("height"), run.values(name), label=f"{name}, {half} half")
    swing.plot(run.time, run.values("height"), label=f"{half} half")
    print(f"{half} half: moves by {found.model.moving}, loop error {found.loop_error:.0e} m,", end=" ")
    print(f"energy error {run.report.energy_error:.0e}")
angles.set(xlabel="height (m)", ylabel="angles (rad)")
swing.set(xlabel="time (s)", ylabel="height (m)")
angles.legend(fontsize=7, loc="upper left")
swing.legend()
figure.savefig("height_as_coordinate.png", dpi=90)
