"""Linkages of Ehsani, Empirically-based multibody dynamics (Tables 1 and 2), and the squeezer, by matrix calculus.

Acceptance 001-8 to 001-13, 001-15 and 001-18.

The mechanisms' joints are functions that the closing of their loops defines. Positions, velocities and
accelerations of a point from them are compared with a traditional analysis in absolute coordinates, as the source
does. Its trajectories are printed as figures only; those here are our own. The point p lies on body 3, at l_p from
the joint towards body 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

import myodyne as my
from myodyne.formulations.matrix_calculus import Frame, JointVariables, Kinematics, MatrixCalculus
from myodyne.library.squeezer import andrews_squeezer
from myodyne.model import Fourier, Model, Named
from myodyne.numerics.fitted_functions import FourierFit, SplineFit
from myodyne.numerics.implicit_derivatives import by_differences, by_projection, project
from myodyne.numerics.implicit_functions import ImplicitFunctions

ROOT5 = np.sqrt(5.0)
FOUR_BAR = {"l0": 5.0, "l1": 2.0, "l2": 4.0, "l3": ROOT5, "lcm2": 2.0, "lp": ROOT5 / 2}  # Table 1
FIVE_BAR = {"l0": 3.0, "l1": 1.0, "l2": 1.0, "l3": 3.0, "l4": 3.0, "lp": 2.0}  # Table 2


def four_bar_loop(f: Any, q: Any) -> Any:
    """Return equation 121: f are the three joint angles, q the height of the centre of mass of body 2."""
    t = np.cumsum(f)
    p = FOUR_BAR
    return np.array(
        [
            p["l1"] * np.sin(t[0]) + p["lcm2"] * np.sin(t[1]) - q[0],
            (p["l2"] - p["lcm2"]) * np.sin(t[1]) + p["l3"] * np.sin(t[2]) + q[0],
            p["l1"] * np.cos(t[0]) + p["l2"] * np.cos(t[1]) + p["l3"] * np.cos(t[2]) - p["l0"],
        ]
    )


def five_bar_loop(f: Any, q: Any) -> Any:
    """Return equation 123: q are the first two joint angles, f the other two."""
    t = np.cumsum(np.concatenate([q, f]))
    lengths = np.array([FIVE_BAR[f"l{n}"] for n in range(1, 5)])
    return np.array([lengths @ np.sin(t), lengths @ np.cos(t) - FIVE_BAR["l0"]])


FOUR = ImplicitFunctions(four_bar_loop, names=["theta1", "theta2", "theta3"])
FIVE = ImplicitFunctions(five_bar_loop, names=["theta3", "theta4"])
# At q = 0 the upper half of the four-bar loop; the other solution is its mirror image.
FOUR_START = np.array([0.954, -1.908, 1.772])
FIVE_START = np.array([0.0, -2.0])


def chain(*lengths: float) -> list[Frame]:
    """Return rods in a row, each turning about z at the end of the one before."""
    frames = []
    for number, length in enumerate((0.0, *lengths)):
        placement = np.eye(4)
        placement[0, 3] = length
        frames.append(Frame(number - 1, placement, "rotation", (0.0, 0.0, 1.0)))
    return frames


@dataclass(frozen=True)
class AbsoluteCoordinates:
    """A planar linkage of rods, each with the x, y of its first end and its own angle: the traditional analysis.

    The rods hang together end to end, the first in the origin, the last end at (l0, 0). Drivers prescribe heights
    of points or joint angles. Constraints and their derivatives are written out by hand.
    """

    l0: float
    lengths: tuple[float, ...]
    height_driver: tuple[int, float] | None = None
    angle_drivers: tuple[int, ...] = ()

    def rows(self, x: Any, speeds: Any) -> tuple[Any, Any, Any]:
        """Return the constraints without drivers' values, their Jacobian, and their curvature along the speeds."""
        count = len(self.lengths)
        values, jacobian, curvature = [], [], []

        def point(rod: int, along: float) -> tuple[Any, Any, Any]:
            angle, rate = x[3 * rod + 2], speeds[3 * rod + 2]
            arm = along * np.array([np.cos(angle), np.sin(angle)])
            slope = np.zeros((2, 3 * count))
            slope[:, 3 * rod : 3 * rod + 2] = np.eye(2)
            slope[:, 3 * rod + 2] = [-arm[1], arm[0]]
            return x[3 * rod : 3 * rod + 2] + arm, slope, -(rate**2) * arm

        def add(difference: tuple[Any, Any, Any]) -> None:
            for part, store in zip(difference, (values, jacobian, curvature), strict=True):
                store.extend(np.atleast_1d(part) if np.ndim(part) < 2 else part)

        add(point(0, 0.0))
        for rod in range(1, count):
            before, here = point(rod - 1, self.lengths[rod - 1]), point(rod, 0.0)
            add(tuple(b - h for b, h in zip(before, here, strict=True)))
        end, slope, bend = point(count - 1, self.lengths[-1])
        add((end - [self.l0, 0.0], slope, bend))
        if self.height_driver:
            place, slope, bend = point(*self.height_driver)
            add((place[1], slope[[1]], bend[1]))
        for rod in self.angle_drivers:
            row = np.zeros((1, 3 * count))
            row[0, 3 * rod + 2] = 1.0
            if rod:
                row[0, 3 * rod - 1] = -1.0
            add(((row @ x)[0], row, 0.0))
        return np.array(values), np.array(jacobian), np.array(curvature)

    def motion(self, guess: Any, q: Any, v: Any, vdot: Any) -> tuple[Any, Any, Any]:
        """Return coordinates, velocities and accelerations for driven values, from a guess nearby."""
        x = guess.copy()
        free = np.zeros(len(x) - len(q))
        for _ in range(30):
            values, jacobian, _ = self.rows(x, np.zeros_like(x))
            step = np.linalg.solve(jacobian, values - np.concatenate([free, q]))
            x = x - step
            if np.abs(step).max() < 1e-14:
                break
        else:
            raise AssertionError("the traditional analysis did not converge")
        _, jacobian, _ = self.rows(x, np.zeros_like(x))
        speeds = np.linalg.solve(jacobian, np.concatenate([free, v]))
        _, jacobian, curvature = self.rows(x, speeds)
        return x, speeds, np.linalg.solve(jacobian, np.concatenate([free, vdot]) - curvature)

    def assembled(self, joint_angles: Any) -> Any:
        """Return the absolute coordinates of given joint angles."""
        angles = np.cumsum(joint_angles)
        ends = np.cumsum(
            [[length * np.cos(a), length * np.sin(a)] for length, a in zip(self.lengths, angles, strict=True)], axis=0
        )
        starts = np.vstack([np.zeros(2), ends[:-1]])
        return np.column_stack([starts, angles]).ravel()


def point_of_rod(state: tuple[Any, Any, Any], rod: int, along: float) -> tuple[Any, Any, Any]:
    """Return position, velocity and acceleration of a point of a rod in absolute coordinates."""
    x, v, a = (part[3 * rod : 3 * rod + 3] for part in state)
    arm = along * np.array([np.cos(x[2]), np.sin(x[2])])
    across = np.array([-arm[1], arm[0]])
    return x[:2] + arm, v[:2] + v[2] * across, a[:2] + a[2] * across - v[2] ** 2 * arm


def same_figures(found: Any, wanted: Any, figures: int) -> None:
    """Compare vectors to a number of significant figures of their magnitude."""
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.linalg.norm(ours - theirs) <= 10.0**-figures * np.linalg.norm(theirs)


def four_bar_sweep() -> tuple[Any, Any]:
    """Return heights from -2 to 2 in steps of 0.01 and the joint angles there, on one half of the loop."""
    q = np.arange(-200, 201) / 100.0
    start = FOUR.sweep([0.0, q[0]], FOUR_START)[-1]
    return q, FOUR.sweep(q, start)


@pytest.fixture(scope="module")
def four_bar() -> tuple[Any, Any]:
    return four_bar_sweep()


def test_001_9_heights_of_the_four_bar_linkage_end_where_the_branches_meet(printed: Any) -> None:
    q_top, f_top = FOUR.range_end([0.0], FOUR_START, [1.0])
    q_bottom, f_bottom = FOUR.range_end([0.0], FOUR_START, [-1.0])
    # The source says -2 to 2, which is inside.
    ehsani = printed("Ehsani")
    ehsani("4-3-A, highest centre of mass of rod 2: 2 is printed", 2.0, q_top[0], within=0.06)
    ehsani("4-3-A, lowest centre of mass of rod 2: -2 is printed", -2.0, q_bottom[0], within=0.06)
    assert q_top[0] == pytest.approx(2.0573804551, abs=1e-10)
    assert q_bottom[0] == pytest.approx(-2.0573804551, abs=1e-10)
    for q, f in ((q_top, f_top), (q_bottom, f_bottom)):
        np.testing.assert_allclose(four_bar_loop(f, q), 0.0, atol=1e-13)
        by_f, _ = FOUR.jacobians(f, q)
        assert abs(np.linalg.det(by_f)) < 1e-9


@pytest.mark.parametrize("height", [-2.0, -0.7, 0.0, 1.3, 2.05])
def test_every_height_is_met_on_two_halves_of_the_loop(height: float) -> None:
    guesses = np.random.default_rng(1).uniform(-np.pi, np.pi, size=(60, 3))
    found = FOUR.solutions([height], guesses, period=2 * np.pi)
    assert len(found) == 2
    # One is the other mirrored, at the opposite height.
    opposite = FOUR.solutions([-height], guesses, period=2 * np.pi)
    np.testing.assert_allclose(found, -opposite[::-1], atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_001_6_projection_is_the_direct_solution(seed: int) -> None:
    """Equations 118 and 119 solve Σ c_j ⊗ x_j = right as a linear solver does."""
    rng = np.random.default_rng(seed)
    size, width = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    columns, right = rng.normal(size=(size, size)), rng.normal(size=(size, width))
    wanted = np.linalg.solve(columns, right)
    assert np.abs(project(columns, right) - wanted).max() <= 1e-10 * np.linalg.cond(columns) * np.abs(wanted).max()


@pytest.mark.long
@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["first half", "second half"])
def test_001_9_the_height_is_the_coordinate_of_a_model_on_either_half_of_the_loop(sign: float) -> None:
    """It moves as the kept linkage; embedding over more than ±2.05738 m is refused with that end."""
    kept = my.load_model("four_bar")
    kept = kept.with_values({f"{name}.default": sign * kept.coordinates[name].default for name in kept.moving})
    turns = np.cumsum([kept.coordinates[name].default for name in kept.moving])
    height = my.Coordinate(default=float(2.0 * np.sin(turns[0]) + 2.0 * np.sin(turns[1])))
    rail = my.Joint(
        parent=my.Placement(body="ground"),
        child=my.Placement(body="gauge"),
        coordinates={"height": height},
        axes=[my.Axis(motion="translation", direction="y", function="height")],
    )
    level = my.PointConstraint(first=kept.markers["coupler_centre"], second=my.Marker(body="gauge"), axes="y")
    gauged = kept.with_parts(bodies={"gauge": my.Body(mass=0.0)}, joints={"rail": rail}, constraints={"level": level})
    found = my.embed(gauged, "height", {"height": (-2.0, 2.0)})
    assert found.model.moving == ("height",)
    assert found.loop_error < 1e-8
    fine = my.DOP853(1e-11, 1e-11)
    run, other = (my.simulate(model, 0.3, scheme=fine) for model in (found.model, kept))
    assert run.final["height"] == pytest.approx(other.final["coupler_centre.position_y"], abs=1e-9)
    assert run.final["theta1"] == pytest.approx(other.final["theta1"], abs=1e-9)
    assert run.report.energy_error < 1e-9
    with pytest.raises(my.SolveError, match=r"range of q ends at q = \(2\.0573805\)"):
        my.embed(gauged, "height", {"height": (-2.0, 2.1)})


def test_001_13_gradients_of_the_four_bar_linkage_by_three_methods(four_bar: tuple[Any, Any]) -> None:
    q, f = four_bar
    fit = SplineFit([q], f)
    for height in np.arange(-1.8, 1.81, 0.24) + 0.003:
        angles = FOUR.solve([height], fit([height]))
        exact, numerical = by_projection(FOUR, [height], angles), by_differences(FOUR, [height], angles)
        np.testing.assert_allclose(fit.gradients([height]), exact.gradients, rtol=1e-7)
        np.testing.assert_allclose(numerical.gradients, exact.gradients, rtol=1e-7)
        for hessians in (fit.hessians([height]), numerical.hessians):
            np.testing.assert_allclose(hessians, exact.hessians, atol=1e-7 * np.abs(exact.hessians).max())
        by_f, by_q = FOUR.jacobians(angles, [height])
        np.testing.assert_allclose(exact.gradients, -np.linalg.solve(by_f, by_q), rtol=1e-10)


def four_bar_point(fit: SplineFit, q: Any, v: Any, vdot: Any) -> tuple[Any, Any, Any]:
    """Return position, velocity and acceleration of p from pre-modelled joint variables."""
    pose = Kinematics(chain(FOUR_BAR["l1"], FOUR_BAR["l2"]), JointVariables(fit(q), fit.gradients(q), fit.hessians(q)))
    at = [FOUR_BAR["lp"], 0.0, 0.0]
    return (
        pose.point_position(2, at)[:2],
        pose.point_velocity(2, at, v)[:2],
        pose.point_acceleration(2, at, v, vdot)[:2],
    )


def four_bar_motions(four_bar: tuple[Any, Any], degree: int) -> tuple[Any, Any]:
    """Return p along a trajectory by the calculus with splines of a degree, and by absolute coordinates."""
    lengths = (FOUR_BAR["l1"], FOUR_BAR["l2"], FOUR_BAR["l3"])
    judge = AbsoluteCoordinates(FOUR_BAR["l0"], lengths, height_driver=(1, FOUR_BAR["lcm2"]))
    height = CubicHermiteSpline([0.0, 1.0, 2.5, 4.0], [-1.5, 1.2, -0.4, 1.7], [0.0, 0.5, -0.3, 0.0])
    fit = SplineFit([four_bar[0]], four_bar[1], degree=degree)
    guess = judge.assembled(fit(height(0.0)))
    ours, theirs = [], []
    for time in np.arange(0.01, 3.995, 0.02):
        q, v, vdot = (np.array([height(time, order)]) for order in (0, 1, 2))
        state = judge.motion(guess, q, v, vdot)
        guess = state[0]
        ours.append(four_bar_point(fit, q, v, vdot))
        theirs.append(point_of_rod(state, 2, FOUR_BAR["lp"]))
    return [np.array(part) for part in zip(*ours, strict=True)], [np.array(part) for part in zip(*theirs, strict=True)]


def test_001_10_motion_of_a_point_of_the_four_bar_linkage(four_bar: tuple[Any, Any]) -> None:
    """Seven significant figures, as the source reports."""
    ours, theirs = four_bar_motions(four_bar, degree=7)
    for found, wanted in zip(ours, theirs, strict=True):
        same_figures(found, wanted, figures=7)


def test_cubic_splines_do_not_give_accelerations_to_seven_figures(four_bar: tuple[Any, Any]) -> None:
    """The source names cubic splines at steps of 0.01; their second derivatives are good to the step squared."""
    ours, theirs = four_bar_motions(four_bar, degree=3)
    same_figures(ours[0], theirs[0], figures=6)
    worst = max(np.linalg.norm(ours[2] - theirs[2], axis=1) / np.linalg.norm(theirs[2], axis=1))
    assert 1e-6 < worst < 1e-2


def five_bar_trajectories() -> tuple[Any, Any]:
    first = CubicHermiteSpline([0.0, 1.5, 3.0], [0.2, 1.4, 3.5], [0.0, 0.8, 0.0])
    second = CubicHermiteSpline([0.0, 1.0, 3.0], [0.5, -0.9, 0.8], [0.0, 0.4, 0.0])
    return first, second


def test_001_12_motion_of_a_point_of_the_five_bar_linkage() -> None:
    """Six significant figures, as the source reports, with joint variables by analytical projection."""
    lengths = tuple(FIVE_BAR[f"l{n}"] for n in range(1, 5))
    judge = AbsoluteCoordinates(FIVE_BAR["l0"], lengths, angle_drivers=(0, 1))
    trajectories = five_bar_trajectories()
    times = np.arange(0.0, 3.0, 0.02)
    path = np.array([[float(curve(t)) for curve in trajectories] for t in times])
    angles = FIVE.sweep(path, FIVE.solutions(path[0], [FIVE_START, -FIVE_START])[0])
    frames, at = chain(*lengths[:3]), [FIVE_BAR["lp"], 0.0, 0.0]
    guess = judge.assembled(np.concatenate([path[0], angles[0]]))
    for time, q, f in zip(times, path, angles, strict=True):
        v, vdot = (np.array([float(curve(time, order)) for curve in trajectories]) for order in (1, 2))
        found = by_projection(FIVE, q, f)
        variables = JointVariables(
            np.concatenate([q, f]),
            np.vstack([np.eye(2), found.gradients]),
            np.concatenate([np.zeros((2, 2, 2)), found.hessians]),
        )
        pose = Kinematics(frames, variables)
        state = judge.motion(guess, q, v, vdot)
        guess = state[0]
        ours = pose.point_position(2, at), pose.point_velocity(2, at, v), pose.point_acceleration(2, at, v, vdot)
        theirs = point_of_rod(state, 2, FIVE_BAR["lp"])
        for mine, traditional in zip(ours, theirs, strict=True):
            assert np.linalg.norm(mine[:2] - traditional) <= 1e-6 * max(np.linalg.norm(traditional), 1e-6)


def test_001_13_gradients_of_the_five_bar_linkage_by_three_methods() -> None:
    axes = [np.linspace(0.2, 1.4, 41), np.linspace(-0.9, 0.5, 41)]
    corner = FIVE.solutions([0.2, -0.9], [FIVE_START, -FIVE_START])[0]
    fit = SplineFit(axes, FIVE.grid(axes, corner))
    rng = np.random.default_rng(4)
    for q in np.column_stack([rng.uniform(0.3, 1.3, 12), rng.uniform(-0.8, 0.4, 12)]):
        f = FIVE.solve(q, fit(q))
        exact, numerical = by_projection(FIVE, q, f), by_differences(FIVE, q, f)
        for joint in range(2):
            same_figures([numerical.gradients[joint], fit.gradients(q)[joint]], [exact.gradients[joint]] * 2, figures=7)
        np.testing.assert_allclose(fit.hessians(q), exact.hessians, atol=1e-6 * np.abs(exact.hessians).max())
        np.testing.assert_allclose(numerical.hessians, exact.hessians, atol=1e-7 * np.abs(exact.hessians).max())
        by_f, by_q = FIVE.jacobians(f, q)
        # Equation 102 as it is written.
        total = sum(np.kron(by_f[:, j], exact.gradients[j]) for j in range(2))
        np.testing.assert_allclose(total, -by_q.ravel(), atol=1e-10)
        np.testing.assert_allclose(exact.gradients, -np.linalg.solve(by_f, by_q), rtol=1e-10, atol=1e-12)


SQUEEZER_ANGLES = ("Theta", "gamma", "Phi", "delta", "Omega", "epsilon")


def squeezer_loops(f: Any, q: Any) -> Any:
    """Return equation 199 with the lengths of the published problem: all rods meet in one point."""
    theta, gamma, phi, delta, omega, epsilon = f
    x = 0.007 * np.cos(q[0]) - 0.028 * np.cos(q[0] + theta)
    y = 0.007 * np.sin(q[0]) - 0.028 * np.sin(q[0] + theta)
    return np.array(
        [
            x - 0.035 * np.sin(gamma) + 0.03635,
            y + 0.035 * np.cos(gamma) - 0.03273,
            x - 0.02 * np.sin(phi + delta) - 0.04 * np.cos(delta) + 0.06934,
            y + 0.02 * np.cos(phi + delta) - 0.04 * np.sin(delta) + 0.00227,
            x - 0.02 * np.cos(omega + epsilon) - 0.04 * np.sin(epsilon) + 0.06934,
            y - 0.02 * np.sin(omega + epsilon) + 0.04 * np.cos(epsilon) + 0.00227,
        ]
    )


def embedded_squeezer(fit: FourierFit) -> Model:
    """Return the mechanism with its loops replaced by the fitted functions of the crank's angle."""
    kept = andrews_squeezer()
    functions = {
        name: Fourier(
            coordinate="beta",
            period=2 * np.pi,
            mean=float(fit.mean[k]),
            slope=float(fit.slopes[k]),
            cosines=tuple(fit.cosines[:, k].tolist()),
            sines=tuple(fit.sines[:, k].tolist()),
        )
        for k, name in enumerate(SQUEEZER_ANGLES)
    }
    joints = {}
    for name, joint in kept.joints.items():
        parts = {c: part.model_copy(update={"coupled": functions.get(c)}) for c, part in joint.coordinates.items()}
        joints[name] = joint.model_copy(update={"coordinates": Named(parts)})
    return Model(name="embedded squeezer", gravity=kept.gravity, bodies=kept.bodies, joints=joints)


@pytest.mark.long
def test_001_18_the_squeezer_by_matrix_calculus_reaches_its_published_state() -> None:
    """Loops by a sweep in steps of 0.01 and Fourier series, the spring by its moment arm, t = 0.03 s."""
    defaults = {name: part.default for name, part in andrews_squeezer().coordinates.items()}
    loops = ImplicitFunctions(squeezer_loops, names=SQUEEZER_ANGLES)
    start = loops.solve([defaults["beta"]], [defaults[name] for name in SQUEEZER_ANGLES])
    crank = defaults["beta"] + np.arange(0.0, 2 * np.pi, 0.01)
    fit = FourierFit(crank, loops.sweep(crank, start), period=2 * np.pi, harmonics=20, slopes=[-1, 0, 0, 0, 0, 0])
    assert fit.largest_error < 1e-13
    equations = MatrixCalculus(embedded_squeezer(fit))
    assert equations.coordinates == ("beta",)
    spring = [[("ground", (0.014, 0.072, 0.0)), ("K3", (0.02, -0.018, 0.0))]]

    def rate(_: float, state: Any) -> Any:
        q, v = state[:1], state[1:]
        tension = 4530.0 * (equations.path_lengths(spring, q) - 0.07785)
        tau = 0.033 + tension @ equations.moment_arms(spring, q)
        return np.concatenate([v, equations.forward_dynamics(q, v, tau)])

    first = rate(0.0, np.array([defaults["beta"], 0.0]))
    assert first[1] == pytest.approx(14222.4439199541138, rel=1e-11)
    run = solve_ivp(rate, (0.0, 0.03), [defaults["beta"], 0.0], method="DOP853", rtol=1e-9, atol=1e-10)
    # Hairer and Wanner, Solving ODEs II, section VII.7; the source itself reached 1e-4 rad and 3e-3 rad/s.
    assert run.y[0, -1] == pytest.approx(15.81077119629904, abs=2e-7)
    assert run.y[1, -1] == pytest.approx(1139.920302151208, abs=2e-6)
    wanted = [
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
    np.testing.assert_allclose(fit(run.y[0, -1]), wanted, atol=2e-7)
