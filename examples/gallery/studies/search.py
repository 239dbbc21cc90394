"""A search without derivatives.

CMA-ES looks for the angle and the speed from which a pendulum comes nearest to rest upright after one second.
"""

import numpy as np

import myodyne as my


def miss(run):
    """Return how far the rod is from rest upright at the end."""
    return float(np.hypot(run.final["angle"] - np.pi, 0.2 * run.final["angle.speed"]))


study = my.Study(
    my.load_model("pendulum"),
    vary={"start:angle": (0.0, 1.0), "start:angle.speed": (4.0, 9.0)},
    measure=miss,
    duration=1.0,
)
found = my.search(study, my.CMA(seed=3), minimise="miss", evaluations=150)
my.plot(found, path="search.png")
print(f"best: {dict(found.best)}, miss {found.value:.4f} after {found.evaluations} runs")
