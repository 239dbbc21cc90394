"""Marches of compiled equations: one call of the C runtime carries a state through many times.

Without a compiler the Python twins in ``myodyne.numerics`` do the same work, many times slower.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, Structure, c_double, c_int, c_longlong, c_void_p
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from myodyne.numerics import schemes
from myodyne.numerics.explicit import ExplicitScheme, explicit_march
from myodyne.numerics.implicit import ImplicitScheme, implicit_march
from myodyne.numerics.march import Advance, Failure, March, checked
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.steps import Control, control_of
from myodyne.numerics.tableaux import Tableau, tableau_of

Floats = NDArray[np.float64]
_Doubles = POINTER(c_double)

# The failure codes of march.h, in its order.
_FAILURES: tuple[Failure | None, ...] = (None, "not finite", "step too small", "Newton did not converge",
                                         "too many steps")


class CompiledFunction(Protocol):
    """What a march needs of a kernel (``equations/kernel.py``); sizes as CasADi reports them."""

    @property
    def address(self) -> int | None:
        """Return the C function, or None where only the interpreter exists."""
        ...

    @property
    def n_arg(self) -> int: ...
    @property
    def n_res(self) -> int: ...
    @property
    def n_iw(self) -> int: ...
    @property
    def n_w(self) -> int: ...
    @property
    def input_sizes(self) -> tuple[int, ...]: ...
    @property
    def output_sizes(self) -> tuple[int, ...]: ...

    def __call__(self, *arrays: Floats) -> tuple[Floats, ...]:
        """Return the outputs as flat arrays."""
        ...


class Marchable(Protocol):
    """A system that can be marched: ``derivative(x, u, p)`` and ``balance(x, xdot, u, p)``."""

    @property
    def derivative(self) -> CompiledFunction: ...
    @property
    def balance(self) -> CompiledFunction: ...
    @property
    def runtime(self) -> ctypes.CDLL | None:
        """Return the compiled files of ``equations/runtime``, or None without a compiler."""
        ...


def march_for(scheme: schemes.OneScheme, system: Marchable, signals: PiecewisePolynomial,
              parameters: ArrayLike = ()) -> March:
    """Return a march of a system by a one-step scheme: in C where it is compiled, else in Python.

    Parameters
    ----------
    scheme : OneScheme
        Any one-step scheme; the multistep ones, Adams and BDF, have their own driver.
    system : Marchable
        The compiled equations.
    signals : PiecewisePolynomial
        The controls as functions of time (s), in the order of the system's controls.
    parameters : (n_p,) array
        Values of the free parameters.
    """
    given = np.array(parameters, dtype=float).reshape(-1)
    if isinstance(scheme, schemes.Midpoint | schemes.TRBDF2):
        _check_sizes(system.balance, 2, signals, given)
        return _implicit(scheme, system, signals, given)
    if isinstance(scheme, schemes.Euler | schemes.Heun | schemes.RK4 | schemes.RKF45 | schemes.DOP853):
        _check_sizes(system.derivative, 1, signals, given)
        return _explicit(scheme, system, signals, given)
    raise TypeError(f"{type(scheme).__name__} is not a one-step scheme and cannot be marched here")


def _explicit(scheme: ExplicitScheme, system: Marchable, signals: PiecewisePolynomial, parameters: Floats) -> March:
    kernel = system.derivative
    if system.runtime is not None and kernel.address is not None:
        return NativeMarch(scheme, kernel, system.runtime, signals, parameters)

    def derivative(x: Floats, u: Floats, p: Floats) -> Floats:
        return kernel(x, u, p)[0]

    return explicit_march(scheme, derivative, kernel.input_sizes[0], signals, parameters)


def _implicit(scheme: ImplicitScheme, system: Marchable, signals: PiecewisePolynomial, parameters: Floats) -> March:
    kernel = system.balance
    if system.runtime is not None and kernel.address is not None:
        return NativeMarch(scheme, kernel, system.runtime, signals, parameters)

    def balance(x: Floats, xdot: Floats, u: Floats, p: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        residual, by_position, by_speed, by_acceleration = kernel(x, xdot, u, p)
        return residual, by_position, by_speed, by_acceleration

    return implicit_march(scheme, balance, kernel.input_sizes[0], signals, parameters)


def _check_sizes(kernel: CompiledFunction, controls: int, signals: PiecewisePolynomial, parameters: Floats) -> None:
    """Refuse what C would read beyond its end; ``controls`` is the place of the controls among the inputs."""
    wanted = kernel.input_sizes[controls : controls + 2]
    given = (signals.count, len(parameters))
    for what, wants, has in zip(("controls", "parameters"), wanted, given, strict=True):
        if wants != has:
            raise ValueError(f"the equations take {wants} {what}, but {has} were given")


# ---- the structures of march.h, field by field --------------------------------------------------------------


class _Kernel(Structure):
    _fields_ = (("function", c_void_p), ("arg", c_void_p), ("res", c_void_p), ("iw", c_void_p), ("w", c_void_p))


class _Signal(Structure):
    _fields_ = (("pieces", c_int), ("degree", c_int), ("count", c_int), ("n_stops", c_int), ("cursor", c_int),
                ("next_stop", c_int), ("breaks", _Doubles), ("coefficients", _Doubles), ("stops", _Doubles))


class _Tableau(Structure):
    _fields_ = (("stages", c_int), ("error_order", c_int), ("a", _Doubles), ("b", _Doubles), ("c", _Doubles),
                ("error", _Doubles), ("coarse_error", _Doubles))


class _Control(Structure):
    _fields_ = (("step", c_double), ("relative", c_double), ("absolute", c_double), ("first_step", c_double),
                ("largest_step", c_double), ("newton", c_double), ("most_steps", c_longlong))


class _Memory(Structure):
    _fields_ = (("continuing", c_int), ("carried", c_int), ("time", c_double), ("step", c_double),
                ("previous_error", c_double), ("state", _Doubles))


class _Course(Structure):
    _fields_ = (("count", c_int), ("reached", c_int), ("failure", c_int), ("offender", c_int),
                ("steps", c_longlong), ("rejected", c_longlong), ("evaluations", c_longlong),
                ("iterations", c_longlong), ("last_time", c_double), ("times", _Doubles), ("states", _Doubles),
                ("last_state", _Doubles))


class _Problem(Structure):
    _fields_ = (("n", c_int), ("kernel", POINTER(_Kernel)), ("controls", POINTER(_Signal)),
                ("parameters", _Doubles), ("work", _Doubles), ("pivots", POINTER(c_int)))


class NativeMarch:
    """A march in C; see :class:`~myodyne.numerics.march.March`.

    Parameters
    ----------
    scheme : the formula and its steps.
    kernel : ``derivative`` for an explicit scheme, ``balance`` for an implicit one.
    runtime : the compiled files of ``equations/runtime``.
    signals, parameters : controls and free numbers of the system.
    """

    def __init__(self, scheme: ExplicitScheme | ImplicitScheme, kernel: CompiledFunction, runtime: ctypes.CDLL,
                 signals: PiecewisePolynomial, parameters: Floats) -> None:
        # C holds bare pointers: whatever they point into must live as long as the march.
        self._alive: list[Any] = [kernel, runtime, signals]
        tableau, implicit = tableau_of(scheme), isinstance(scheme, schemes.Midpoint | schemes.TRBDF2)
        self._n = kernel.input_sizes[0]
        self._tableau = self._tableau_structure(tableau)
        self._control = _control_structure(control_of(scheme))
        self._kernel = self._kernel_structure(kernel)
        self._signal = self._signal_structure(signals)
        self._memory = _Memory(state=self._doubles(np.zeros(self._n)))
        self._march, work = _entries(runtime, implicit)
        pivots = np.zeros(max(self._n, 1), dtype=np.intc)
        self._alive.append(pivots)
        self._problem = _Problem(n=self._n, kernel=ctypes.pointer(self._kernel),
                                 controls=ctypes.pointer(self._signal), parameters=self._doubles(parameters),
                                 work=self._doubles(np.zeros(work(self._n, tableau.stages, signals.count) + 1)),
                                 pivots=pivots.ctypes.data_as(POINTER(c_int)))

    def reset(self) -> None:
        """Forget the step size of the last advance."""
        self._memory.continuing = 0

    def advance(self, time: float, state: ArrayLike, times: ArrayLike) -> Advance:
        """Return the states at the requested times; see :class:`~myodyne.numerics.march.March`."""
        start, last_state, requested = checked(time, state, times, self._n)
        states = np.empty((len(requested), self._n))
        course = _Course(count=len(requested), last_time=start, times=_pointer(requested), states=_pointer(states),
                         last_state=_pointer(last_state))
        # CDLL lets other threads run meanwhile; the caller keeps its requests short enough to stay responsive.
        self._march(self._problem, self._tableau, self._control, self._memory, course)
        return Advance(states=states[: course.reached], steps=course.steps, rejected=course.rejected,
                       evaluations=course.evaluations, iterations=course.iterations,
                       failure=_FAILURES[course.failure], last_time=course.last_time, last_state=last_state,
                       offender=course.offender if course.offender >= 0 else None)

    def _doubles(self, array: Floats) -> Any:
        own = np.ascontiguousarray(array, dtype=float)
        self._alive.append(own)
        return _pointer(own)

    def _kernel_structure(self, kernel: CompiledFunction) -> _Kernel:
        arg, res = (np.zeros(size + 1, dtype=np.uintp) for size in (kernel.n_arg, kernel.n_res))
        iw, w = np.zeros(kernel.n_iw + 1, dtype=np.intc), np.zeros(kernel.n_w + 1)
        self._alive += [arg, res, iw, w]
        return _Kernel(kernel.address, arg.ctypes.data, res.ctypes.data, iw.ctypes.data, w.ctypes.data)

    def _signal_structure(self, signals: PiecewisePolynomial) -> _Signal:
        stops = signals.discontinuities
        return _Signal(pieces=len(signals.breaks) - 1, degree=signals.degree, count=signals.count,
                       n_stops=len(stops), breaks=self._doubles(signals.breaks),
                       coefficients=self._doubles(signals.coefficients), stops=self._doubles(stops))

    def _tableau_structure(self, tableau: Tableau) -> _Tableau:
        optional = [None if weights is None else self._doubles(weights)
                    for weights in (tableau.error, tableau.coarse_error)]
        return _Tableau(tableau.stages, tableau.error_order, self._doubles(tableau.a), self._doubles(tableau.b),
                        self._doubles(tableau.c), *optional)


def _pointer(array: Floats) -> Any:
    return array.ctypes.data_as(_Doubles)


def _control_structure(control: Control) -> _Control:
    return _Control(**{name: getattr(control, name) for name, *_ in _Control._fields_})


def _entries(runtime: ctypes.CDLL, implicit: bool) -> tuple[Callable[..., None], Callable[..., int]]:
    """Return the C functions that march and that tell how much work space they need."""
    march = runtime.march_implicit if implicit else runtime.march_explicit
    work = runtime.march_implicit_work if implicit else runtime.march_explicit_work
    march.argtypes = [POINTER(kind) for kind in (_Problem, _Tableau, _Control, _Memory, _Course)]
    march.restype = None
    work.argtypes, work.restype = [c_int, c_int, c_int], c_int
    return march, work
