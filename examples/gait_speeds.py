"""Predict walking from slow to fast and running, and compare what they cost. Run it with

    python examples/gait_speeds.py

It takes some minutes. The walk at 1.3 m/s and the run at 3.5 m/s are the best of their default starts; every other
speed starts from its neighbour, on 40 intervals, with the same goals and weights. Running also costs passive moments;
objectives are compared without this term. The script prints three tables and writes ``gait_speeds.png``, and with
``--animate`` an animation of four gaits, into the current folder.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

WALKING = (1.3, 1.1, 0.9, 0.8, 0.7, 1.5, 1.65, 1.8, 1.9, 2.0)
COSTS = (0.7, 0.9, 1.1, 1.3, 1.5, 1.65, 1.8)
RUNNING = (3.5, 3.0, 2.5, 2.2, 2.0, 1.8, 4.0, 4.5)
# Of a person who stands (W/kg): 4.8 ml of oxygen per kg and minute (Abe et al. 2015), 20.1 J each.
STANDING = 4.8 * 20.1 / 60


def ralston(speed):
    """Return the gross cost of walking (J/kg/m) by Ralston 1958."""
    return (29.0 + 0.0053 * (60 * speed) ** 2) * 4.184 / (60 * speed)


def followed(name, speeds):
    """Return the gaits by speed: the first from the default starts, the others from their neighbours."""
    problem, found = my.load_problem(name).with_speed(speeds[0]), {}
    first = my.solve(problem)
    found[speeds[0]] = my.solve(problem, nodes=[41], guess=first, audit=False)
    for speed in speeds[1:]:
        near = min(found, key=lambda other: abs(other - speed))
        try:
            found[speed] = my.solve(problem.with_speed(speed), nodes=[41], guess=found[near], audit=False)
        except my.SolveError as error:
            print(f"{name} at {speed} m/s: {str(error)[:100]}")
    return dict(sorted(found.items()))


def shared_objective(speed, gait):
    """Return the objective per distance (1/m) by the goals that walking and running share."""
    optimum = gait.report.optimum
    return (optimum.objective - optimum.parts.get("passive moments", 0.0)) / speed


def row(speed, gait):
    """Return the report of a gait, and its line of the table."""
    report = my.gait_report(gait, resting=STANDING)
    measures = {name: measure.value for name, measure in report.measures.items()}
    # Step length over cadence is about constant in men, 0.0065 m min (Sekiya and Nagasaki 1998).
    expected = 2 * np.sqrt(0.0065 * 60 * speed)
    line = (
        f"{speed:5.2f} {report.kind:8} {measures['stride_length']:6.2f} {expected:6.2f} {measures['cadence']:6.0f} "
        f"{measures['stance']:6.0f} {measures['flight']:6.0f} {measures['peak_force']:6.2f} {measures['humps']:3.0f} "
        f"{measures['strike_angle']:5.0f} {shared_objective(speed, gait):8.4f}"
    )
    for cost in report.costs:
        line += f" {cost.net:6.2f} {cost.gross:6.2f}"
    if report.kind == "walking":
        names = ("hip_angle", "knee_angle", "ankle_angle", "force_y", "force_x")
        line += "  r " + " ".join(f"{report.curve(name).correlation:.2f}" for name in names)
    return report, line


walks, runs = followed("gait2d_predictive", WALKING), followed("gait2d_running", RUNNING)
print("speed gait     stride expect. cadence stance flight peak humps strike  J/speed  Umberger net, gross  Bhargava")
costs = {}
for kind, gaits in (("walking", walks), ("running", runs)):
    for speed, gait in gaits.items():
        report, line = row(speed, gait)
        costs[kind, speed] = {cost.model: cost for cost in report.costs}
        print(line)

print("\nspeed  gross by Umberger  by Bhargava  Ralston 1958  (J/kg/m)")
for speed in COSTS:
    if ("walking", speed) in costs:
        both = costs["walking", speed]
        print(f"{speed:5.2f} {both['umberger'].gross:12.2f} {both['bhargava'].gross:14.2f} {ralston(speed):12.2f}")

print("\nmetabolic power by Bhargava of both sides (W/kg)")
for speed in (0.7, 1.3, 1.8):
    if walk := walks.get(speed):
        powers = {}
        for name in walk.problem.model.muscles:
            mean = np.trapezoid(walk.values(f"{name}.metabolic_power_bhargava"), walk.time) / np.ptp(walk.time)
            group = name.partition("_")[2]
            powers[group] = powers.get(group, 0.0) + mean / walk.problem.model.mass
        print(f"{speed:4.1f} m/s", ", ".join(f"{group} {power:.2f}" for group, power in powers.items()))

figure, axes = plt.subplots(1, 3, figsize=(13, 3.4), layout="constrained")
for kind, gaits in (("walking", walks), ("running", runs)):
    for model, mark in (("bhargava", "-"), ("umberger", "--")):
        gross = [costs[kind, speed][model].gross for speed in gaits]
        axes[0].plot(list(gaits), gross, mark, marker=".", label=f"{kind}, {model}")
    axes[1].plot(list(gaits), [shared_objective(v, gait) for v, gait in gaits.items()], marker=".", label=kind)
speeds = np.linspace(0.7, 2.0, 50)
axes[0].plot(speeds, ralston(speeds), "k:", label="Ralston 1958")
axes[0].set(title="gross cost of transport (J/kg/m)", xlabel="speed (m/s)", ylim=(0, None))
axes[1].set(title="shared objective per distance (1/m)", xlabel="speed (m/s)")
for speed, gait in walks.items():
    if speed in (0.8, 1.3, 1.8):
        curve = my.gait_report(gait).curve("force_y").values
        axes[2].plot(np.linspace(0, 100, len(curve)), curve, label=f"{speed} m/s")
axes[2].set(title="vertical force (body weights)", xlabel="% of the cycle")
for axis in axes:
    axis.legend(frameon=False, fontsize=7)
figure.savefig("gait_speeds.png", dpi=110)
if "--animate" in sys.argv:
    for speed in (0.8, 1.3, 1.8):
        my.animate(walks[speed], f"walking_{speed:g}.gif")
    my.animate(runs[3.5], "running.gif")
