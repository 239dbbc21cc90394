"""A landing on skis in a crouch, off balance: forces in the knee's ligaments. Run it with

    python examples/ski_landing.py

Van den Bogert et al. (2011, section 4.4) turn the estimated body of a downhill racer a little before it lands, and
simulate on with the estimated excitations. Forces in the ligaments of the knee become much larger, and skis half as
stiff lower their peak by 10 %. Their recording is not public. Here the model ``skier`` lands in a crouch with the least
effort; then it is turned by several angles and simulated with the same excitations, on skis of several stiffnesses. The
script prints the tables of ``docs/guide/estimation.md`` and writes ``ski_landing.png`` into the current folder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my
from myodyne.library.generators import skier
from myodyne.library.skier import SLOPE
from myodyne.optimise.builtin.ski_landing import true_landing

SIDES, LIGAMENTS = ("right", "left"), ("anterior", "posterior")
DURATION = 0.6  # s
FLEXION = 1.1  # rad, the least in either knee
DEEPER = {"hip": 0.15, "knee": -0.3, "ankle": 0.15}  # rad, than the start of the library's landing
SPEED = (18.3, -9.3)  # m/s, at the start
TURNS = (-0.2, -0.1, 0.0, 0.1, 0.2, 0.3)  # rad, backwards
STIFFNESSES = (0.25, 0.5, 1.0, 2.0)  # times that of the model
IMPACT = (0.03, 0.3)  # s, from before the first touch until the body has been stopped
# Directions of pull on the shank (rad) against its long axis, forwards positive, at a straight knee and per radian of
# flexion. The patellar tendon pulls forwards until the knee is bent by 75°; the hamstrings pull along the thigh, less
# the angle at which they come to the shank; the calf muscles do not end at the shank.
TENDON = (math.radians(20.0), -20.0 / 75.0)
HAMSTRINGS = (0.0, -0.8)
PULLS = (("vasti", TENDON), ("rectus_femoris", TENDON), ("hamstrings", HAMSTRINGS))
LIGAMENT = math.radians(45.0)  # both cruciate ligaments against the plateau


def knee_ligaments(movement: my.Trajectory, side: str) -> my.Trajectory:
    """Return the tension (N) in the anterior and the posterior cruciate ligament of a knee, and the shear in it.

    What crosses the knee along the plateau of the tibia (the net force between thigh and shank) is carried by muscles
    and ligaments, as the plateau, across the long axis of the shank, bears no shear. What muscles do not carry, the
    anterior ligament does if the shank would slide forwards, otherwise the posterior one. ``muscles`` and ``external``
    (N) are what pushes the shank forwards: the pull of muscles, and the rest. Angles of pull are chosen numbers of
    plausible size: differences between movements mean more than the forces themselves.
    """
    flexion = -movement.values(f"{side}_knee")
    turn = movement.values("pelvis_tilt") + movement.values(f"{side}_hip") - flexion
    reaction = [movement.values(f"{side}_knee.reaction_force_{axis}") for axis in "xy"]
    external = -(reaction[0] * np.cos(turn) + reaction[1] * np.sin(turn))
    muscles = sum(
        movement.values(f"{side}_{name}.force") * np.sin(straight + slope * flexion)
        for name, (straight, slope) in PULLS
    )
    forward = muscles + external
    columns = {
        f"{side}_anterior_cruciate.force": np.maximum(forward, 0.0) / math.cos(LIGAMENT),
        f"{side}_posterior_cruciate.force": np.maximum(-forward, 0.0) / math.cos(LIGAMENT),
        f"{side}_shear.muscles": muscles,
        f"{side}_shear.external": external,
    }
    return my.Trajectory(movement.time, columns, dict.fromkeys(columns, "N"))


def landing() -> my.Solution:
    """Return a landing in a crouch with the least effort, from a given flight above the slope."""
    model = skier()
    record = true_landing().slice(0.0, DURATION)
    columns = {name: record.values(name) for name in record.names}
    columns |= {f"{side}_knee": np.minimum(columns[f"{side}_knee"], -FLEXION) for side in SIDES}
    bends = [name for name in model.coordinates if name.endswith("_bend")]
    joints = [f"{side}_{joint}" for side in SIDES for joint in ("hip", "knee", "ankle")]
    flight = (
        {name: 0.0 for bend in bends for name in (bend, f"{bend}.speed")}
        | {f"{name}.force": (0.0, 300.0) for name in model.muscles}
        | {f"{name}.projected_length": (0.5, 1.5) for name in model.muscles}
        | {name: float(record.values(name)[0]) + DEEPER.get(name.partition("_")[2], 0.0) for name in record.names}
        | {f"{name}.speed": 0.0 for name in ("pelvis_tilt", *joints)}
        | dict(zip(("pelvis_x.speed", "pelvis_y.speed"), SPEED, strict=True))
    )
    room = (
        {"pelvis_x": (-1.0, 30.0), "pelvis_y": (-15.0, 3.0), "pelvis_tilt": (-1.0, 0.0)}
        | dict.fromkeys(bends, (-0.3, 0.3))
        | {f"{side}_knee": (-2.0, -FLEXION) for side in SIDES}
    )
    across = (math.sin(SLOPE), math.cos(SLOPE))
    rest = my.CustomCondition(
        label="rest across the slope",
        range=(-0.1, 0.1),
        ends_of=lambda ends: across[0] * ends.end["com.velocity_x"] + across[1] * ends.end["com.velocity_y"],
    )
    problem = my.Problem(
        model,
        name="landing in a crouch",
        duration=DURATION,
        goals=[my.Effort(exponent=2)],
        conditions=[
            my.Bounds(room),
            my.Start(flight),
            my.End({f"{name}.speed": (-0.3, 0.3) for name in ("pelvis_tilt", *joints)}),
            rest,
            my.SteadyActivation(),
        ],
        scheme=my.Midpoint(),
        guess=my.Trajectory(record.time, columns),
    )
    return my.solve(problem, nodes=[20, 61, 121], settings=my.Settings(tolerance=1e-3), audit=False)


def off_balance(landed: my.Solution, turn: float, factor: float, model: my.Model | None = None) -> my.Result:
    """Return the landing with the body turned backwards about its centre of mass, under the same excitations.

    Skis are as many times as stiff; half a second is simulated.
    """
    model = model or landed.model
    springs = [f"{side}_{end}_ski.stiffness" for side in SIDES for end in ("shovel", "tail")]
    changed = model.free(*springs).with_values({name: factor * model.value(name) for name in springs})
    start = {name: float(landed.values(name)[0]) for name in my.equations_of(model).states}
    centre = [float(landed.values(f"com.position_{axis}")[0]) for axis in "xy"]
    x, y = start["pelvis_x"] - centre[0], start["pelvis_y"] - centre[1]
    start["pelvis_x"] = centre[0] + x * math.cos(turn) - y * math.sin(turn)
    start["pelvis_y"] = centre[1] + x * math.sin(turn) + y * math.cos(turn)
    start["pelvis_tilt"] += turn
    excitations = {name: my.recorded(landed, f"{name}.excitation") for name in model.muscles}
    return my.simulate(changed, 0.5, start=start, controls=excitations, scheme=my.Rosenbrock(step=5e-4), every=2e-3)


@dataclass(frozen=True)
class Peak:
    """The largest tension in a ligament (N): when (s), at which flexion (rad), what pushed the shank forwards (N)."""

    force: float
    time: float
    flexion: float
    muscles: float
    external: float


def peaks(run: my.Trajectory) -> dict[str, Peak]:
    """Return the peak of each ligament during the impact, in the knee where it is larger."""
    impact = run.slice(*IMPACT)
    found: dict[str, Peak] = {}
    for side in SIDES:
        knee = knee_ligaments(impact, side)
        for ligament in LIGAMENTS:
            tension = knee.values(f"{side}_{ligament}_cruciate.force")
            row = int(np.argmax(tension))
            shares = (float(knee.values(f"{side}_shear.{what}")[row]) for what in ("muscles", "external"))
            peak = Peak(
                float(tension[row]), float(impact.time[row]), -float(impact.values(f"{side}_knee")[row]), *shares
            )
            if ligament not in found or peak.force > found[ligament].force:
                found[ligament] = peak
    return found


def main() -> None:
    """Print the tables and draw the peaks."""
    landed = landing()
    print(f"{landed.report.status} after {landed.report.optimum.iterations} iterations\n")
    swept = {(turn, factor): peaks(off_balance(landed, turn, factor)) for factor in STIFFNESSES for turn in TURNS}
    print("| turned backwards by (rad) | " + " | ".join(f"{turn:g}" for turn in TURNS) + " |")
    print("|---" * (1 + len(TURNS)) + "|")
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
    for ligament, axis in zip(LIGAMENTS, axes, strict=True):
        for factor in STIFFNESSES:
            forces = [swept[turn, factor][ligament].force for turn in TURNS]
            cells = " | ".join(f"{force:.0f}" for force in forces)
            print(f"| {ligament}, skis {factor:g} times as stiff (N) | {cells} |")
            axis.plot(TURNS, forces, "o-", markersize=3, label=f"skis {factor:g} times as stiff")
        axis.set(xlabel="turned backwards by (rad)", title=f"{ligament} cruciate ligament")
    print(
        "\n| at the peak, turned by 0.1 rad | time (s) | knee flexed by | muscles push the shank (N) | the rest (N) |"
    )
    print("|---" * 5 + "|")
    for ligament in LIGAMENTS:
        for factor in (0.5, 1.0):
            peak = swept[0.1, factor][ligament]
            print(
                f"| {ligament}, skis {factor:g} times as stiff | {peak.time:.3f} | {math.degrees(peak.flexion):.0f}° "
                f"| {peak.muscles:.0f} | {peak.external:.0f} |"
            )
    axes[0].set(ylabel="peak tension (N)", ylim=(0, None))
    axes[1].legend(fontsize="small")
    figure.savefig("ski_landing.png", dpi=90)


if __name__ == "__main__":
    main()
