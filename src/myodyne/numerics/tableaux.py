"""Runge–Kutta tableaux: the numbers of each scheme, with their sources.

A step of length h from x computes rates ``k_i = f(x + h Σ_j a_ij k_j)`` at ``t + c_i h`` and ends at
``x + h Σ_i b_i k_i``; ``h Σ_i error_i k_i`` estimates the error of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from myodyne.numerics import schemes
from myodyne.types import Floats


@dataclass(frozen=True, eq=False)
class Tableau:
    """One Runge–Kutta method.

    Parameters
    ----------
    a, b, c : (s, s), (s,), (s,) weights and times of the stages; a diagonal of zeros makes the method explicit.
    error : (s,) weights of the error estimate, or None.
    coarse_error : (s,) weights of a second, coarser estimate that moderates the first, or None.
    error_order : the estimate falls as the step to this power.
    """

    a: Floats
    b: Floats
    c: Floats
    error: Floats | None = None
    coarse_error: Floats | None = None
    error_order: int = 1

    @property
    def stages(self) -> int:
        """Return the number of stages."""
        return len(self.b)

    @property
    def ends_in_last_stage(self) -> bool:
        """Return whether the step ends at the state of its last stage (stiffly accurate)."""
        return bool(np.all(self.a[-1] == self.b))


def tableau_of(scheme: schemes.OneScheme) -> Tableau:
    """Return the tableau of a one-step scheme.

    Examples
    --------
    >>> tableau_of(schemes.Heun(step=0.1)).b
    array([0.5, 0.5])
    """
    makers = {
        schemes.Euler: euler,
        schemes.Heun: heun,
        schemes.RK4: rk4,
        schemes.RKF45: rkf45,
        schemes.DOP853: dop853,
        schemes.Midpoint: midpoint,
        schemes.TRBDF2: trbdf2,
    }
    if type(scheme) not in makers:
        raise TypeError(
            f"{type(scheme).__name__} is not a one-step scheme; those are {', '.join(kind.__name__ for kind in makers)}"
        )
    return makers[type(scheme)]()


@cache
def euler() -> Tableau:
    """Return explicit Euler."""
    return _explicit([[]], [1.0])


@cache
def heun() -> Tableau:
    """Return Heun's second-order method, the explicit trapezium rule."""
    return _explicit([[], [1.0]], [1 / 2, 1 / 2])


@cache
def rk4() -> Tableau:
    """Return the classical method of Kutta (1901)."""
    return _explicit([[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])


@cache
def rkf45() -> Tableau:
    """Return Fehlberg's pair 4(5) (NASA TR R-315, 1969, table III), carrying the fifth-order solution."""
    fifth = np.array([16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55])
    fourth = np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])
    rows = [
        [],
        [1 / 4],
        [3 / 32, 9 / 32],
        [1932 / 2197, -7200 / 2197, 7296 / 2197],
        [439 / 216, -8, 3680 / 513, -845 / 4104],
        [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
    ]
    return _explicit(rows, fifth, error=fifth - fourth, error_order=5)


@cache
def midpoint() -> Tableau:
    """Return the implicit midpoint rule."""
    return Tableau(a=_frozen([[0.5]]), b=_frozen([1.0]), c=_frozen([0.5]))


@cache
def trbdf2() -> Tableau:
    """Return TR-BDF2 with the error estimate of Hosea and Shampine (1996, Appl. Numer. Math. 20:21-37).

    The weights of its third-order companion give the estimate ``b - companion``.
    """
    middle = 2 - sqrt(2)
    diagonal, w = middle / 2, sqrt(2) / 4
    b = np.array([w, w, diagonal])
    companion = np.array([(1 - w) / 3, (3 * w + 1) / 3, diagonal / 3])
    a = [[0.0, 0.0, 0.0], [diagonal, diagonal, 0.0], [w, w, diagonal]]
    return Tableau(
        a=_frozen(a), b=_frozen(b), c=_frozen([0.0, middle, 1.0]), error=_frozen(b - companion), error_order=3
    )


@cache
def dop853() -> Tableau:
    """Return Dormand and Prince's method of order 8.

    Numbers: Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, 2nd edition 1993, section
    II.10, with the digits of the authors' program DOP853; its estimate of order 5, tempered by one of order 3.
    """
    rows = [
        {},
        {0: 0.05260015195876773},
        {0: 0.0197250569845379, 1: 0.0591751709536137},
        {0: 0.02958758547680685, 2: 0.08876275643042054},
        {0: 0.2413651341592667, 2: -0.8845494793282861, 3: 0.924834003261792},
        {0: 0.037037037037037035, 3: 0.17082860872947386, 4: 0.12546768756682242},
        {0: 0.037109375, 3: 0.17025221101954405, 4: 0.06021653898045596, 5: -0.017578125},
        {
            0: 0.03709200011850479,
            3: 0.17038392571223998,
            4: 0.10726203044637328,
            5: -0.015319437748624402,
            6: 0.008273789163814023,
        },
        {
            0: 0.6241109587160757,
            3: -3.3608926294469414,
            4: -0.868219346841726,
            5: 27.59209969944671,
            6: 20.154067550477894,
            7: -43.48988418106996,
        },
        {
            0: 0.47766253643826434,
            3: -2.4881146199716677,
            4: -0.590290826836843,
            5: 21.230051448181193,
            6: 15.279233632882423,
            7: -33.28821096898486,
            8: -0.020331201708508627,
        },
        {
            0: -0.9371424300859873,
            3: 5.186372428844064,
            4: 1.0914373489967295,
            5: -8.149787010746927,
            6: -18.52006565999696,
            7: 22.739487099350505,
            8: 2.4936055526796523,
            9: -3.0467644718982196,
        },
        {
            0: 2.273310147516538,
            3: -10.53449546673725,
            4: -2.0008720582248625,
            5: -17.9589318631188,
            6: 27.94888452941996,
            7: -2.8589982771350235,
            8: -8.87285693353063,
            9: 12.360567175794303,
            10: 0.6433927460157636,
        },
    ]
    b = {
        0: 0.054293734116568765,
        5: 4.450312892752409,
        6: 1.8915178993145003,
        7: -5.801203960010585,
        8: 0.3111643669578199,
        9: -0.1521609496625161,
        10: 0.20136540080403034,
        11: 0.04471061572777259,
    }
    error = {
        0: 0.01312004499419488,
        5: -1.2251564463762044,
        6: -0.4957589496572502,
        7: 1.6643771824549864,
        8: -0.35032884874997366,
        9: 0.3341791187130175,
        10: 0.08192320648511571,
        11: -0.022355307863886294,
    }
    third = {0: 0.24409448818897639, 8: 0.73384668828161186, 11: 0.022058823529411766}
    filled = [[row.get(column, 0.0) for column in range(index)] for index, row in enumerate(rows)]
    weights, fine, coarse = (np.array([row.get(column, 0.0) for column in range(12)]) for row in (b, error, third))
    return _explicit(filled, weights, error=fine, coarse_error=weights - coarse, error_order=8)


def _explicit(
    rows: list[list[float]],
    b: ArrayLike,
    *,
    error: Floats | None = None,
    coarse_error: Floats | None = None,
    error_order: int = 1,
) -> Tableau:
    """Fill a tableau from the rows below its diagonal; the time of each stage is the sum of its row."""
    a = np.zeros((len(rows), len(rows)))
    for index, row in enumerate(rows):
        a[index, :index] = row
    return Tableau(
        a=_frozen(a),
        b=_frozen(b),
        c=_frozen(a.sum(axis=1)),
        error_order=error_order,
        error=None if error is None else _frozen(error),
        coarse_error=None if coarse_error is None else _frozen(coarse_error),
    )


def _frozen(values: ArrayLike) -> Floats:
    array = np.array(values, dtype=float, order="C")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class LinearTableau:
    """One Rosenbrock method, in the form that needs no product with the Jacobian (Hairer and Wanner 1996, IV.7).

    With the stages U_i of ``rosenbrock.c`` a step ends at ``x + Σ m_i U_i``, and ``Σ error_i U_i`` estimates its error.

    Parameters
    ----------
    gamma : the diagonal of the method: all stages share one matrix.
    a, c : (s, s) weights of earlier stages in the arguments and in the rates.
    m, error : (s,) weights of the end and of the error estimate, the latter None for none.
    alpha, gammas : (s,) times of the stages, and weights of the time derivative, in steps.
    error_order : the estimate falls as the step to this power.
    """

    gamma: float
    a: Floats
    c: Floats
    m: Floats
    alpha: Floats
    gammas: Floats
    error: Floats | None = None
    error_order: int = 1

    @property
    def stages(self) -> int:
        """Return the number of stages."""
        return len(self.m)


def linear_tableau_of(scheme: schemes.Rosenbrock) -> LinearTableau:
    """Return the tableau of a Rosenbrock scheme.

    Examples
    --------
    >>> linear_tableau_of(schemes.Rosenbrock(step=0.003)).gamma
    1.0
    """
    return {1: rosenbrock1, 3: rodas3, 4: rodas4}[scheme.order or 1]()


@cache
def rosenbrock1() -> LinearTableau:
    """Return the linearly implicit Euler method (van den Bogert et al. 2011, Eq 16)."""
    return _linear(1.0, [[]], [[]], m=[1.0], alpha=[0.0], gammas=[1.0])


@cache
def rodas3() -> LinearTableau:
    """Return RODAS3, order 3 with an estimate of order 2 (Sandu et al. 1997, Atmos. Environ. 31:3459-3472)."""
    return _linear(
        1 / 2,
        [[], [0], [2, 0], [2, 0, 1]],
        [[], [4], [1, -1], [1, -1, -8 / 3]],
        m=[2, 0, 1, 1],
        alpha=[0, 0, 1, 1],
        gammas=[1 / 2, 3 / 2, 0, 0],
        error=[0, 0, 0, 1],
        error_order=3,
    )


@cache
def rodas4() -> LinearTableau:
    """Return RODAS, order 4 with an estimate of order 3 (Hairer and Wanner 1996, section VI.4, table 4.1)."""
    last = [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950]
    return _linear(
        1 / 4,
        [
            [],
            [1.544],
            [0.9466785280815826, 0.2557011698983284],
            [3.314825187068521, 2.896124015972201, 0.9986419139977817],
            last,
            [*last, 1],
        ],
        [
            [],
            [-5.6688],
            [-2.430093356833875, -0.2063599157091915],
            [-0.1073529058151375, -9.594562251023355, -20.47028614809616],
            [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160],
            [8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054],
        ],
        m=[*last, 1, 1],
        alpha=[0, 0.386, 0.21, 0.63, 1, 1],
        gammas=[0.25, -0.1043, 0.1035, -0.0362, 0, 0],
        error=[0, 0, 0, 0, 0, 1],
        error_order=4,
    )


def _linear(
    gamma: float, a: list[list[float]], c: list[list[float]], *, error_order: int = 1, **weights: list[float]
) -> LinearTableau:
    """Return a Rosenbrock tableau from the rows below the diagonal."""
    arrays = {name: _frozen(values) for name, values in weights.items()}
    return LinearTableau(gamma, _square(a), _square(c), error_order=error_order, **arrays)


def _square(rows: list[list[float]]) -> Floats:
    return _frozen([row + [0.0] * (len(rows) - len(row)) for row in rows])
