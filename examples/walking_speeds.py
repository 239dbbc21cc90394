"""Predict walking at other speeds for least effort, without tracking data. Run it with

    python examples/walking_speeds.py

It takes some ten seconds, longer the first time. The script prints a table and writes ``walk.html`` and ``walk.png``
into the current folder.
"""

import numpy as np

import myodyne as my

problem = my.load_problem("gait2d_predictive")  # half a cycle at 1.3 m/s; the left side mirrors the right


def at_speed(speed):
    """Return the problem with another mean speed (m/s)."""
    others = [condition for condition in problem.conditions if condition.name != "average_speed"]
    return problem.model_copy(update={"conditions": (*others, my.AverageSpeed(speed))})


walks, guess = {}, problem.guess  # a sketch of a step; without it, solve starts from seven others too
for speed in (1.3, 1.1, 1.5):
    # Each walk is the guess for the next; a coarse mesh is enough for a comparison.
    walks[speed] = guess = my.solve(
        at_speed(speed), nodes=[21], guess=guess, settings=my.Settings(tolerance=1e-4), audit=False
    )

print("speed m/s   step s   step m   effort   knee in swing °")
for speed in sorted(walks):
    optimum = walks[speed].report.optimum
    bend = np.degrees(walks[speed].values("left_knee").min())
    step, effort = speed * optimum.duration, optimum.parts["effort"]
    print(f"{speed:9.1f} {optimum.duration:8.3f} {step:8.3f} {effort:8.4f} {bend:12.0f}")

my.animate(walks[1.3], "walk.html")
my.plot(
    walks[1.3],
    ["left_hip", "left_knee", "left_ankle", "left_vasti.excitation", "right_soleus.excitation"],
    path="walk.png",
)
