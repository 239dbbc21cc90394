"""Predict how walking changes uphill, with a load, and with weak calves. Run it with

    python examples/changed_walkers.py

It takes a minute or two, longer the first time, and prints a table.
"""

import numpy as np

import myodyne as my

CALVES = [f"{side}_{name}.max_force" for side in ("right", "left") for name in ("soleus", "gastrocnemius")]

problem = my.load_problem("gait2d_predictive")
# Numbers that are free change without compiling again.
model = problem.model.free("gravity.x", "gravity.y", "trunk.mass", *CALVES)
problem = problem.model_copy(update={"model": model})

slope = np.arctan(0.05)
changes = {
    "level": {},
    # Uphill the ground stays where it is and gravity leans back.
    "5 % uphill": {"gravity.x": -9.81 * np.sin(slope), "gravity.y": -9.81 * np.cos(slope)},
    "10 kg on the trunk": {"trunk.mass": model.value("trunk.mass") + 10.0},
    "calves half as strong": {name: 0.5 * model.value(name) for name in CALVES},
}

print("                        stride m  stance %  effort  knee in swing °  ankle at push-off °")
guess = problem.guess
for what, values in changes.items():
    changed = problem.model_copy(update={"model": model.with_values(values)})
    walk = my.solve(changed, nodes=[21], guess=guess, settings=my.Settings(tolerance=1e-4), audit=False)
    guess = guess if isinstance(guess, my.Solution) else walk  # every change starts from the walk on the level
    optimum, time = walk.report.optimum, walk.time
    loaded = [
        walk.values(f"{side}_heel.force_y") + walk.values(f"{side}_toe.force_y") > 20.0 for side in ("right", "left")
    ]
    stance = 50 * sum(np.trapezoid(foot.astype(float), time) for foot in loaded) / np.ptp(time)
    knee, ankle = (np.degrees(walk.values(name).min()) for name in ("left_knee", "left_ankle"))
    stride, effort = 2 * 1.3 * optimum.duration, optimum.parts["effort"]
    print(f"{what:<24} {stride:7.2f} {stance:9.0f} {effort:8.3f} {knee:12.0f} {ankle:16.0f}")
