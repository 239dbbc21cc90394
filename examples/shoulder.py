"""An arm is raised: computed torques, and the forces of fourteen muscles that give them (Ehsani, section 4-4-C).

Run it with ``python examples/shoulder.py``. It writes ``shoulder.png``: the elevation, the torques of the three
coordinates, and the forces of all muscles, shared frame by frame and with tendon and activation dynamics. It takes
about a minute the first time, when code is compiled.
"""

from __future__ import annotations

import casadi
import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

DURATION = 2.0
GAINS = {"plane": 100.0, "elevation": 100.0, "axial_rotation": 1000.0}
LOW, HIGH = np.radians(10.0), np.radians(100.0)


def elevation(t):
    """Return the desired elevation (rad): up and down within the two seconds."""
    return 0.5 * (LOW + HIGH) - 0.5 * (HIGH - LOW) * casadi.cos(2 * np.pi * t / DURATION)


def track() -> my.Result:
    """Return the arm moved by motors that follow the course."""
    arm = my.shoulder(muscles=False)
    course = {"plane": np.pi / 2, "elevation": elevation, "axial_rotation": -np.pi / 6}
    law = my.computed_torque(arm, course, gains=GAINS)
    start = {"plane": np.pi / 2, "elevation": LOW, "axial_rotation": -np.pi / 6}
    return my.simulate(arm, DURATION, start=start, feedback=law, scheme=my.RKF45(relative=1e-9, absolute=1e-10))


def shared(motion: my.Trajectory) -> my.Result:
    """Return the muscle forces frame by frame: the least sum of squared activations."""
    return my.static_optimisation(my.shoulder(), motion)


def shared_over_time(motion: my.Trajectory, nodes: int = 31) -> my.Result:
    """Return the muscle forces with activation dynamics and elastic tendons, the movement repeated for ever.

    The excitations count. Muscles begin as they end, so that no fibre starts out of balance.
    """
    model = my.shoulder()
    motors = {f"reserve_{name}": my.CoordinateActuator(coordinate=name, gain=1.0) for name in model.moving}
    problem = my.Problem(
        model.with_parts(forces=motors),
        motion=repeated(motion),
        start=0.25 * DURATION,
        duration=DURATION,
        goals=[my.Effort(of="controls", summed=True)],
        conditions=[my.Periodic()],
    )
    return my.solve(problem, my.Radau(degree=2), nodes=nodes)


def repeated(motion: my.Trajectory) -> my.Trajectory:
    """Return one and a half times the movement, which ends as it begins."""
    time = np.concatenate([motion.time, motion.time[1 : len(motion.time) // 2 + 1] + DURATION])
    half = slice(1, len(motion.time) // 2 + 1)
    columns = {n: np.concatenate([motion.values(n), motion.values(n)[half]]) for n in motion.names}
    return my.Trajectory(time, columns)


def figure(run: my.Result, frames: my.Result, over_time: my.Result) -> None:
    """Draw the course, the torques, and the forces."""
    muscles = list(my.shoulder().muscles)
    drawn, axes = plt.subplots(4, 4, figsize=(12, 9), sharex=True, layout="constrained")
    first, second, *others = axes.flat
    first.plot(run.time, np.degrees(run.values("elevation")))
    first.set_title("elevation (°)")
    for name in GAINS:
        second.plot(run.time, run.values(f"{name}_motor.control"), label=name)
    second.set_title("torques (N m)")
    second.legend(fontsize=7)
    for place, muscle in zip(others, muscles, strict=True):
        place.plot(frames.time, frames.values(f"{muscle}.force"), label="frame by frame")
        order = np.argsort(over_time.time % DURATION)
        place.plot(over_time.time[order] % DURATION, over_time.values(f"{muscle}.force")[order], "--", label="dynamics")
        place.set_title(f"{muscle} (N)")
        place.set_ylim(bottom=0.0)
    others[0].legend(fontsize=7)
    for place in axes[-1]:
        place.set_xlabel("time (s)")
    drawn.savefig("shoulder.png", dpi=110)


def main() -> None:
    run = track()
    rows = np.linspace(0.0, DURATION, 101)
    motion = my.Trajectory(rows, {name: np.interp(rows, run.time, run.values(name)) for name in GAINS})
    frames, over_time = shared(motion), shared_over_time(motion)
    figure(run, frames, over_time)
    error = np.abs(run.values("elevation") - [float(elevation(t)) for t in run.time]).max()
    print(f"largest error of the elevation: {error:.1e} rad")
    torque = np.abs(run.values("elevation_motor.control")).max()
    print(f"largest torque of elevation: {torque:.1f} N m")
    largest = {name: frames.values(f"{name}.force").max() for name in my.shoulder().muscles}
    strongest = max(largest, key=lambda name: largest[name])
    print(f"largest muscle force, frame by frame: {largest[strongest]:.0f} N ({strongest})")
    print(f"with activation and tendon dynamics: {over_time.values(f'{strongest}.force').max():.0f} N")


if __name__ == "__main__":
    main()
