"""What makes walking cheap or costly? Run it with

    python examples/walk_tornado.py

The walk of least effort at 1.3 m/s (``gait2d_predictive``) is solved once, from a sketch of a step. Then the exact
derivatives of its conditions of optimality say how its cost of transport (Bhargava's energetics, muscles alone) follows
the strength of each muscle on both sides, and masses, where each walk is the best one for its body. The four numbers
that matter most are checked: the walk is solved again with 10 % less and 10 % more. The script writes a tornado plot,
``walk_tornado.png``, into the current folder. It takes some minutes.
"""

from __future__ import annotations

import numpy as np

import myodyne as my

SPEED = 1.3  # m/s
CHANGE = 0.1
# Both sides change together: the walk is half a cycle, and the other half mirrors it.
GROUPS = {
    **{
        muscle: (f"right_{muscle}.max_force", f"left_{muscle}.max_force")
        for muscle in (
            "iliopsoas",
            "glutei",
            "hamstrings",
            "rectus_femoris",
            "vasti",
            "gastrocnemius",
            "soleus",
            "tibialis_anterior",
        )
    },
    "mass of the trunk": ("trunk.mass",),
    "mass of the feet": ("right_foot.mass", "left_foot.mass"),
}


def cost(walk: my.Solution) -> float:
    """Return the metabolic cost of transport (J/kg/m)."""
    model = walk.model
    power = sum(walk.values(f"{name}.metabolic_power_bhargava") for name in model.muscles)
    distance = walk.values("pelvis_x")[-1] - walk.values("pelvis_x")[0]
    return float(np.trapezoid(power, walk.time) / distance / model.mass)


def first_walk() -> my.Problem:
    """Return the problem whose own guess is its solution from a sketch of a step."""
    problem = my.load_problem("gait2d_predictive")
    assert isinstance(problem, my.Problem)
    alone = problem.model_copy(update={"starts": (), "screening": None, "accuracy": None})
    coarse = my.solve(alone, nodes=[21], audit=False)
    walk = my.solve(alone, nodes=[41], guess=coarse, audit=False)
    print(f"{walk.report.status}: {cost(walk):.3f} J/kg/m", flush=True)
    return alone.model_copy(update={"nodes": 41, "guess": walk.trajectory})


def tornado(problem: my.Problem) -> my.Sensitivity:
    """Return how the cost follows each group of numbers: the sum over both sides."""
    values = {name: float(problem.model.value(name)) for names in GROUPS.values() for name in names}
    ranges = {name: ((1 - CHANGE) * value, (1 + CHANGE) * value) for name, value in values.items()}
    each = my.sensitivity(my.Study(problem=problem, vary=ranges, measure=cost), my.Slopes())
    base = float(each.base or 0.0)

    def together(column: str) -> np.ndarray:
        found = dict(zip(each.names, each.columns[column] - base, strict=True))
        return base + np.array([sum(found[name] for name in names) for names in GROUPS.values()])

    ends = {column: together(column) for column in ("low", "high")}
    return my.Sensitivity("cost of transport (J/kg/m)", tuple(GROUPS), ends, base, each.table)


def solved_again(problem: my.Problem, groups: tuple[str, ...]) -> np.ndarray:
    """Return the cost with 10 % less and more of each group, each walk solved anew."""
    names = tuple(name for group in groups for name in GROUPS[group])
    usual = np.array([float(problem.model.value(name)) for name in names])
    rows = [
        usual * [1 + side * CHANGE * (name in GROUPS[group]) for name in names] for group in groups for side in (-1, 1)
    ]
    table = my.Study(problem=problem, vary=my.Rows(names, np.array(rows)), measure=cost).run()
    return np.asarray(table["cost"].values).reshape(-1, 2)


def main() -> None:
    """Print and draw what matters."""
    problem = first_walk()
    effects = tornado(problem)
    my.plot(effects, title="A predicted walk with 10 % less and 10 % more", path="walk_tornado.png")
    again = solved_again(problem, effects.order[:4])
    print(f"{'':<20}{'- 10 %':>9}{'+ 10 %':>9}   solved again")
    for place, name in enumerate(effects.order):
        k = effects.names.index(name)
        line = "".join(f"{100 * (effects.columns[end][k] / effects.base - 1):+8.2f}%" for end in ("low", "high"))
        if place < len(again):
            line += "   " + "".join(f"{100 * (value / effects.base - 1):+8.2f}%" for value in again[place])
        print(f"{name:<20}{line}", flush=True)


if __name__ == "__main__":
    main()
