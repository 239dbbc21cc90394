"""What predicted gaits do with passive moments that cost nothing, and what changes when they cost. Run it with

    python examples/passive_springs.py [FOLDER]

It takes a minute or two. FOLDER holds the recorded runners RBDS00*runT35.csv (Fukuchi et al. 2017), with which the runs
are then compared. The run and the walk of the library are solved again on 20 intervals, with ever higher costs: of
passive moments (`my.PassiveLoad`), then of activations themselves, which stand for their heat.
"""

import csv
import sys
from pathlib import Path

import numpy as np

import myodyne as my

# Costs of passive moments, 100 N m counting as one, and of activations by volume.
WEIGHTS = ((0.0, 0.0), (0.3, 0.0), (1.0, 0.0), (1.0, 0.5))
PERCENT = np.arange(100.0)


def half_of(name):
    """Return the first half of the cycle of a movement of the library."""
    whole = my.load_movement(name).run()
    first = whole.time <= whole.time[-1] / 2 + 1e-9
    return my.Trajectory(whole.time[first], {column: whole.values(column)[first] for column in whole.names})


def with_costs(problem, passive, heat):
    """Return a problem with these costs of passive moments and of heat, without its starts."""
    others = [goal for goal in problem.goals if goal.kind != "passive_load"]
    more = (
        my.PassiveLoad(weight=passive, label="passive moments"),
        my.Effort(of="activations", exponent=1, weights="volume", weight=heat, label="heat"),
    )
    alone = {"starts": (), "screening": None, "accuracy": None, "continuation": ()}
    return problem.model_copy(update={"goals": (*others, *more), **alone})


def runners(folder):
    """Return knee and hip (rad) and vertical force of three runners at 3.5 m/s over a cycle, from foot strike on."""
    rows = {}
    for file in sorted(Path(folder).glob("RBDS00*runT35.csv")):
        with file.open(encoding="utf-8") as text:
            for name, _, _, kind, *values in csv.reader(text):
                if kind == "mean":
                    rows.setdefault(name, []).append(np.array(values, dtype=float))
    means = {name: np.mean(values, axis=0) for name, values in rows.items()}
    columns = {"hip": "hip_flexion", "knee": "knee_angle", "force": "GRF_y"}
    return {name: np.append(means[f"{column}_r"], means[f"{column}_l"]) for name, column in columns.items()}


def cycle_of(half):
    """Return hip and knee (°), vertical force (body weights) and the passive moment of the hip (N m) from strike on."""
    time = (half.time - half.time[0]) / np.ptp(half.time)
    percent = 50 * np.append(time, 1 + time[1:])

    def whole(name):
        return np.interp(PERCENT, percent, np.append(half.values(f"right_{name}"), half.values(f"left_{name}")[1:]))

    weight = half.problem.model.mass * 9.81
    found = {"hip": np.degrees(whole("hip")), "knee": np.degrees(whole("knee"))}
    found |= {"force": (whole("heel.force_y") + whole("toe.force_y")) / weight, "passive": whole("hip_passive.torque")}
    loaded = found["force"] > 0.03
    strike = int(np.flatnonzero(loaded & ~np.roll(loaded, 1))[0])
    return {name: np.roll(values, -strike) for name, values in found.items()}


recorded = runners(sys.argv[1]) if len(sys.argv) > 1 else {}
for name, movement in (("gait2d_running", "run"), ("gait2d_predictive", "walk")):
    problem, gait = my.load_problem(name), half_of(movement)
    print(f"{name}: costs of passive moments and heat; what follows")
    for passive, heat in WEIGHTS:
        gait = my.solve(with_costs(problem, passive, heat), nodes=[21], guess=gait, audit=False)
        report, cycle = my.gait_report(gait), cycle_of(gait)
        bhargava = next(cost for cost in report.costs if cost.model == "bhargava")
        hip, knee = cycle["hip"], -cycle["knee"]
        line = (
            f"{passive:5.1f} {heat:4.1f}  passive hip at most {cycle['passive'].max():3.0f} N m, hip {hip.min():4.0f} "
            f"to {hip.max():3.0f}°, knee at strike {knee[0]:3.0f}°, in swing {knee.max():3.0f}°, peak "
            f"{cycle['force'].max():.2f}, stance {report.measures['stance'].value:.0f} %, cycle "
            f"{2 * gait.report.optimum.duration:.2f} s, muscles {bhargava.net:.2f} J/kg/m"
        )
        if movement == "walk":
            curves = ("hip_angle", "knee_angle", "ankle_angle", "force_y", "force_x")
            line += "  r " + " ".join(f"{report.curve(curve).correlation:.2f}" for curve in curves)
        elif recorded:
            line += "  r " + " ".join(f"{np.corrcoef(cycle[key], recorded[key])[0, 1]:.2f}" for key in recorded)
        print(line, flush=True)
