"""IPOPT, called through its C interface: the library that CasADi brings along.

The C interface hands out multipliers of bounds and rows, takes them back for a warm start, lets a watcher see each
iterate, and evaluates through plain arrays, none of which CasADi's own interface does without copies.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from ctypes import c_double
from dataclasses import dataclass, field, replace
from time import thread_time
from typing import ParamSpec

import numpy as np

from myodyne.errors import MyodyneError
from myodyne.interrupts import reacting
from myodyne.optimise.ipopt.library import (
    DoublePointer,
    GradientCall,
    HessianCall,
    IntegerPointer,
    JacobianCall,
    ObjectiveCall,
    RowsCall,
    WatchCall,
    doubles_at,
    integers_at,
    library,
    pointer_to,
)
from myodyne.optimise.settings import Option
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats

_Arguments = ParamSpec("_Arguments")

# IPOPT's return codes; others are faults of the call itself.
STATUS = {
    0: "solved",
    1: "solved to acceptable level",
    2: "infeasible problem detected",
    3: "search direction too small",
    4: "diverging iterates",
    5: "stopped by the user",
    6: "feasible point found",
    -1: "too many iterations",
    -2: "restoration failed",
    -3: "error in step computation",
    -4: "out of time",
    -5: "out of time",
    -10: "not enough degrees of freedom",
    -11: "invalid problem",
    -12: "invalid option",
    -13: "invalid number",
    -100: "unrecoverable exception",
    -101: "exception outside of IPOPT",
    -102: "out of memory",
    -199: "internal error",
}


@dataclass
class Moment:
    """What IPOPT reports about an iteration."""

    iteration: int
    objective: float
    infeasibility: float
    dual_infeasibility: float
    barrier: float
    restoring: bool


@dataclass
class Outcome:
    """How a run of IPOPT ended."""

    code: int
    iterate: Iterate
    objective: float
    iterations: int
    evaluations: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    remark: str = ""

    def after(self, before: Outcome) -> Outcome:
        """Return the outcome of two runs, the first of which led to the second."""
        evaluations = {
            name: self.evaluations.get(name, 0) + before.evaluations.get(name, 0)
            for name in (*self.evaluations, *before.evaluations)
        }
        seconds = {
            name: self.seconds.get(name, 0.0) + before.seconds.get(name, 0.0)
            for name in (*self.seconds, *before.seconds)
        }
        return replace(self, iterations=self.iterations + before.iterations, evaluations=evaluations, seconds=seconds)

    @property
    def status(self) -> str:
        return STATUS.get(self.code, f"code {self.code}") + self.remark

    @property
    def solved(self) -> bool:
        return self.code in (0, 1)

    @property
    def stopped(self) -> bool:
        """Whether it could have continued: it was stopped by the user or by the limit of iterations."""
        return self.code in (5, -1)

    @property
    def stuck(self) -> bool:
        """Whether it used up its iterations, or could not restore feasibility."""
        return self.code in (-1, -2)


class Ipopt:
    """One problem solved by IPOPT.

    Parameters
    ----------
    program : the problem.
    options : of IPOPT, by its names.
    scales : typical sizes of the unknowns and of the rows.
    watch : called after each iteration with IPOPT's report and a function that returns the iterate; the run stops
        when it returns False. What it raises, or an evaluation raises, stops the run too and is raised again.
    goals_only : whether second derivatives are those of the goals alone, without those of the constraints.
    """

    def __init__(
        self,
        program: Program,
        options: Mapping[str, Option],
        scales: tuple[Floats, Floats] | None = None,
        watch: Callable[[Moment, Callable[[], Iterate | None]], bool] | None = None,
        *,
        goals_only: bool = False,
    ) -> None:
        self._program, self._watch, self._scales, self._goals_only = program, watch, scales, goals_only
        self._options = dict(options)
        self._fault: BaseException | None = None
        self._iterations = 0
        self._clock: dict[str, float] = {}
        self._calls: dict[str, int] = {}
        self._handle: int | None = None

    def solve(self, start: Iterate) -> Outcome:
        """Return the outcome from an initial iterate."""
        ipopt, program = library(), self._program
        callbacks = self._callbacks()
        lower, upper = (np.clip(bound, -2e19, 2e19) for bound in program.bounds)
        low, high = (np.clip(bound, -2e19, 2e19) for bound in program.row_bounds)
        exact = self._options.get("hessian_approximation") != "limited-memory"
        curved = len(program.hessian_places[0]) if exact else 0
        handle = ipopt.CreateIpoptProblem(
            program.count,
            pointer_to(lower),
            pointer_to(upper),
            program.rows,
            pointer_to(low),
            pointer_to(high),
            len(program.jacobian_places[0]),
            curved,
            0,
            *callbacks[:5],
        )
        if not handle:
            raise MyodyneError("IPOPT rejected the problem: its bounds are inverted, or it has no unknowns")
        self._handle = handle
        try:
            self._set_options(ipopt, handle)
            ipopt.SetIntermediateCallback(handle, callbacks[5])
            end = Iterate(
                *(np.array(part, dtype=float) for part in (start.unknowns, start.lower, start.upper, start.rows))
            )
            objective = c_double()
            with reacting(self._stop):
                code = ipopt.IpoptSolve(
                    handle,
                    pointer_to(end.unknowns),
                    None,
                    ctypes.byref(objective),
                    pointer_to(end.rows),
                    pointer_to(end.lower),
                    pointer_to(end.upper),
                    None,
                )
        finally:
            self._handle = None
            ipopt.FreeIpoptProblem(handle)
        if self._fault is not None:
            raise self._fault
        return Outcome(code, end, objective.value, self._iterations, dict(self._calls), dict(self._clock))

    def _stop(self, interrupt: Callable[[], object]) -> None:
        """Keep what Ctrl-C raises for the end of the run: raised between C and Python it would be lost."""
        if self._fault is not None:
            interrupt()
        try:
            interrupt()
        except BaseException as error:
            self._fault = error

    def _set_options(self, ipopt: ctypes.CDLL, handle: int) -> None:
        options = self._options
        if self._scales is not None:
            sizes, heights = self._scales
            x, g = np.ascontiguousarray(1 / sizes), np.ascontiguousarray(1 / heights)
            ipopt.SetIpoptProblemScaling(handle, 1.0, pointer_to(x), pointer_to(g))
            options = {**options, "nlp_scaling_method": "user-scaling"}
        for name, value in options.items():
            if isinstance(value, str):
                taken = ipopt.AddIpoptStrOption(handle, name.encode(), value.encode())
            elif isinstance(value, int) and not isinstance(value, bool):
                taken = ipopt.AddIpoptIntOption(handle, name.encode(), value)
            else:
                taken = ipopt.AddIpoptNumOption(handle, name.encode(), float(value))
            if not taken:
                raise MyodyneError(f"IPOPT rejects the option {name} = {value!r}")

    def _callbacks(self) -> tuple[Callable[..., bool], ...]:
        program = self._program
        wide, tall = program.count, program.rows
        rows, columns = program.jacobian_places

        def objective(_n: int, x: DoublePointer, _new: bool, value: DoublePointer, _data: object) -> bool:
            value[0] = program.objective(doubles_at(x, wide))
            return bool(np.isfinite(value[0]))

        def gradient(_n: int, x: DoublePointer, _new: bool, values: DoublePointer, _data: object) -> bool:
            return _fill(doubles_at(values, wide), program.gradient(doubles_at(x, wide)))

        def constraints(_n: int, x: DoublePointer, _new: bool, _m: int, values: DoublePointer, _data: object) -> bool:
            return _fill(doubles_at(values, tall), program.constraints(doubles_at(x, wide)))

        def jacobian(
            _n: int,
            x: DoublePointer,
            _new: bool,
            _m: int,
            count: int,
            row: IntegerPointer,
            column: IntegerPointer,
            values: DoublePointer,
            _data: object,
        ) -> bool:
            if not values:
                integers_at(row, count)[:], integers_at(column, count)[:] = rows, columns
                return True
            return _fill(doubles_at(values, count), program.jacobian(doubles_at(x, wide)))

        def hessian(  # noqa: PLR0913, PLR0917 - the arguments of IPOPT's callback
            _n: int,
            x: DoublePointer,
            _new: bool,
            factor: float,
            _m: int,
            multipliers: DoublePointer,
            _new_multipliers: bool,
            count: int,
            row: IntegerPointer,
            column: IntegerPointer,
            values: DoublePointer,
            _data: object,
        ) -> bool:
            if not values:
                integers_at(row, count)[:], integers_at(column, count)[:] = program.hessian_places
                return True
            curving = np.zeros(tall) if self._goals_only else doubles_at(multipliers, tall)
            found = program.hessian(doubles_at(x, wide), factor, curving)
            return _fill(doubles_at(values, count), found)

        def watch(
            mode: int, iteration: int, value: float, primal: float, dual: float, barrier: float, *_: object
        ) -> bool:
            self._iterations = iteration
            if self._watch is None:
                return True
            moment = Moment(iteration, value, primal, dual, barrier, mode == 1)
            return self._watch(moment, self._current)

        return (
            ObjectiveCall(self._guarded("objective", objective)),
            RowsCall(self._guarded("rows", constraints)),
            GradientCall(self._guarded("gradient", gradient)),
            JacobianCall(self._guarded("jacobian", jacobian)),
            HessianCall(self._guarded("hessian", hessian)),
            WatchCall(self._guarded("watching", watch)),
        )

    def _guarded(self, what: str, call: Callable[_Arguments, bool]) -> Callable[_Arguments, bool]:
        """Return a callback that stores exceptions: they must not propagate through the C code that calls it."""

        def guarded(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> bool:
            if self._fault is not None:
                return False
            started = thread_time()
            try:
                return call(*arguments, **named)
            except BaseException as error:
                self._fault = error
                return False
            finally:
                self._clock[what] = self._clock.get(what, 0.0) + thread_time() - started
                self._calls[what] = self._calls.get(what, 0) + 1

        return guarded

    def _current(self) -> Iterate | None:
        """Return the present iterate, None where IPOPT has none."""
        wide, tall = self._program.count, self._program.rows
        x, low, high = np.zeros(wide), np.zeros(wide), np.zeros(wide)
        rows = np.zeros(tall)
        # The values of the constraints are left out: IPOPT would evaluate them once more.
        known = library().GetIpoptCurrentIterate(
            self._handle,
            False,
            wide,
            pointer_to(x),
            pointer_to(low),
            pointer_to(high),
            tall,
            None,
            pointer_to(rows),
        )
        return Iterate(x, low, high, rows) if known else None


def _fill(target: Floats, values: Floats) -> bool:
    """Write values to an array of IPOPT's; return whether all of them are finite."""
    target[:] = values
    return bool(np.isfinite(values).all())
