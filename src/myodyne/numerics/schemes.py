"""Schemes: which formula integrates a state in time, and to what accuracy.

Every scheme is data; ``order`` is the power of the step with which its error falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from numbers import Real
from typing import ClassVar

from myodyne.errors import ModelError

# A smaller tolerance asks for more digits than a double has after a few operations.
_SMALLEST_TOLERANCE = 1e-14
# Above this degree the points cluster at the ends, and shorter intervals are more efficient.
_HIGHEST_DEGREE = 5


@dataclass(frozen=True)
class Euler:
    """Explicit Euler steps of equal length ``step`` (s), order 1.

    Examples
    --------
    >>> Euler(step=0.001)
    Euler(step=0.001)
    """

    step: float
    order: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _positive(self, "step", "s")


@dataclass(frozen=True)
class Heun:
    """Heun's explicit trapezium steps of equal length ``step`` (s), order 2.

    Examples
    --------
    >>> Heun(step=0.001).order
    2
    """

    step: float
    order: ClassVar[int] = 2

    def __post_init__(self) -> None:
        _positive(self, "step", "s")


@dataclass(frozen=True)
class RK4:
    """Classical Runge–Kutta steps of equal length ``step`` (s), order 4.

    Examples
    --------
    >>> RK4(step=0.001).order
    4
    """

    step: float
    order: ClassVar[int] = 4

    def __post_init__(self) -> None:
        _positive(self, "step", "s")


@dataclass(frozen=True)
class _Adaptive:
    """Tolerances and bounds that every scheme with a chosen step shares."""

    relative: float = 1e-9
    absolute: float = 1e-9
    first_step: float | None = None
    largest_step: float = inf
    most_steps: int = 1_000_000

    def __post_init__(self) -> None:
        _check_adaptive(self)


@dataclass(frozen=True)
class RKF45(_Adaptive):
    """Fehlberg's explicit pair of orders 4 and 5; the fifth-order solution is propagated.

    A step is accepted when the root mean square of ``error / (absolute + relative * |state|)`` is at most 1,
    the error being that of the fourth-order solution.

    Parameters
    ----------
    relative, absolute : tolerances of one step, for all states alike (rad, m, rad/s, m/s).
    first_step : length (s) of the first step tried; estimated if None.
    largest_step : bound (s) on every step.
    most_steps : bound on the steps between two requested times.

    Examples
    --------
    >>> RKF45(relative=1e-6, absolute=1e-8).order
    5
    """

    order: ClassVar[int] = 5


@dataclass(frozen=True)
class DOP853(_Adaptive):
    """Dormand and Prince's explicit method of order 8 with error estimates of orders 5 and 3.

    The parameters are those of :class:`RKF45`. The cheapest scheme for high accuracy where nothing is
    stiff.

    Examples
    --------
    >>> DOP853().order
    8
    """

    order: ClassVar[int] = 8


@dataclass(frozen=True)
class Adams(_Adaptive):
    """Adams–Moulton multistep formulas of variable order, at most 12, for motion that is not stiff.

    The parameters are those of :class:`RKF45`; ``order`` is the highest.

    Examples
    --------
    >>> Adams(relative=1e-8).relative
    1e-08
    """

    order: ClassVar[int] = 12


@dataclass(frozen=True)
class BDF(_Adaptive):
    """Backward differentiation formulas of variable order, at most 5, for stiff motion.

    The parameters are those of :class:`RKF45`; ``order`` is the highest.

    Examples
    --------
    >>> BDF().order
    5
    """

    # Formulas of low order lose energy where the tolerance is loose.
    relative: float = 1e-10
    absolute: float = 1e-10
    order: ClassVar[int] = 5


@dataclass(frozen=True)
class Midpoint:
    """Implicit midpoint steps of equal length, order 2: A-stable, keeps quadratic invariants, damps nothing.

    Parameters
    ----------
    step : length (s), at most, of the equal steps between requested times and jumps of controls; a simulation
        needs one.
    tolerance : Newton's method stops when no state changes by more than ``tolerance * (1 + |state|)``, or
        where rounding stalls it within a hundred times that.

    Examples
    --------
    >>> Midpoint(step=0.002)
    Midpoint(step=0.002, tolerance=1e-12)
    """

    step: float | None = None
    tolerance: float = 1e-12
    order: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.step is not None:
            _positive(self, "step", "s")
        _tolerance(self, "tolerance")


@dataclass(frozen=True)
class TRBDF2:
    """Trapezium rule and backward differentiation in one implicit step, order 2: L-stable, for stiff motion.

    Parameters
    ----------
    step : length (s), at most, of equal steps as in :class:`Midpoint`; None lets the error choose them.
    relative, absolute : tolerances of one step, as in :class:`RKF45`; Newton's method works to a thousandth
        of them, also when the step is fixed.
    first_step, largest_step, most_steps : as in :class:`RKF45`.

    Examples
    --------
    >>> TRBDF2(relative=1e-6, absolute=1e-6).step is None
    True
    """

    step: float | None = None
    relative: float = 1e-10
    absolute: float = 1e-10
    first_step: float | None = None
    largest_step: float = inf
    most_steps: int = 1_000_000
    order: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.step is not None:
            _positive(self, "step", "s")
        _check_adaptive(self)


@dataclass(frozen=True)
class Rosenbrock:
    """Linearly implicit steps: one linear system a stage and no iteration, L-stable, for muscles and stiff contact.

    With a step and nothing else it is the first-order method of van den Bogert et al. (2011, Eq 16), whose steps all
    take the same time: the one for real time. Without a step the error chooses steps of order 4.

    Parameters
    ----------
    step : length (s), at most, of equal steps as in :class:`Midpoint`; None lets the error choose them.
    order : 1, 3 (Sandu et al. 1997, RODAS3) or 4 (Hairer and Wanner 1996, RODAS); by default 1 with a step, else 4.
    relative, absolute : tolerances of one step, as in :class:`RKF45`.
    first_step, largest_step, most_steps : as in :class:`RKF45`.

    Examples
    --------
    >>> Rosenbrock(step=0.003).order, Rosenbrock(relative=1e-6).order
    (1, 4)
    """

    step: float | None = None
    order: int | None = None
    relative: float = 1e-8
    absolute: float = 1e-8
    first_step: float | None = None
    largest_step: float = inf
    most_steps: int = 1_000_000

    def __post_init__(self) -> None:
        if self.order is None:
            object.__setattr__(self, "order", 4 if self.step is None else 1)
        if self.order not in (1, 3, 4) or isinstance(self.order, bool):
            raise ModelError(f"Rosenbrock: order must be 1, 3 or 4, not {self.order!r}")
        if self.step is not None:
            _positive(self, "step", "s")
        elif self.order == 1:
            raise ModelError("Rosenbrock: order 1 has no error estimate; give it a step, or use order 3 or 4")
        _check_adaptive(self)


@dataclass(frozen=True, repr=False)
class BackwardEuler:
    """The equations hold at the end of each interval, with the slope of the chord: order 1, L-stable.

    Parameters
    ----------
    step : length (s), at most, of equal steps as in :class:`Midpoint`; a simulation needs one, a solve has its mesh.

    Examples
    --------
    >>> BackwardEuler(), BackwardEuler().order
    (BackwardEuler(), 1)
    """

    step: float | None = None
    order: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.step is not None:
            _positive(self, "step", "s")

    def __repr__(self) -> str:
        return "BackwardEuler()" if self.step is None else f"BackwardEuler(step={self.step!r})"


@dataclass(frozen=True, repr=False)
class Radau:
    """The equations hold at the Radau points of each interval, the last being its end: L-stable, for stiff muscles.

    Parameters
    ----------
    degree : of the polynomial that the state is in an interval, 2 to 5; the order at the nodes is ``2 degree - 1``.
    step : length (s), at most, of equal steps as in :class:`Midpoint`; a simulation needs one, a solve has its mesh.

    Examples
    --------
    >>> Radau(degree=3), Radau(degree=3).order
    (Radau(degree=3), 5)
    """

    degree: int = 3
    step: float | None = None

    def __post_init__(self) -> None:
        if self.degree not in range(2, _HIGHEST_DEGREE + 1) or isinstance(self.degree, bool):
            raise ModelError(
                f"Radau: degree must be a whole number from 2 to {_HIGHEST_DEGREE}, not {self.degree!r}; "
                "BackwardEuler is that of degree 1"
            )
        if self.step is not None:
            _positive(self, "step", "s")

    def __repr__(self) -> str:
        step = "" if self.step is None else f", step={self.step!r}"
        return f"Radau(degree={self.degree!r}{step})"

    @property
    def order(self) -> int:
        """Return the power of the interval with which errors at the nodes fall."""
        return 2 * self.degree - 1


OneScheme = Euler | Heun | RK4 | RKF45 | DOP853 | Adams | BDF | Midpoint | TRBDF2 | Rosenbrock | BackwardEuler | Radau


@dataclass(frozen=True)
class Projected:
    """Another scheme, with the state projected onto the constraints at every recorded time.

    Parameters
    ----------
    scheme : the scheme that integrates in between.

    Examples
    --------
    >>> Projected(RK4(step=0.001)).order
    4
    """

    scheme: OneScheme

    def __post_init__(self) -> None:
        if not isinstance(self.scheme, OneScheme):
            raise ModelError(f"Projected takes another scheme, like RK4(step=0.001), not {self.scheme!r}")

    @property
    def order(self) -> int:
        """Return the order of the scheme inside."""
        return self.scheme.order or 0


Scheme = OneScheme | Projected


def checked_scheme(scheme: Scheme) -> Scheme:
    """Return the scheme, or raise a ModelError if it cannot integrate."""
    inner = scheme.scheme if isinstance(scheme, Projected) else scheme
    if not isinstance(inner, OneScheme):
        raise ModelError(f"a scheme must be one like my.DOP853() or my.RK4(step=0.001), not {scheme!r:.60}")
    if isinstance(inner, Midpoint | BackwardEuler | Radau) and inner.step is None:
        name = type(inner).__name__
        raise ModelError(f"{name} needs a step to march with, for example {name}(step=0.001)")
    return scheme


def _check_adaptive(scheme: _Adaptive | TRBDF2 | Rosenbrock) -> None:
    _tolerance(scheme, "relative")
    _tolerance(scheme, "absolute")
    if scheme.first_step is not None:
        _positive(scheme, "first_step", "s")
    if scheme.largest_step != inf:
        _positive(scheme, "largest_step", "s")
    most = scheme.most_steps
    if not isinstance(most, int) or isinstance(most, bool) or not 0 < most < 2**62:
        raise ModelError(f"{type(scheme).__name__}: most_steps must be a whole number above 0, not {most!r}")


def _positive(scheme: object, field: str, unit: str) -> None:
    value = getattr(scheme, field)
    if not _number(value) or not value > 0:
        raise ModelError(f"{type(scheme).__name__}: {field} must be a positive number ({unit}), not {value!r}")


def _tolerance(scheme: object, field: str) -> None:
    value = getattr(scheme, field)
    if not _number(value) or not _SMALLEST_TOLERANCE <= value < 1:
        raise ModelError(
            f"{type(scheme).__name__}: {field} must lie between {_SMALLEST_TOLERANCE:g} and 1, not {value!r}"
        )


def _number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
