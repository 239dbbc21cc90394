"""Marches of compiled equations: one call of the C runtime returns the states at many times.

Without a compiler their counterparts in ``myodyne.numerics.stepping`` do the same, many times slower.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, c_int
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations.closed_form import closed_form
from myodyne.equations.muscles.interpreted_body import InterpretedBody
from myodyne.equations.muscles.native_body import NativeBody, NativeBodyKernel
from myodyne.equations.muscles.tables import MuscleTables
from myodyne.native.kernel import Kernel
from myodyne.native.libraries import Runtime
from myodyne.native.structures import (
    CompiledFunction,
    ControlStructure,
    CourseStructure,
    Keeper,
    LinearTableauStructure,
    MemoryStructure,
    ProblemStructure,
    SignalStructure,
    TableauStructure,
    pointer,
)
from myodyne.numerics import schemes
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.stepping.explicit import ExplicitScheme, explicit_march
from myodyne.numerics.stepping.implicit import ImplicitScheme, implicit_march
from myodyne.numerics.stepping.implicit_form import ImplicitSystem, SecondOrder
from myodyne.numerics.stepping.linear import linear_march
from myodyne.numerics.stepping.march import Advance, Failure, March, checked
from myodyne.numerics.stepping.steps import control_of
from myodyne.numerics.tableaux import LinearTableau, Tableau, linear_tableau_of, tableau_of
from myodyne.types import Floats

OneStep = ExplicitScheme | ImplicitScheme | schemes.Rosenbrock

# The failure codes of march.h, in its order.
FAILURES: tuple[Failure | None, ...] = (
    None,
    "not finite",
    "step too small",
    "Newton did not converge",
    "too many steps",
)


class Marchable(Protocol):
    """A system that can be marched: ``derivative(x, u, p)``, ``balance(x, xdot, u, p)`` and its muscles."""

    @property
    def derivative(self) -> CompiledFunction: ...
    @property
    def balance(self) -> CompiledFunction: ...
    @property
    def muscles(self) -> MuscleTables | None:
        """Return kinds, states, paths and numbers of the muscles, None without muscles."""
        ...

    @property
    def loop(self) -> Kernel | None:
        """Return what a control law gives, None without one."""
        ...

    @property
    def coordinates(self) -> int:
        """Return the number of coordinates; further rows of the balance are constraints and the power."""
        ...

    @property
    def runtime(self) -> Runtime | None:
        """Return the C libraries of schemes, None without a compiler."""
        ...


def march_for(
    scheme: schemes.OneScheme, system: Marchable, signals: PiecewisePolynomial, parameters: ArrayLike = ()
) -> March:
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
    if isinstance(scheme, schemes.Midpoint | schemes.TRBDF2 | schemes.Rosenbrock):
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
        xdot, *_ = kernel(x, u, p)
        return xdot

    return explicit_march(scheme, derivative, kernel.input_sizes[0], signals, parameters)


def _implicit(
    scheme: ImplicitScheme | schemes.Rosenbrock, system: Marchable, signals: PiecewisePolynomial, parameters: Floats
) -> March:
    kernel = system.balance
    if system.runtime is not None and kernel.address is not None:
        body = NativeBody((kernel, None, system.loop), system.muscles, system.coordinates, system.runtime)
        return NativeMarch(scheme, body, system.runtime, signals, parameters)

    form = _implicit_form(system)
    if isinstance(scheme, schemes.Rosenbrock):
        return linear_march(scheme, form, signals, parameters)
    return implicit_march(scheme, form, signals, parameters)


def _implicit_form(system: Marchable) -> ImplicitSystem:
    """Return interpreted equations in the form that marches in Python take."""
    return closed_form(_open_form(system), system.loop, system.coordinates)


def _open_form(system: Marchable) -> ImplicitSystem:
    kernel = system.balance
    if system.muscles is not None:
        return InterpretedBody(kernel, system.muscles, system.coordinates)

    def balance(x: Floats, xdot: Floats, u: Floats, p: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        residual, by_position, by_speed, by_acceleration = kernel(x, xdot, u, p)
        return residual, by_position, by_speed, by_acceleration

    return SecondOrder(balance, kernel.input_sizes[0])


def _check_sizes(kernel: CompiledFunction, controls: int, signals: PiecewisePolynomial, parameters: Floats) -> None:
    """Raise an error for arrays that C would read beyond their end; ``controls`` is the place of the controls."""
    wanted = kernel.input_sizes[controls : controls + 2]
    given = (signals.count, len(parameters))
    for what, wants, has in zip(("controls", "parameters"), wanted, given, strict=True):
        if wants != has:
            raise ValueError(f"the equations take {wants} {what}, but {has} were given")


class _Saved(NamedTuple):
    """Everything that an advance of a march in C takes over from the last one."""

    memory: dict[str, int | float]
    work: Floats
    last_state: Floats


class NativeMarch:
    """A march in C; see :class:`~myodyne.numerics.stepping.march.March`.

    Parameters
    ----------
    scheme : the formula and its steps.
    system : ``derivative`` for an explicit scheme (a kernel), a body for an implicit one.
    runtime : the C libraries of schemes.
    signals, parameters : controls and free numbers of the system.
    """

    def __init__(
        self,
        scheme: OneStep,
        system: CompiledFunction | NativeBody,
        runtime: Runtime,
        signals: PiecewisePolynomial,
        parameters: Floats,
    ) -> None:
        keeper = self._keeper = Keeper(system, runtime, signals)
        self.control = ControlStructure(
            **{name: getattr(control_of(scheme), name) for name, *_ in ControlStructure._fields_}
        )
        self.problem = ProblemStructure(
            parameters=keeper.doubles(parameters), controls=ctypes.pointer(signal_structure(keeper, signals))
        )
        if isinstance(system, NativeBody):
            self.size = system.states
            self.problem.body = ctypes.pointer(system.structure)
        else:
            self.size = system.input_sizes[0]
            body, integers = system.integers() if isinstance(system, NativeBodyKernel) else (None, None)
            keeper.keep(body)
            self.problem.kernel = ctypes.pointer(keeper.kernel(system, integers))
        self.problem.n = self.size
        # Other schemes do not compute rates at the end of a step, see present() in rosenbrock.c.
        self.has_rates = isinstance(scheme, schemes.Rosenbrock) and scheme.order == 1
        self._last_state = np.zeros(self.size)
        self.memory = MemoryStructure(state=pointer(self._last_state))
        self.tableau: LinearTableauStructure | TableauStructure
        if isinstance(scheme, schemes.Rosenbrock):
            linear = linear_tableau_of(scheme)
            stages, self.tableau = linear.stages, linear_structure(keeper, linear)
        else:
            tableau = tableau_of(scheme)
            stages, self.tableau = tableau.stages, tableau_structure(keeper, tableau)
        self.entry, work = _entries(runtime, scheme)
        self._work = np.zeros(work(self.size, stages, signals.count) + 1)
        self.problem.work = pointer(self._work)

    @property
    def entry_address(self) -> int:
        """The address of the C function that marches."""
        return ctypes.cast(self.entry, ctypes.c_void_p).value or 0  # type: ignore[arg-type]

    def reset(self) -> None:
        """Forget the step size of the last advance."""
        self.memory.continuing = 0

    def rewind(self) -> None:
        """Set the clock to zero without forgetting step size and rates of the last advance."""
        self.memory.time = 0.0

    def saved(self) -> _Saved:
        """Return everything that the next advance takes over from this one."""
        memory = {name: getattr(self.memory, name) for name, kind in self.memory._fields_ if name != "state"}
        return _Saved(memory, self._work.copy(), self._last_state.copy())

    def restore(self, saved: _Saved) -> None:
        """Go back to a point that was saved."""
        memory, work, state = saved
        for name, value in memory.items():
            setattr(self.memory, name, value)
        self._work[:] = work
        self._last_state[:] = state

    def advance(self, time: float, state: ArrayLike, times: ArrayLike) -> Advance:
        """Return the states at the requested times; see :class:`~myodyne.numerics.stepping.march.March`."""
        start, last_state, requested = checked(time, state, times, self.size)
        states = np.empty((len(requested), self.size))
        course = CourseStructure(
            count=len(requested),
            last_time=start,
            times=pointer(requested),
            states=pointer(states),
            last_state=pointer(last_state),
        )
        rates = np.empty_like(states) if self.has_rates else None
        if rates is not None:
            course.rates = pointer(rates)
        # CDLL lets other threads run meanwhile; the caller keeps its requests short enough to stay responsive.
        self.entry(self.problem, self.tableau, self.control, self.memory, course)
        return Advance(
            states=states[: course.reached],
            steps=course.steps,
            rejected=course.rejected,
            evaluations=course.evaluations,
            iterations=course.iterations,
            failure=FAILURES[course.failure],
            last_time=course.last_time,
            last_state=last_state,
            offender=course.offender if course.offender >= 0 else None,
            rates=None if rates is None else rates[: course.reached],
        )


def signal_structure(keeper: Keeper, signals: PiecewisePolynomial) -> SignalStructure:
    stops = signals.discontinuities
    return SignalStructure(
        pieces=len(signals.breaks) - 1,
        degree=signals.degree,
        count=signals.count,
        n_stops=len(stops),
        breaks=keeper.doubles(signals.breaks),
        coefficients=keeper.doubles(signals.coefficients),
        stops=keeper.doubles(stops),
    )


def tableau_structure(keeper: Keeper, tableau: Tableau) -> TableauStructure:
    optional = [
        None if weights is None else keeper.doubles(weights) for weights in (tableau.error, tableau.coarse_error)
    ]
    return TableauStructure(
        tableau.stages,
        tableau.error_order,
        keeper.doubles(tableau.a),
        keeper.doubles(tableau.b),
        keeper.doubles(tableau.c),
        *optional,
    )


def linear_structure(keeper: Keeper, tableau: LinearTableau) -> LinearTableauStructure:
    arrays = {name: keeper.doubles(getattr(tableau, name)) for name in ("a", "c", "m", "alpha", "gammas")}
    if tableau.error is not None:
        arrays["error"] = keeper.doubles(tableau.error)
    return LinearTableauStructure(stages=tableau.stages, error_order=tableau.error_order, gamma=tableau.gamma, **arrays)


def _entries(runtime: Runtime, scheme: OneStep) -> tuple[Callable[..., None], Callable[..., int]]:
    """Return the C function that marches, and the one that returns the size of its work array."""
    name = library_of(scheme)
    assert name is not None
    library = getattr(runtime, name)
    march, work = getattr(library, f"march_{name}"), getattr(library, f"march_{name}_work")
    tableau = LinearTableauStructure if name == "linear" else TableauStructure
    kinds = (ProblemStructure, tableau, ControlStructure, MemoryStructure, CourseStructure)
    march.argtypes, march.restype = [POINTER(kind) for kind in kinds], None
    work.argtypes, work.restype = [c_int, c_int, c_int], c_int
    return march, work


def library_of(scheme: schemes.Scheme) -> Literal["explicit", "implicit", "linear"] | None:
    """Return the C library that marches by a scheme, None for schemes that march in Python."""
    match scheme:
        case schemes.Projected():
            return library_of(scheme.scheme)
        case schemes.Rosenbrock():
            return "linear"
        case schemes.Midpoint() | schemes.TRBDF2():
            return "implicit"
        case schemes.Euler() | schemes.Heun() | schemes.RK4() | schemes.RKF45() | schemes.DOP853():
            return "explicit"
    return None
