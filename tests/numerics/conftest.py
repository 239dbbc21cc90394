"""Small systems to march, in Python and in C, and a march of each by name."""

import ctypes
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from myodyne.march.marching import march_for
from myodyne.native import libraries
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import TRBDF2, Midpoint, Rosenbrock
from myodyne.numerics.stepping.explicit import explicit_march
from myodyne.numerics.stepping.implicit import implicit_march
from myodyne.numerics.stepping.implicit_form import SecondOrder
from myodyne.numerics.stepping.linear import linear_march

RUNTIME = Path(libraries.__file__).parent / "march"


def single(acceleration, by_q, by_v):
    """Derivative and balance of one degree of freedom."""

    def derivative(x, u, p):
        return np.array([x[1], acceleration(*x, p) + u[0]])

    def balance(x, xdot, u, p):
        return [xdot[1] - acceleration(*x, p) - u[0]], [[-by_q(*x, p)]], [[-by_v(*x, p)]], [[1.0]]

    return derivative, balance


def modes_derivative(x, u, p):
    w1, d1, w2, d2 = p
    return np.array([x[2], x[3], -(w1**2) * x[0] - d1 * x[2] + u[0], -(w2**2) * x[1] - d2 * x[3]])


def modes_balance(x, xdot, u, p):
    w1, d1, w2, d2 = p
    r = xdot[2:] - modes_derivative(x, u, p)[2:]
    return r, np.diag([w1**2, w2**2]), np.diag([d1, d2]), np.eye(2)


def double_pendulum_balance(x, xdot, u, p):
    q1, q2, v1, v2 = x
    a1, a2 = xdot[2:]
    g, s, c = p[0], np.sin(q1 - q2), np.cos(q1 - q2)
    r = [2 * a1 + c * a2 + s * v2**2 + 2 * g * np.sin(q1) - u[0], c * a1 + a2 - s * v1**2 + g * np.sin(q2)]
    by_q = [
        [-s * a2 + c * v2**2 + 2 * g * np.cos(q1), s * a2 - c * v2**2],
        [-s * a1 - c * v1**2, s * a1 + c * v1**2 + g * np.cos(q2)],
    ]
    return r, by_q, [[0, 2 * s * v2], [-2 * s * v1, 0]], [[2, c], [c, 1]]


def double_pendulum_derivative(x, u, p):
    r, _, _, mass = double_pendulum_balance(x, np.zeros(4), u, p)
    return np.concatenate([x[2:], -np.linalg.solve(mass, r)])


SYSTEMS = {
    "oscillator": (
        2,
        2,
        *single(lambda q, v, p: -(p[0] ** 2) * q - p[1] * v, lambda q, v, p: -(p[0] ** 2), lambda q, v, p: -p[1]),
    ),
    "pendulum": (
        2,
        1,
        *single(lambda q, v, p: -p[0] * np.sin(q), lambda q, v, p: -p[0] * np.cos(q), lambda q, v, p: 0.0),
    ),
    "van_der_pol": (
        2,
        1,
        *single(
            lambda q, v, p: p[0] * (1 - q * q) * v - q,
            lambda q, v, p: -2 * p[0] * q * v - 1,
            lambda q, v, p: p[0] * (1 - q * q),
        ),
    ),
    "runaway": (2, 0, *single(lambda q, v, p: 6 * q * q, lambda q, v, p: 12 * q, lambda q, v, p: 0.0)),
    "latch": (
        2,
        2,
        *single(
            lambda q, v, p: -p[0] * np.arctan(p[1] * q),
            lambda q, v, p: -p[0] * p[1] / (1 + (p[1] * q) ** 2),
            lambda q, v, p: 0.0,
        ),
    ),
    "edge": (2, 0, *single(lambda q, v, p: np.sqrt(1 - q), lambda q, v, p: -0.5 / np.sqrt(1 - q), lambda q, v, p: 0.0)),
    "modes": (4, 4, modes_derivative, modes_balance),
    "double_pendulum": (4, 1, double_pendulum_derivative, double_pendulum_balance),
    "refusing": (2, 0, None, None),
}


@dataclass
class CKernel:
    """Stands for equations.kernel.Kernel."""

    address: int
    input_sizes: tuple
    output_sizes: tuple
    n_arg: int = 4
    n_res: int = 4
    n_iw: int = 1
    n_w: int = 2

    def __call__(self, *arrays):
        raise AssertionError("a march in C must not call back into Python")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """The runtime and the kernels above as one shared object."""
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler found")
    target = tmp_path_factory.mktemp("march") / "march.so"
    sources = [*sorted(RUNTIME.glob("*.c")), Path(__file__).parent / "march_kernels.c"]
    command = [
        compiler,
        "-O2",
        "-march=native",
        "-fPIC",
        "-shared",
        "-std=gnu99",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{RUNTIME}",
        *map(str, sources),
        "-o",
        str(target),
        "-lm",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(target))
    return SimpleNamespace(kernels=library, explicit=library, implicit=library, linear=library, body=library)


def c_system(library, name):
    n, n_p, *_ = SYSTEMS[name]
    m = n // 2

    def kernel(kind, inputs, outputs):
        function = getattr(library.kernels, f"{name}_{kind}", None)
        return function and CKernel(ctypes.cast(function, ctypes.c_void_p).value, inputs, outputs)

    return SimpleNamespace(
        derivative=kernel("derivative", (n, 1, n_p), (n,)),
        balance=kernel("balance", (n, n, 1, n_p), (m, m * m, m * m, m * m)),
        runtime=library,
        loop=None,
        muscles=None,
        coordinates=m,
    )


def make_march(where, request, scheme, name, parameters=(), signals=None):
    signals = signals or PiecewisePolynomial.constant([0.0])
    if where == "C":
        return march_for(scheme, c_system(request.getfixturevalue("compiled"), name), signals, parameters)
    n, _, derivative, balance = SYSTEMS[name]
    if isinstance(scheme, Rosenbrock):
        return linear_march(scheme, SecondOrder(balance, n), signals, parameters)
    if isinstance(scheme, Midpoint | TRBDF2):
        return implicit_march(scheme, SecondOrder(balance, n), signals, parameters)
    return explicit_march(scheme, derivative, n, signals, parameters)


@pytest.fixture
def systems():
    """The systems in Python, by name: states, parameters, derivative, balance."""
    return SYSTEMS


@pytest.fixture(params=["Python", "C"])
def march(request):
    """``march(scheme, system, parameters, signals)`` in Python and in C."""
    return lambda *args, **kwargs: make_march(request.param, request, *args, **kwargs)


@pytest.fixture
def marches(request):
    """The same march twice: in Python and in C."""
    return lambda *args, **kwargs: [make_march(where, request, *args, **kwargs) for where in ("Python", "C")]
