"""A tendon transfer: the rectus femoris is moved from the front of the knee to its back. Run it with

    python examples/tendon_transfer.py

"What would happen if I transferred a muscle from one insertion point to another?" is Winter's example of a question to
a forward model (2009, 8.0.2). Here the distal tendon of rectus femoris, which extends the knee, is sutured behind it,
as is done where the muscle is overactive in swing and the knee stays stiff. The leg swings as in the library's
predicted walk: the hip follows the walk, and a motor gives the knee the moment that the walk needs. Then the muscle is
excited in addition, before and after the transfer. The script prints moment arms, strength and flexion of the knee, as
the tables of ``docs/guide/paths.md``, and writes ``tendon_transfer.png`` into the current folder.

Muscle and segments are those of ``gait2d``; points of the paths are ours.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from scipy.interpolate import CubicSpline

import myodyne as my

# Points of the muscle as (body, place): from the front of the pelvis over the patella, or back behind the knee.
BEFORE = (("ground", (0.055, 0.03)), ("thigh", (0.05, -0.431)), ("shank", (0.045, -0.05)))
AFTER = (("ground", (0.055, 0.03)), ("thigh", (0.02, -0.30)), ("thigh", (-0.03, -0.42)), ("shank", (-0.03, -0.06)))
EXCITATIONS = (0.1, 0.2)
KNEE = np.radians([0.0, -20.0, -40.0, -60.0])


def path(points: tuple[tuple[str, tuple[float, float]], ...]) -> my.PointPath:
    """Return a path through points in the plane."""
    return my.PointPath(points=[my.PathPoint(body=body, at=(*at, 0.0)) for body, at in points])


def swing() -> my.Trajectory:
    """Return hip and knee of the library's walk (rad) from toe-off to the next heel strike, from time zero."""
    run = my.load_movement("walk").run()
    loaded = run.values("right_heel.force_y") + run.values("right_toe.force_y") > 10.0
    off = int(np.flatnonzero(loaded[:-1] & ~loaded[1:])[0]) + 1
    time = np.linspace(0.0, run.time[-1] - run.time[off], 301)
    columns = {}
    for name in ("hip", "knee"):
        # The constraint that moves the hip is a natural spline too, so that both have the same accelerations.
        spline = CubicSpline(run.time[off:] - run.time[off], run.values(f"right_{name}")[off:], bc_type="natural")
        for order, ending in enumerate(("", ".speed", ".acceleration")):
            columns[f"{name}{ending}"] = spline(time, order)
    return my.Trajectory(time, columns)


def leg(motion: my.Trajectory) -> my.Model:
    """Return the leg below a hip that follows the motion, with a motor at the knee and no muscle."""
    gait = my.load_model("gait2d")
    names = {"thigh": "right_thigh", "shank": "right_shank", "foot": "right_foot"}
    hip = my.Spline(coordinate="time", x=tuple(motion.time), y=tuple(motion.values("hip")))
    return my.Model(
        name="leg",
        gravity=gait.gravity,
        bodies={name: gait.bodies[there] for name, there in names.items()},
        joints={
            "hip": my.pin("ground", "thigh", "hip"),
            "knee": my.pin({"body": "thigh", "at": gait.joints["right_knee"].parent.at}, "shank", "knee"),
            "ankle": my.weld({"body": "shank", "at": gait.joints["right_ankle"].parent.at}, "foot"),
        },
        forces={"knee_motor": my.CoordinateActuator(coordinate="knee")},
        constraints={"walk": my.MotionConstraint(coordinate="hip", function=hip)},
    )


def operated(model: my.Model) -> dict[str, my.Model]:
    """Return the leg with rectus femoris before and after the transfer.

    The tendon is as long as makes the fibres in a straight leg those of ``gait2d``: the surgeon sets the length.
    """
    gait = my.load_model("gait2d")
    muscle = gait.muscles["right_rectus_femoris"]
    length = muscle.path.length.terms[0].coefficient  # of muscle and tendon with straight joints (m)
    legs = {}
    for name, points in (("before", BEFORE), ("after", AFTER)):
        body = model.with_parts(muscles={"rectus": muscle.model_copy(update={"path": path(points)})})
        longer = my.equations_of(body).muscle_lengths(np.zeros(2))[0] - length
        legs[name] = body.with_values({"rectus.tendon_slack_length": muscle.tendon_slack_length + float(longer)})
    return legs


def strength(model: my.Model) -> tuple[np.ndarray, np.ndarray]:
    """Return moment arm (mm) and largest isometric moment (N m) about the knee at some angles; flexion is negative."""
    found = []
    for angle in KNEE:
        still = my.Trajectory(np.arange(8) / 10, {"hip": np.zeros(8), "knee": np.full(8, angle)})
        muscle = my.muscle_analysis(model, still, activations=1.0, tendon="elastic")
        found.append((muscle.final["rectus.moment_arm.knee"], muscle.final["rectus.force"]))
    arms, forces = np.array(found).T
    return 1000 * arms, arms * forces


def swung(body: my.Model, motion: my.Trajectory, motor: my.Signal, excitation: float = 0.0) -> my.Result:
    """Return the swing of a leg under a moment at the knee (N m) and an excitation of the muscle."""
    controls = {"knee_motor": motor}
    if body.muscles:
        controls["rectus"] = my.constant(excitation)
    start = {name: float(motion.values(name)[0]) for name in ("hip", "knee", "hip.speed", "knee.speed")}
    return my.simulate(body, motion.duration, start=start, controls=controls, every=0.005)


def main() -> None:
    """Print the tables and draw the swing."""
    motion = swing()
    model = leg(motion)
    legs = operated(model)
    angles = " | ".join(f"{np.degrees(-angle) + 0.0:.0f}°" for angle in KNEE)
    print(f"| knee flexed by | {angles} |")
    print("|---" * (1 + len(KNEE)) + "|")
    for name, body in legs.items():
        arms, moments = strength(body)
        print(f"| {name}: moment arm (mm) | " + " | ".join(f"{arm:.0f}" for arm in arms) + " |")
        print(f"| {name}: largest moment (N m) | " + " | ".join(f"{moment:.0f}" for moment in moments) + " |")
    print("\n| excited | not | " + " | ".join(f"{100 * part:.0f} %" for part in EXCITATIONS) + " |")
    print("|---" * (2 + len(EXCITATIONS)) + "|")
    motor = my.recorded(my.inverse_dynamics(model, motion), "knee.moment", smooth=True)
    free = swung(model, motion, motor)
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    axes.plot(free.time, -np.degrees(free.values("knee")), "k", label="without the muscle")
    axes.plot(motion.time, -np.degrees(motion.values("knee")), "k:", label="walk")
    for name, body in legs.items():
        runs = [swung(body, motion, motor, part) for part in (0.0, *EXCITATIONS)]
        flexed = [-np.degrees(run.values("knee").min()) for run in runs]
        print(f"| {name}: knee flexed by | " + " | ".join(f"{most:.1f}°" for most in flexed) + " |")
        axes.plot(runs[-1].time, -np.degrees(runs[-1].values("knee")), label=f"{name}, excited {EXCITATIONS[-1]:.0%}")
    apart = np.degrees(np.abs(free.values("knee") - np.interp(free.time, motion.time, motion.values("knee"))).max())
    print(f"\nWithout the muscle the leg swings as in the walk: within {apart:.2f}°.")
    axes.set(xlabel="time after toe-off (s)", ylabel="knee flexion (°)")
    axes.legend()
    figure.savefig("tendon_transfer.png", dpi=90)


if __name__ == "__main__":
    main()
