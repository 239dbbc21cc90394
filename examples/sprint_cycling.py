"""Sprint cycling: how far does a hip drift off its saddle when constraints are enforced on accelerations? Run it with

    python examples/sprint_cycling.py

Casius, Bobbert and van Soest (2004) let a one-legged cyclist turn a crank at 120 revolutions a minute. Their table 1
gives the drift of the hip after ten revolutions, by method and accuracy. This script makes the same table with the
built-in model ``cyclist_one_leg``. The joint moments of the paper are lost, so they are generated here:

1. Choose a steady motion: the crank turns uniformly and the sole swings by a cosine. The rest of the leg follows.
2. Choose the power that the crank receives: it peaks when the crank points forward, 500 W on average for a leg.
3. Compute the moments of ankle, knee and hip by inverse dynamics; of all solutions, take the least squares one.
4. Keep their mean and first four harmonics, because muscles are not faster, and repeat them as cubic splines.

A leg driven by open-loop moments alone loses its foot within two revolutions: it rolls over, because nothing corrects
its errors. The paper's ten revolutions were driven by muscles, whose force falls when they shorten. Here a spring and
a damper on the ankle take that role; the ankle motor supplies the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

import myodyne as my

Floats = NDArray[np.float64]
Scheme = my.Heun | my.RK4 | my.Adams | my.DOP853

REVOLUTION = 0.5  # s
REVOLUTIONS = 10
SPLINE_PIECES = 20  # in one revolution
SAMPLES = 200  # of the steady motion
HARMONICS = 4  # of the moments
LEG = ("ankle", "knee", "hip")
# The angle (rad) of the sole, mean and swing: toes down, most where the crank points backward.
SOLE_MEAN, SOLE_SWING = -0.5, 0.2
# Stand-in for the stretch response of muscles: N m/rad and N m s/rad.
ANKLE_STIFFNESS, ANKLE_DAMPING = 100.0, 3.0

HEUN_STEPS = (1e-3, 5e-4, 2e-4, 1e-4)
ADAMS_TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)


@dataclass(frozen=True)
class Pedalling:
    """A cyclist with initial state and moments."""

    model: my.Model
    start: Mapping[str, float]
    controls: Mapping[str, my.Signal]


@dataclass(frozen=True)
class SteadyLeg:
    """One revolution of a leg, a row for each instant: coordinates, their rates, and the moments of its joints."""

    names: tuple[str, ...]
    q: Floats
    v: Floats
    moments: Floats


def steady_leg(power: float) -> SteadyLeg:
    """Return a steady revolution in which one leg gives the crank ``power`` (W), on average."""
    model = my.load_model("cyclist_one_leg")
    eq = my.equations_of(model, compiled=False)
    q = _closed_poses(eq)
    speed = model.value("drive.speed")
    winding = np.array([speed, -speed, 0.0, 0.0, 0.0])
    v = _rate(q - np.outer(_sample_times(), winding)) + winding
    tree = my.equations_of(model.unconstrained(), compiled=False)
    needed = tree.inverse_dynamics(q, v, _rate(v))
    jacobians = eq.constraint_errors(q, v)[2]
    forward = np.cos(q[:, 0])
    resistance = -power * (1 + forward) ** 2 / 1.5 / speed
    moments = np.array(
        [
            _smallest_moments(tau - drive * row[0], row[1:])
            for tau, drive, row in zip(needed, resistance, jacobians, strict=True)
        ]
    )
    series = np.fft.rfft(moments, axis=0)
    series[HARMONICS + 1 :] = 0.0
    return SteadyLeg(eq.coordinates, q, v, np.fft.irfft(series, SAMPLES, axis=0))


def _sample_times() -> Floats:
    return REVOLUTION / SAMPLES * np.arange(SAMPLES)


def _closed_poses(eq: my.Equations) -> Floats:
    """Return coordinates over one revolution that keep the hip on the saddle and the trunk at its angle."""
    rows, pose = [], eq.state()[: len(eq.coordinates)]
    speed = eq.model.value("drive.speed")
    start = pose[0]
    for time in _sample_times():
        crank = start + speed * time
        pose = pose.copy()
        pose[:2] = crank, SOLE_MEAN + SOLE_SWING * np.cos(crank) - crank
        for _ in range(20):
            gap, _, jacobian = eq.constraint_errors(pose, 0 * pose)
            pose[2:] -= np.linalg.solve(jacobian[1:, 2:], gap[1:])
        rows.append(pose)
    return np.array(rows)


def _rate(periodic: Floats) -> Floats:
    """Return the time derivative of periodic columns, by their Fourier series."""
    frequencies = 2j * np.pi * np.fft.rfftfreq(SAMPLES, REVOLUTION / SAMPLES)
    return np.fft.irfft(np.fft.rfft(periodic, axis=0) * frequencies[:, None], SAMPLES, axis=0)


def _smallest_moments(needed: Floats, kept: Floats) -> Floats:
    """Return moments of ankle, knee and hip that do the work needed by all motions allowed by ``kept``."""
    allowed = null_space(kept)
    return np.linalg.pinv(allowed[2:].T) @ allowed.T @ needed


def one_leg(power: float = 500.0) -> Pedalling:
    """Return the one-legged cyclist with an initial state and ten revolutions of joint moments."""
    leg = steady_leg(power)
    rest = float(np.mean(leg.q[:, 2]))
    model = _with_springs(my.load_model("cyclist_one_leg"), [""], rest)
    start = {name: leg.q[0, i] for i, name in enumerate(leg.names)}
    start |= {f"{name}.speed": leg.v[0, i] for i, name in enumerate(leg.names)}
    return Pedalling(model, start, _signals(leg, rest, "", 0))


def two_legs(model: my.Model, power: float = 500.0) -> Pedalling:
    """Return a cyclist on two legs, the left one half a revolution behind."""
    leg = steady_leg(power)
    rest = float(np.mean(leg.q[:, 2]))
    half = SAMPLES // 2
    # Only independent coordinates are given; the constraints determine the rest.
    start = {}
    for side, row in (("_r", 0), ("_l", half)):
        for i, name in enumerate(leg.names):
            if name in LEG:
                start |= {f"{name}{side}": leg.q[row, i], f"{name}{side}.speed": leg.v[row, i]}
    start |= {"pedal_r": leg.q[0, 1], "pedal_r.speed": leg.v[0, 1]}
    return Pedalling(
        _with_springs(model, ["_r", "_l"], rest), start, _signals(leg, rest, "_r", 0) | _signals(leg, rest, "_l", half)
    )


def _with_springs(model: my.Model, sides: list[str], rest: float) -> my.Model:
    return model.with_parts(
        forces={
            f"ankle{side}_give": my.TorsionSpring(
                coordinate=f"ankle{side}", stiffness=ANKLE_STIFFNESS, damping=ANKLE_DAMPING, rest=rest
            )
            for side in sides
        }
    )


def _signals(leg: SteadyLeg, rest: float, side: str, shift: int) -> dict[str, my.Signal]:
    """Return the motor moments over all revolutions: the moments minus the spring's at the ankle."""
    given = leg.moments.copy()
    given[:, 0] += ANKLE_STIFFNESS * (leg.q[:, 2] - rest) + ANKLE_DAMPING * leg.v[:, 2]
    knots = np.roll(given, -shift, axis=0)[:: SAMPLES // SPLINE_PIECES]
    rows = np.vstack([np.tile(knots, (REVOLUTIONS, 1)), knots[:1]])
    times = np.linspace(0.0, REVOLUTION * REVOLUTIONS, len(rows))
    columns = {f"{name}{side}_motor": rows[:, i] for i, name in enumerate(LEG)}
    profiles = my.Trajectory(times, columns, dict.fromkeys(columns, "N m"))
    return {name: my.recorded(profiles, name, smooth=True) for name in columns}


def crank_power(run: my.Result, crank: str = "crank") -> Floats:
    """Return the power (W) that the crank receives: the moment that keeps it from speeding up, times its speed."""
    return -run.values("drive.torque") * run.values(f"{crank}.speed")


def pedal_power(run: my.Result, pedal: str = "pedal", ball: str = "ball_of_foot") -> Floats:
    """Return the power (W) that a pedal receives: the force of the foot on it, times its velocity."""
    return -sum(run.values(f"{pedal}.reaction_force_{axis}") * run.values(f"{ball}.velocity_{axis}") for axis in "xy")


def mean_over_last_revolution(run: my.Result, power: Floats) -> float:
    """Return the mean of a power (W) over the last revolution, by the trapezium rule as in the paper."""
    last = run.time > run.time[-1] - REVOLUTION - 1e-9
    return float(np.trapezoid(power[last], run.time[last]) / (run.time[last][-1] - run.time[last][0]))


@dataclass(frozen=True)
class Row:
    """A row of the table: power of two legs (W), position (m) and velocity (m/s) of the hip at the end."""

    method: str
    accuracy: float
    steps: int
    power: float
    place: tuple[float, float]
    velocity: tuple[float, float]

    def __str__(self) -> str:
        numbers = "".join(f"{value:13.8f}" for value in (*self.place, *self.velocity))
        return f"{self.method:<6}{self.accuracy:8.0e}{self.steps:8d}{self.power:9.1f}{numbers}"


def ride(pedalling: Pedalling, scheme: Scheme, revolutions: int = REVOLUTIONS) -> my.Result:
    """Return the simulation of some revolutions."""
    return my.simulate(
        pedalling.model,
        REVOLUTION * revolutions,
        start=pedalling.start,
        controls=pedalling.controls,
        scheme=scheme,
        every=REVOLUTION / 100,
    )


def row_of(run: my.Result, method: str, accuracy: float) -> Row:
    """Return the row of a simulation."""
    end = run.final
    return Row(
        method,
        accuracy,
        run.report.steps,
        2 * mean_over_last_revolution(run, crank_power(run)),
        (end["hip_centre.position_x"], end["hip_centre.position_y"]),
        (end["hip_centre.velocity_x"], end["hip_centre.velocity_y"]),
    )


def schemes() -> list[tuple[str, float, Scheme]]:
    """Return the rows of the paper, and our default scheme: name, accuracy, scheme."""
    # The paper's tolerance is absolute; the relative one of Adams is made negligible.
    adams = [("Adams", eps, my.Adams(relative=1e-14, absolute=eps)) for eps in ADAMS_TOLERANCES]
    heun = [("Heun", step, my.Heun(step=step)) for step in HEUN_STEPS]
    usual = [("DOP853", eps, my.DOP853(relative=eps, absolute=eps)) for eps in (1e-6, 1e-8, 1e-10)]
    return [*adams, *heun, *usual]


def main() -> None:
    """Print the table."""
    pedalling = one_leg()
    hip = pedalling.model.value("saddle.second.at")
    print(f"Hip at the start: ({hip[0]:.8f}, {hip[1]:.8f}) m. After {REVOLUTIONS} revolutions of {REVOLUTION} s:\n")
    print(f"{'method':<6}{'eps/dt':>8}{'steps':>8}{'power W':>9}", end="")
    print("".join(f"{title:>13}" for title in ("hip x m", "hip y m", "vx m/s", "vy m/s")))
    apart = 0.0
    for method, accuracy, scheme in schemes():
        run = ride(pedalling, scheme)
        print(row_of(run, method, accuracy), flush=True)
        apart = max(apart, float(np.max(np.abs(crank_power(run) - pedal_power(run)))))
    print(f"\nPower by the moment on the crank and by the force on the pedal differ by at most {apart:.1e} W.")


if __name__ == "__main__":
    main()
