"""IPOPT, called through its C interface: the library that CasADi brings along.

The C interface hands out multipliers of bounds and rows, takes them back for a warm start, lets a watcher see each
iterate, and evaluates through plain arrays, none of which CasADi's own interface does without copies.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from ctypes import CFUNCTYPE, POINTER, c_bool, c_char_p, c_double, c_int, c_void_p
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.errors import MyodyneError
from myodyne.optimise.transcription.program import Program

Floats = NDArray[np.float64]

_Doubles, _Integers = POINTER(c_double), POINTER(c_int)
_Objective = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, _Doubles, c_void_p)
_Gradient = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, _Doubles, c_void_p)
_Rows = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, c_int, _Doubles, c_void_p)
_Jacobian = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, c_int, c_int, _Integers, _Integers, _Doubles, c_void_p)
_Hessian = CFUNCTYPE(
    c_bool, c_int, _Doubles, c_bool, c_double, c_int, _Doubles, c_bool, c_int, _Integers, _Integers, _Doubles, c_void_p
)
_Watch = CFUNCTYPE(c_bool, c_int, c_int, *([c_double] * 8), c_int, c_void_p)

# What IPOPT's numbers mean; the rest are faults of the call itself.
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
class Iterate:
    """Unknowns with the multipliers of their bounds and of the rows: all that a warm start needs."""

    unknowns: Floats
    lower: Floats
    upper: Floats
    rows: Floats

    @staticmethod
    def at(unknowns: Floats, rows: int) -> Iterate:
        return Iterate(unknowns, np.zeros_like(unknowns), np.zeros_like(unknowns), np.zeros(rows))


@dataclass
class Moment:
    """What IPOPT tells of an iteration."""

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
        """Whether it could have gone on: somebody stopped it, or the number of iterations did."""
        return self.code in (5, -1)

    @property
    def stuck(self) -> bool:
        """Whether it used up its iterations, or found no way back to the rows."""
        return self.code in (-1, -2)


@cache
def library() -> Any:
    """Return IPOPT's library, with the types of what is called."""
    import casadi

    folder = Path(casadi.__file__).parent
    # CasADi's own plug-in loads what IPOPT needs, from where it lies.
    casadi.load_nlpsol("ipopt")
    names = ["libipopt.so.3", "libipopt.so", "libipopt.3.dylib", "libipopt.dylib", "libipopt-3.dll", "libipopt.dll"]
    found = next((folder / name for name in names if (folder / name).exists()), None)
    if found is None:
        raise MyodyneError(
            "CasADi was installed without IPOPT, which optimal control needs; install the wheel from "
            "PyPI: pip install --force-reinstall casadi"
        )
    loaded = ctypes.CDLL(str(found))
    # Sums of long vectors cost twice the time when OpenBLAS, on which IPOPT stands, shares them out among cores.
    if hasattr(loaded, "openblas_set_num_threads"):
        loaded.openblas_set_num_threads(1)
    loaded.CreateIpoptProblem.restype = c_void_p
    loaded.CreateIpoptProblem.argtypes = (
        c_int,
        _Doubles,
        _Doubles,
        c_int,
        _Doubles,
        _Doubles,
        c_int,
        c_int,
        c_int,
        _Objective,
        _Rows,
        _Gradient,
        _Jacobian,
        _Hessian,
    )
    loaded.FreeIpoptProblem.argtypes = (c_void_p,)
    loaded.FreeIpoptProblem.restype = None
    for name, kind in (("Str", c_char_p), ("Num", c_double), ("Int", c_int)):
        add = getattr(loaded, f"AddIpopt{name}Option")
        add.argtypes, add.restype = (c_void_p, c_char_p, kind), c_bool
    loaded.SetIpoptProblemScaling.argtypes = (c_void_p, c_double, _Doubles, _Doubles)
    loaded.SetIpoptProblemScaling.restype = c_bool
    loaded.SetIntermediateCallback.argtypes = (c_void_p, _Watch)
    loaded.SetIntermediateCallback.restype = c_bool
    loaded.IpoptSolve.argtypes = (c_void_p, _Doubles, _Doubles, _Doubles, _Doubles, _Doubles, _Doubles, c_void_p)
    loaded.IpoptSolve.restype = c_int
    loaded.GetIpoptCurrentIterate.argtypes = (
        c_void_p,
        c_bool,
        c_int,
        _Doubles,
        _Doubles,
        _Doubles,
        c_int,
        _Doubles,
        _Doubles,
    )
    loaded.GetIpoptCurrentIterate.restype = c_bool
    return loaded


class Ipopt:
    """One problem in IPOPT's hands.

    Parameters
    ----------
    program : the problem.
    options : of IPOPT, by its names.
    scales : typical sizes of the unknowns and of the rows.
    watch : called after each iteration with what IPOPT tells and a function that returns the iterate; the run stops
        when it returns False. What it raises, or an evaluation raises, stops the run too and is raised again.
    straight : whether rows count as straight: second derivatives are then those of the goals alone.
    """

    def __init__(
        self,
        program: Program,
        options: Mapping[str, Any],
        scales: tuple[Floats, Floats] | None = None,
        watch: Callable[[Moment, Callable[[], Iterate | None]], bool] | None = None,
        *,
        straight: bool = False,
    ) -> None:
        self._program, self._watch, self._scales, self._straight = program, watch, scales, straight
        self._options = dict(options)
        self._fault: BaseException | None = None
        self._iterations = 0
        self._clock: dict[str, float] = {}
        self._calls: dict[str, int] = {}
        self._handle: Any = None

    def solve(self, start: Iterate) -> Outcome:
        """Return where IPOPT comes from an iterate."""
        ipopt, program = library(), self._program
        callbacks = self._callbacks()
        lower, upper = (np.clip(bound, -2e19, 2e19) for bound in program.bounds)
        low, high = (np.clip(bound, -2e19, 2e19) for bound in program.row_bounds)
        exact = self._options.get("hessian_approximation") != "limited-memory"
        curved = len(program.hessian_places[0]) if exact else 0
        handle = ipopt.CreateIpoptProblem(
            program.count,
            _pointer(lower),
            _pointer(upper),
            program.rows,
            _pointer(low),
            _pointer(high),
            len(program.jacobian_places[0]),
            curved,
            0,
            *callbacks[:5],
        )
        if not handle:
            raise MyodyneError("IPOPT did not take the problem; its bounds are inverted, or it has no unknowns")
        self._handle = handle
        try:
            self._set_options(ipopt, handle)
            ipopt.SetIntermediateCallback(handle, callbacks[5])
            end = Iterate(
                *(np.array(part, dtype=float) for part in (start.unknowns, start.lower, start.upper, start.rows))
            )
            objective = c_double()
            code = ipopt.IpoptSolve(
                handle,
                _pointer(end.unknowns),
                None,
                ctypes.byref(objective),
                _pointer(end.rows),
                _pointer(end.lower),
                _pointer(end.upper),
                None,
            )
        finally:
            self._handle = None
            ipopt.FreeIpoptProblem(handle)
        if self._fault is not None:
            raise self._fault
        return Outcome(code, end, objective.value, self._iterations, dict(self._calls), dict(self._clock))

    def _set_options(self, ipopt: Any, handle: Any) -> None:
        options = self._options
        if self._scales is not None:
            sizes, heights = self._scales
            x, g = np.ascontiguousarray(1 / sizes), np.ascontiguousarray(1 / heights)
            ipopt.SetIpoptProblemScaling(handle, 1.0, _pointer(x), _pointer(g))
            options = {**options, "nlp_scaling_method": "user-scaling"}
        for name, value in options.items():
            if isinstance(value, str):
                taken = ipopt.AddIpoptStrOption(handle, name.encode(), value.encode())
            elif isinstance(value, int) and not isinstance(value, bool):
                taken = ipopt.AddIpoptIntOption(handle, name.encode(), value)
            else:
                taken = ipopt.AddIpoptNumOption(handle, name.encode(), float(value))
            if not taken:
                raise MyodyneError(f"IPOPT does not take the option {name} = {value!r}")

    def _callbacks(self) -> tuple[Any, ...]:
        program = self._program
        wide, tall = program.count, program.rows
        rows, columns = program.jacobian_places

        def objective(_n: int, x: Any, _new: bool, value: Any, _data: Any) -> bool:
            value[0] = program.objective(_array(x, wide))
            return bool(np.isfinite(value[0]))

        def gradient(_n: int, x: Any, _new: bool, values: Any, _data: Any) -> bool:
            return _filled(_array(values, wide), program.gradient(_array(x, wide)))

        def constraints(_n: int, x: Any, _new: bool, _m: int, values: Any, _data: Any) -> bool:
            return _filled(_array(values, tall), program.constraints(_array(x, wide)))

        def jacobian(
            _n: int, x: Any, _new: bool, _m: int, count: int, row: Any, column: Any, values: Any, _data: Any
        ) -> bool:
            if not values:
                _whole(row, count)[:], _whole(column, count)[:] = rows, columns
                return True
            return _filled(_array(values, count), program.jacobian(_array(x, wide)))

        def hessian(_n: int, x: Any, _new: bool, factor: float, _m: int, multipliers: Any, *rest: Any) -> bool:
            _, count, row, column, values, _ = rest
            if not values:
                _whole(row, count)[:], _whole(column, count)[:] = program.hessian_places
                return True
            curving = np.zeros(tall) if self._straight else _array(multipliers, tall)
            found = program.hessian(_array(x, wide), factor, curving)
            return _filled(_array(values, count), found)

        def watch(mode: int, iteration: int, value: float, primal: float, dual: float, barrier: float, *_: Any) -> bool:
            self._iterations = iteration
            if self._watch is None:
                return True
            moment = Moment(iteration, value, primal, dual, barrier, mode == 1)
            return self._watch(moment, self._current)

        return (
            _Objective(self._guarded("objective", objective)),
            _Rows(self._guarded("rows", constraints)),
            _Gradient(self._guarded("gradient", gradient)),
            _Jacobian(self._guarded("jacobian", jacobian)),
            _Hessian(self._guarded("hessian", hessian)),
            _Watch(self._guarded("watching", watch)),
        )

    def _guarded(self, what: str, call: Callable[..., bool]) -> Callable[..., bool]:
        """Return a callback that keeps what it raises: an exception must not pass through the C code above it."""
        from time import thread_time

        def guarded(*arguments: Any) -> bool:
            if self._fault is not None:
                return False
            started = thread_time()
            try:
                return call(*arguments)
            except BaseException as error:
                self._fault = error
                return False
            finally:
                self._clock[what] = self._clock.get(what, 0.0) + thread_time() - started
                self._calls[what] = self._calls.get(what, 0) + 1

        return guarded

    def _current(self) -> Iterate | None:
        """Return the present iterate, None where IPOPT has none to show."""
        wide, tall = self._program.count, self._program.rows
        x, low, high = np.zeros(wide), np.zeros(wide), np.zeros(wide)
        rows = np.zeros(tall)
        # The values of the rows are not asked for: IPOPT would have them evaluated once more.
        known = library().GetIpoptCurrentIterate(
            self._handle,
            False,
            wide,
            _pointer(x),
            _pointer(low),
            _pointer(high),
            tall,
            None,
            _pointer(rows),
        )
        return Iterate(x, low, high, rows) if known else None


def _pointer(array: Floats) -> Any:
    return array.ctypes.data_as(_Doubles)


def _array(pointer: Any, count: int) -> Floats:
    return np.ctypeslib.as_array(pointer, (count,)) if count else np.zeros(0)


def _whole(pointer: Any, count: int) -> Any:
    return np.ctypeslib.as_array(pointer, (count,)) if count else np.zeros(0, dtype=np.intc)


def _filled(target: Floats, values: Floats) -> bool:
    target[:] = values
    return bool(np.isfinite(values).all())
