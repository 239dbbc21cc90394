"""A four-bar linkage that swings.

The loop is kept by a constraint. The picture has poses of a swing under gravity, coloured by time.
"""

import myodyne as my

model = my.load_model("four_bar")
run = my.simulate(model, 2.0, every=0.02)
my.animate(run, "four_bar.png", poses=6)
print(f"constraints: {', '.join(model.constraints)}")
print(f"largest drift of the loop: {max(run.report.drift.values()):.1e} m; energy error {run.report.energy_error:.1e}")
