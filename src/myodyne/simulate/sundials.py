"""Adams and backward differentiation formulas of variable order, by SUNDIALS through CasADi.

BDF works on the implicit residual with its exact Jacobian (IDAS), Adams on the explicit form (CVODES); so does BDF
where one coordinate moves everything. The rates of muscles have no explicit form; there Adams calls the function that
finds them. Controls are polynomials between their breaks; the solver starts anew at each break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from myodyne.equations import Equations
from myodyne.interrupts import reacting
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import BDF, Adams
from myodyne.numerics.stepping.march import Advance, Failure, checked
from myodyne.types import Booleans, Floats, Integers

if TYPE_CHECKING:
    from casadi import MX, SX, Function

_Symbol = TypeVar("_Symbol", "SX", "MX")


class SundialsMarch:
    """Carries a state through time with a multistep method of variable order."""

    def __init__(
        self, scheme: Adams | BDF, equations: Equations, signals: PiecewisePolynomial, parameters: Floats
    ) -> None:
        self._scheme = scheme
        self._equations = equations
        self._signals = signals
        self._parameters = parameters
        self._solvers: dict[int, Function] = {}
        self._function: Function | None = None
        # Rates and multipliers are found in this unit. Where muscles pull at light bones, rounding leaves fewer digits
        # of them than the tolerances ask for.
        self._unit = 1e4 if equations.muscles else 1.0
        # A mechanism of one coordinate has its acceleration in closed form: nothing is left to solve for.
        alone = len(equations.coordinates) == 1 and not equations.multipliers and not equations.muscles
        self._implicit = isinstance(scheme, BDF) and not alone

    def reset(self) -> None:
        """Do nothing: every advance starts anew."""

    def saved(self) -> None:
        """Return nothing: every advance starts anew."""

    def restore(self, saved: None) -> None:
        """Do nothing: every advance starts anew."""

    def rewind(self) -> None:
        """Do nothing: every advance starts anew."""

    def advance(self, time: float, state: Floats, times: Floats) -> Advance:
        """Return the states at ``times`` (s)."""
        time, state, times = checked(time, state, times, len(self._equations.marched))
        found: list[Floats] = []
        counts = np.zeros(4, dtype=int)
        for start, stops, wanted in self._stretches(time, times):
            states, count, failure = self._solve(start, state, stops)
            counts += count
            kept = states[: int(np.sum(wanted[: len(states)]))] if wanted.all() else states[wanted[: len(states)]]
            found.extend(kept)
            if failure is not None:
                if len(states):
                    start, state = stops[len(states) - 1], states[-1]
                return self._failed(start, state, stops[len(states)], found, (counts, failure))
            state = states[-1]
        return self._advance(found, counts, None, float(times[-1]), state)

    def _advance(
        self, found: list[Floats], counts: Integers, failure: Failure | None, last_time: float, last: Floats
    ) -> Advance:
        steps, rejected, evaluations, iterations = map(int, counts)
        states = np.array(found).reshape(len(found), len(self._equations.marched))
        offender = None
        if failure is not None:
            rates = np.abs(self._rate(last_time, last))
            offender = int(np.argmax(np.where(np.isfinite(rates), rates, np.inf)))
        return Advance(states, steps, rejected, evaluations, iterations, failure, last_time, last, offender)

    def _failed(
        self, start: float, state: Floats, stop: float, found: list[Floats], what: tuple[Integers, Failure]
    ) -> Advance:
        """Return the advance of a solver that gave up before ``stop``: close in on the last time it reaches."""
        counts, failure = what
        width = stop - start
        for _ in range(40):
            width /= 2
            states, count, trouble = self._solve(start, state, np.array([start + width]))
            counts = counts + count
            if trouble is None and np.all(np.abs(states[-1]) < 1e100):
                start, state = start + width, states[-1]
        return self._advance(found, counts, failure, start, state)

    def _stretches(self, time: float, times: Floats) -> Iterator[tuple[float, Floats, Booleans]]:
        """Yield start, evenly spaced stops, and which of them are wanted, between the breaks of the controls."""
        inner = self._signals.breaks
        inner = inner[(inner > time) & (inner < times[-1])] if self._signals.count else inner[:0]
        stops = np.union1d(times, inner)
        wanted = np.isin(stops, times)
        first = 0
        while first < len(stops):
            width = stops[first] - time
            last = first
            while (
                last + 1 < len(stops)
                and stops[last] not in inner
                and abs(stops[last + 1] - stops[last] - width) < 1e-9 * width
            ):
                last += 1
            yield time, stops[first : last + 1], wanted[first : last + 1]
            time, first = float(stops[last]), last + 1

    def _controls(self, start: float, stop: float) -> tuple[Floats, float]:
        """Return coefficients (degree + 1, n_u) and the time of ``start`` on their own clock."""
        signals = self._signals
        middle = (start + stop) / 2
        piece = int(np.searchsorted(signals.breaks, middle, side="right")) - 1
        if 0 <= piece < len(signals.breaks) - 1:
            return signals.coefficients[piece], start - float(signals.breaks[piece])
        flat = np.zeros_like(signals.coefficients[0])
        flat[0] = signals(middle)
        return flat, 0.0

    def _rate(self, time: float, state: Floats) -> Floats:
        rate: Floats = self._equations.kernel("marched").first(state, self._signals(time), self._parameters)
        return rate

    def _guess(self, time: float, state: Floats) -> Floats:
        """Return consistent rates of all but the coordinates, and multipliers, in the unit of the solver."""
        u, size = self._signals(time), len(self._equations.coordinates)
        rates, multipliers = self._equations.kernel("derivative")(state[:-1], u, self._parameters)
        return np.concatenate([rates[size:], multipliers]) / self._unit

    def _solve(self, start: float, state: Floats, stops: Floats) -> tuple[Floats, Integers, Failure | None]:
        """Return states at evenly spaced stops, counts, and why it failed if it did; then no states."""
        # The guess first: its errors name what is wrong, those of the solver do not.
        guess: Any = self._guess(start, state) if self._implicit else []
        solver = self._solver(len(stops))
        coefficients, clock = self._controls(start, float(stops[-1]))
        numbers = np.concatenate([[stops[-1] - start, clock], self._parameters, coefficients.ravel()])
        nothing = np.empty((0, len(state)))
        pressed: list[bool] = []

        def hear(interrupt: Callable[[], object]) -> None:
            # The solver takes what is raised for a failure of its own.
            pressed.append(True)
            interrupt()

        try:
            with reacting(hear):
                solved = solver(x0=state, z0=guess, p=numbers)
        except RuntimeError as error:
            if pressed:
                raise KeyboardInterrupt from None
            failure: Failure = "too many steps" if "TOO_MUCH_WORK" in str(error) else "step too small"
            return nothing, self._counts(solver), failure
        states = np.asarray(solved["xf"]).T
        if not np.all(np.isfinite(states)):
            return nothing, self._counts(solver), "not finite"
        return states, self._counts(solver), None

    @staticmethod
    def _counts(solver: Function) -> Integers:
        stats = solver.stats()
        return np.array([max(int(stats.get(key, 0)), 0) for key in ("nsteps", "netfails", "nfevals", "nniters")])

    def _solver(self, count: int) -> Function:
        """Return a solver over ``count`` even intervals of a stretch of any length."""
        if count not in self._solvers:
            import casadi as ca

            scheme = self._scheme
            options: dict[str, Any]
            if self._implicit:
                # Rates and multipliers follow from the states; holding them to the tolerance as well would stop the
                # solver where a force changes quickly.
                name, options = "idas", {"calc_ic": True, "suppress_algebraic": True}
                system = self._residual()
            else:
                family, iteration = ("bdf", "newton") if isinstance(scheme, BDF) else ("adams", "functional")
                name = "cvodes"
                options = {"linear_multistep_method": family, "nonlinear_solver_iteration": iteration}
                system = self._called() if self._equations.muscles else self._explicit()
            options |= {
                "reltol": scheme.relative,
                "abstol": scheme.absolute,
                "max_num_steps": scheme.most_steps,
                "show_eval_warnings": False,
            }
            # Closed loops repeat themselves in the expressions, and the solver would compute them again and again.
            written = [key for key in ("ode", "alg") if key in system]
            system |= dict(zip(written, ca.cse([system[key] for key in written]), strict=True))
            grid = [float(k + 1) / count for k in range(count)]
            self._solvers[count] = ca.integrator("solver", name, system, 0.0, grid, options)
        return self._solvers[count]

    def _residual(self) -> dict[str, Any]:
        """Return the residual for a solver: its unknowns are the rates of all but the coordinates, and multipliers."""
        import casadi as ca

        assembly = self._equations.assembly()
        clock, span, numbers, controls = self._stretch(ca.SX, assembly.p)
        rates = ca.vertcat(assembly.vdot, assembly.sdot, assembly.adot)
        rows = ca.vertcat(assembly.balance, assembly.contraction, assembly.activation, assembly.kept)
        found = ca.vertcat(rates, assembly.multipliers)
        unknown = ca.SX.sym("unknown", found.numel())
        ode, alg = ca.substitute(
            [ca.vertcat(assembly.v, rates, assembly.supplied), rows],
            [assembly.u, found],
            [controls, self._unit * unknown],
        )
        return {
            "t": clock,
            "x": ca.vertcat(assembly.motion, ca.SX.sym("work")),
            "p": numbers,
            "z": unknown,
            "ode": span * ode,
            "alg": alg,
        }

    def _explicit(self) -> dict[str, Any]:
        """Return the rates for a solver, as expressions."""
        import casadi as ca

        from myodyne.equations.definitions import define

        assembly = self._equations.assembly()
        clock, span, numbers, controls = self._stretch(ca.SX, assembly.p)
        definition = define(assembly, "marched")
        rates = ca.substitute(definition.outputs["xdot"], assembly.u, controls)
        return {"t": clock, "x": definition.inputs["x"], "p": numbers, "ode": span * rates}

    def _called(self) -> dict[str, Any]:
        """Return the rates for a solver, as calls of the function that finds them."""
        import casadi as ca

        from myodyne.simulate.callback import rates_function

        x, p = ca.MX.sym("x", len(self._equations.marched)), ca.MX.sym("p", len(self._parameters))
        clock, span, numbers, controls = self._stretch(ca.MX, p)
        # CasADi does not own the function; without a name of ours it would be gone when it is called.
        self._function = rates_function(self._equations.kernel("marched"))
        return {"t": clock, "x": x, "p": numbers, "ode": span * self._function(x, controls, p)}

    def _stretch(self, kind: type[_Symbol], p: _Symbol) -> tuple[_Symbol, _Symbol, _Symbol, _Symbol]:
        """Return symbols of the clock (0 to 1), the span and all numbers of a stretch, and the controls on it."""
        import casadi as ca

        signals = self._signals
        clock, span, begin = kind.sym("clock"), kind.sym("span"), kind.sym("begin")
        coefficients = kind.sym("coefficients", signals.coefficients.shape[1] * signals.count)
        table = ca.reshape(coefficients, signals.count, signals.coefficients.shape[1])
        since = begin + span * clock
        controls = kind(signals.count, 1)
        for exponent in reversed(range(signals.coefficients.shape[1])):
            controls = controls * since + table[:, exponent]
        return clock, span, ca.vertcat(span, begin, p, coefficients), controls
