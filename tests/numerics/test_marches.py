"""Order, agreement, accuracy and stability of every one-step scheme."""

import ctypes
import itertools
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from myodyne.march import marching
from myodyne.native import structures
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import BDF, DOP853, RK4, RKF45, TRBDF2, Euler, Heun, Midpoint, Rosenbrock
from support.samples import one_in

FIXED = {
    "Euler": Euler,
    "Heun": Heun,
    "RK4": RK4,
    "Midpoint": Midpoint,
    "TRBDF2": lambda step: TRBDF2(step=step, relative=1e-10, absolute=1e-10),
    **{f"Rosenbrock{order}": partial(Rosenbrock, order=order) for order in (1, 3, 4)},
}
ADAPTIVE = {
    "RKF45": RKF45,
    "DOP853": DOP853,
    "TRBDF2": TRBDF2,
    "Rosenbrock3": partial(Rosenbrock, order=3),
    "Rosenbrock4": partial(Rosenbrock, order=4),
}
# Steps that lie where the error falls as the order says, and rounding does not yet matter.
COUNTS = {"Euler": (800, 1600), "Rosenbrock1": (800, 1600), "RK4": (60, 120), "Rosenbrock4": (80, 160)}
START = np.array([1.0, 0.5])
SWING = np.array([1.2, 0.4, 0.3, -0.5])


def oscillation(w, time, start=START):
    """The undamped oscillator in closed form."""
    q, v = start
    return np.array([q * np.cos(w * time) + v / w * np.sin(w * time), -q * w * np.sin(w * time) + v * np.cos(w * time)])


@pytest.mark.parametrize("name", FIXED)
def test_order_of_fixed_schemes_on_a_linear_oscillator(march, name):
    w, end = 2.0, 1.5
    errors = []
    for count in COUNTS.get(name, (200, 400)):
        end_state = march(FIXED[name](step=end / count), "oscillator", [w, 0.0]).advance(0.0, START, [end]).last_state
        errors.append(np.linalg.norm(end_state - oscillation(w, end)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(FIXED[name](step=1.0).order, abs=0.15)


@pytest.mark.parametrize("name", FIXED)
def test_order_of_fixed_schemes_on_a_double_pendulum_driven_by_a_ramp(march, name):
    ramp = PiecewisePolynomial([-1.0, 5.0], [[[-0.5], [0.8]]])
    counts = [count // 2 for count in COUNTS.get(name, (200, 400))]
    counts.append(2 * counts[-1])
    ends = [
        march(FIXED[name](step=0.8 / count), "double_pendulum", [9.81], ramp).advance(0.0, SWING, [0.8]).last_state
        for count in counts
    ]
    # Richardson: successive halvings shrink the change by 2^order.
    changes = [np.linalg.norm(b - a) for a, b in itertools.pairwise(ends)]
    assert np.log2(changes[0] / changes[1]) == pytest.approx(FIXED[name](step=1.0).order, abs=0.15)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_order_of_adaptive_formulas_at_forced_equal_steps(march, name):
    """Huge tolerances accept every step, and the first and largest one set its length."""
    w, end, kind = 2.0, 1.5, ADAPTIVE[name]
    errors = []
    for count in {"RKF45": (20, 40), "DOP853": (4, 8), "Rosenbrock4": (40, 80)}.get(name, (200, 400)):
        scheme = kind(relative=0.5, absolute=0.5, first_step=end / count, largest_step=end / count)
        if name == "TRBDF2":  # its tolerances also end Newton's method
            scheme = TRBDF2(step=end / count, relative=1e-10, absolute=1e-10)
        done = march(scheme, "oscillator", [w, 0.0]).advance(0.0, START, [end])
        assert done.steps == count
        errors.append(np.linalg.norm(done.last_state - oscillation(w, end)))
    order = np.log2(errors[0] / errors[1])
    # DOP853 is asymptotic only where rounding begins, so it is bounded from below.
    assert order > 7.5 if name == "DOP853" else order == pytest.approx(kind().order, abs=0.2)


@pytest.mark.parametrize(
    "system, parameters, start",
    [
        ("oscillator", [3.0, 0.2], START),
        ("pendulum", [9.81], START),
        ("van_der_pol", [5.0], START),
        ("modes", [1.0, 0.1, 50.0, 30.0], SWING),
        ("double_pendulum", [9.81], SWING),
    ],
)
@pytest.mark.parametrize(
    "scheme",
    [
        Euler(0.01),
        Heun(0.01),
        RK4(0.01),
        Midpoint(0.01),
        TRBDF2(step=0.01),
        RKF45(1e-7, 1e-8),
        DOP853(1e-9, 1e-9),
        TRBDF2(relative=1e-5, absolute=1e-6),
        RKF45(1e-4, 1e-5, first_step=0.3, largest_step=0.05),
        Rosenbrock(step=0.01),
        Rosenbrock(step=0.01, order=3),
        Rosenbrock(step=0.01, order=4),
        Rosenbrock(relative=1e-5, absolute=1e-6, order=3),
        Rosenbrock(relative=1e-6, absolute=1e-7),
    ],
    ids=repr,
)
def test_python_and_c_agree(marches, scheme, system, parameters, start):
    signals = PiecewisePolynomial([0.0, 0.11, 0.4], [[[0.0], [1.0], [0.5]], [[-1.0], [0.2], [0.0]]])
    times = [0.05, 0.113, 0.2, 0.2001, 0.6]
    python, c = (m.advance(0.01, start, times) for m in marches(scheme, system, parameters, signals))
    for count in ("steps", "rejected", "evaluations", "iterations", "failure", "last_time", "offender"):
        assert getattr(python, count) == getattr(c, count), count
    np.testing.assert_allclose(c.states, python.states, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(c.states[-1], c.last_state)


@pytest.mark.parametrize("name", one_in(2, ADAPTIVE))
def test_error_falls_with_the_tolerance_over_six_decades(march, name):
    w, end = 2.0, 4.0
    # Six decades each; those of a second-order formula lie higher, so that it does not take a million steps.
    tolerances = 10.0 ** -np.arange(2, 9) if name == "TRBDF2" else 10.0 ** -np.arange(4, 11)
    errors = []
    for tolerance in tolerances:
        scheme = ADAPTIVE[name](relative=tolerance, absolute=tolerance)
        done = march(scheme, "oscillator", [w, 0.0]).advance(0.0, START, [end])
        assert done.failure is None
        errors.append(np.linalg.norm(done.last_state - oscillation(w, end)))
    assert np.all(np.diff(np.log10(errors)) < 0)
    # A one-step formula controlled per step follows the tolerance with the power order / (order of its estimate).
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    assert {"TRBDF2": 0.55, "Rosenbrock3": 0.7}.get(name, 0.8) < slope < 1.3


@pytest.mark.parametrize("name", ADAPTIVE)
def test_default_tolerances_keep_the_energy_of_a_double_pendulum(marches, name):
    def energy(x):
        q1, q2, v1, v2 = x
        return v1**2 + v2**2 / 2 + v1 * v2 * np.cos(q1 - q2) - 9.81 * (2 * np.cos(q1) + np.cos(q2))

    start = np.array([2.0, 1.0, 0.0, 0.0])
    scheme = ADAPTIVE[name](**{} if "Rosenbrock" not in name else {"relative": 1e-9, "absolute": 1e-9})
    done = marches(scheme, "double_pendulum", [9.81])[1].advance(0.0, start, np.linspace(0.01, 10, 1000))
    energies = np.array([energy(x) for x in done.states])
    # Relative to the energy the swing exchanges: 3 g between hanging straight down and level.
    assert np.abs(energies - energy(start)).max() < 1e-6 * 3 * 9.81


def test_euler_on_an_oscillator_grows_and_lags_as_theory_says(march):
    """Each Euler step multiplies q + i v / w by 1 - i w dt: factor sqrt(1 + w² dt²), angle atan(w dt)."""
    w, dt, count = 3.0, 0.01, 200
    states = march(Euler(dt), "oscillator", [w, 0.0]).advance(0.0, START, dt * np.arange(1, count + 1)).states
    path = np.concatenate([[START], states])
    ratio = np.diff(np.log(path[:, 0] + 1j * path[:, 1] / w))
    np.testing.assert_allclose(np.exp(ratio.real), np.sqrt(1 + (w * dt) ** 2), rtol=1e-12)
    angle = np.angle(np.exp(1j * ratio.imag))
    np.testing.assert_allclose(angle, -np.arctan(w * dt), rtol=1e-11)
    # g dt = w dt - i w² dt²/2 - w³ dt³/3 + i w⁴ dt⁴/4 + ...: the logarithm of 1 - i w dt is -i g dt.
    z = w * dt
    np.testing.assert_allclose(ratio.real, z**2 / 2 - z**4 / 4, rtol=z**4)
    np.testing.assert_allclose(angle, -(z - z**3 / 3), rtol=z**4)


def test_midpoint_keeps_the_energy_of_a_linear_oscillator_at_any_step(march):
    w = 100.0
    states = march(Midpoint(step=0.5), "oscillator", [w, 0.0]).advance(0.0, START, np.arange(0.5, 200, 0.5)).states
    energies = 0.5 * states[:, 1] ** 2 + 0.5 * w**2 * states[:, 0] ** 2
    np.testing.assert_allclose(energies, 0.5 * START[1] ** 2 + 0.5 * w**2 * START[0] ** 2, rtol=1e-9)


def test_trbdf2_annihilates_what_is_infinitely_stiff(march):
    """L-stable: |R(h λ)| goes to zero as h λ grows; the midpoint rule's goes to one."""
    start = np.array([1.0, 1.0, 0.0, 0.0])
    parameters = [1.0, 0.0, 1e6, 0.0]
    damped = march(TRBDF2(step=0.01), "modes", parameters).advance(0.0, start, [0.01]).last_state
    kept = march(Midpoint(step=0.01), "modes", parameters).advance(0.0, start, [0.01]).last_state
    assert abs(damped[1]) < 2e-3
    assert abs(kept[1]) == pytest.approx(1.0, abs=1e-6)
    assert damped[0] == pytest.approx(np.cos(0.01), abs=1e-7)


def test_trbdf2_takes_few_steps_where_explicit_schemes_need_many(march):
    """A stiff, damped mode dies at once; after that the slow one sets the step."""
    parameters, start = [1.0, 0.0, 1e3, 2e5], np.array([1.0, 1e-3, 0.0, 0.0])
    stiff = march(TRBDF2(relative=1e-5, absolute=1e-7), "modes", parameters).advance(0.0, start, [2.0])
    explicit = march(RKF45(1e-5, 1e-7, most_steps=3000), "modes", parameters).advance(0.0, start, [2.0])
    assert stiff.failure is None and stiff.steps < 400
    assert explicit.failure == "too many steps"
    np.testing.assert_allclose(stiff.last_state[0], np.cos(2.0), atol=2e-4)


def test_stiff_van_der_pol_reaches_its_limit_cycle(march):
    """Mu = 100: the relaxation oscillation turns at an amplitude of 2 (Hairer and Wanner 1996, IV.10)."""
    times = np.linspace(1.0, 200.0, 200)
    done = march(TRBDF2(relative=1e-4, absolute=1e-5), "van_der_pol", [100.0]).advance(0.0, [2.0, 0.0], times)
    assert done.failure is None
    assert np.abs(done.states[:, 0]).max() == pytest.approx(2.0, abs=0.02)
    assert done.states[:, 0].min() < -1.9


def test_newton_is_not_asked_for_more_than_rounding_leaves(march):
    done = march(TRBDF2(step=0.01, relative=1e-14, absolute=1e-14), "double_pendulum", [9.81]).advance(
        0.0, SWING, [1.0]
    )
    assert done.failure is None
    assert done.iterations < 10 * done.steps


@pytest.mark.parametrize(
    "scheme", [Euler(0.03), RK4(0.03), Midpoint(0.03), TRBDF2(step=0.03), Rosenbrock(step=0.03)], ids=repr
)
def test_fixed_steps_divide_each_interval_equally(march, scheme):
    done = march(scheme, "oscillator", [1.0, 0.0]).advance(0.0, START, [0.3, 0.37, 0.37 + 0.06])
    assert done.steps == 10 + 3 + 2
    assert done.last_time == 0.37 + 0.06


@pytest.mark.parametrize(
    "scheme",
    [
        RK4(0.01),
        Midpoint(0.01),
        TRBDF2(step=0.01),
        RKF45(),
        DOP853(),
        TRBDF2(relative=1e-6, absolute=1e-6),
        Rosenbrock(step=0.01),
        Rosenbrock(),
    ],
    ids=repr,
)
def test_an_advance_continues_the_last_one(march, scheme):
    """Cutting a march into several advances changes nothing: step size and accelerations are carried over."""
    ramp = PiecewisePolynomial([0.0, 0.55], [[[0.0], [2.0]]])
    times = np.linspace(0.1, 1.0, 10)
    whole = march(scheme, "double_pendulum", [9.81], ramp).advance(0.0, SWING, times)
    cut = march(scheme, "double_pendulum", [9.81], ramp)
    first = cut.advance(0.0, SWING, times[:4])
    second = cut.advance(first.last_time, first.last_state, times[4:])
    np.testing.assert_allclose(np.vstack([first.states, second.states]), whole.states, rtol=1e-14, atol=1e-14)
    assert first.steps + second.steps == whole.steps
    assert first.evaluations + second.evaluations == whole.evaluations


def test_an_advance_from_elsewhere_begins_afresh(march):
    scheme = RKF45(first_step=1e-4)
    one = march(scheme, "oscillator", [1.0, 0.0])
    fresh = one.advance(0.0, START, [1.0])
    again = one.advance(0.0, START, [1.0])
    assert again.steps == fresh.steps
    np.testing.assert_array_equal(again.states, fresh.states)
    one.reset()
    restarted = one.advance(again.last_time, again.last_state, [2.0])
    continued = march(scheme, "oscillator", [1.0, 0.0])
    continued.advance(0.0, START, [1.0])
    assert continued.advance(again.last_time, again.last_state, [2.0]).steps < restarted.steps


def test_steps_obey_their_bound(march):
    done = march(RKF45(1e-3, 1e-3, largest_step=0.01), "oscillator", [1.0, 0.0]).advance(0.0, START, [1.0])
    assert done.steps >= 100


def test_requests_are_checked(march):
    one = march(RK4(0.1), "oscillator", [1.0, 0.0])
    with pytest.raises(ValueError, match=r"must increase, but 0\.5 s follows 1 s"):
        one.advance(0.0, START, [1.0, 0.5])
    with pytest.raises(ValueError, match="follows 2 s"):
        one.advance(2.0, START, [2.0])
    with pytest.raises(ValueError, match="2 states cannot start with 3"):
        one.advance(0.0, np.zeros(3), [1.0])
    with pytest.raises(ValueError, match="state 1 is nan"):
        one.advance(0.0, [0.0, np.nan], [1.0])
    with pytest.raises(ValueError, match="finite"):
        one.advance(0.0, START, [np.inf])


def test_what_cannot_be_marched_is_refused():
    kernel = SimpleNamespace(input_sizes=(2, 1, 1), address=None)
    system = SimpleNamespace(derivative=kernel, balance=kernel, runtime=None, loop=None)
    zero = PiecewisePolynomial.constant([0.0])
    with pytest.raises(TypeError, match="BDF is not a one-step scheme"):
        marching.march_for(BDF(), system, zero, [1.0])
    with pytest.raises(ValueError, match="take 1 parameters, but 2 were given"):
        marching.march_for(RK4(0.1), system, zero, [1.0, 2.0])
    with pytest.raises(ValueError, match="take 1 controls, but 2 were given"):
        marching.march_for(RK4(0.1), system, PiecewisePolynomial.constant([0.0, 1.0]), [1.0])


def test_without_a_compiler_the_kernels_are_marched_in_python(marches):
    class Interpreted(SimpleNamespace):
        def __call__(self, *arrays):
            return self.function(*arrays)

    def derivative(x, u, p):
        return (np.array([x[1], -(p[0] ** 2) * x[0] + u[0]]),)

    def balance(x, xdot, u, p):
        return np.array([xdot[1] + p[0] ** 2 * x[0] - u[0]]), np.array([p[0] ** 2]), np.zeros(1), np.ones(1)

    system = SimpleNamespace(
        derivative=Interpreted(function=derivative, address=None, input_sizes=(2, 1, 2)),
        balance=Interpreted(function=balance, address=None, input_sizes=(2, 2, 1, 2)),
        runtime=None,
        loop=None,
        muscles=None,
        coordinates=1,
    )
    for scheme in (RK4(0.05), TRBDF2(step=0.05), Rosenbrock(step=0.05)):
        interpreted = marching.march_for(scheme, system, PiecewisePolynomial.constant([0.3]), [2.0, 0.0])
        c = marches(scheme, "oscillator", [2.0, 0.0], PiecewisePolynomial.constant([0.3]))[1]
        np.testing.assert_allclose(
            interpreted.advance(0.0, START, [1.0]).last_state, c.advance(0.0, START, [1.0]).last_state, rtol=1e-13
        )


def test_structures_are_those_of_the_header(compiled):
    sizes = (ctypes.c_int * 9)()
    compiled.kernels.structure_sizes(sizes)
    mirrored = [
        structures.KernelStructure,
        structures.SignalStructure,
        structures.TableauStructure,
        structures.ControlStructure,
        structures.MemoryStructure,
        structures.CourseStructure,
        structures.ProblemStructure,
        structures.LinearTableauStructure,
        structures.BodyStructure,
    ]
    assert list(sizes) == [ctypes.sizeof(structure) for structure in mirrored]
