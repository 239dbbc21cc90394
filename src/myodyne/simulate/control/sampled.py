"""Controllers in plain Python: sampled at even times, their controls held in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from myodyne.equations import Equations
from myodyne.errors import ModelError, unknown_name
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.types import Floats

# What a result says that was made with a controller in Python.
NOT_SAVED = "made with a controller in Python, which is not saved: it cannot be replayed from a file"
# A control whose swings grow in so many stretches diverges, if they do so by a factor altogether: a small one over long
# stretches (samples), or a huge one over short ones, before the simulation fails.
_STRETCHES, _GROWTHS = 4, ((40, 20.0), (8, 1e6))


@dataclass(frozen=True)
class Sampled:
    """A controller in plain Python, called at regular intervals; in between its controls are held.

    Parameters
    ----------
    function
        ``function(at)`` returns controls by name; ``at["knee"]`` is the value of a state or output, ``at.time`` the
        time (s). Controls that it leaves out keep their value.
    period
        Time (s) between two calls.
    delay
        Time (s) after which controls take effect; before the first does, they are zero.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})
    >>> damper = my.Sampled(lambda at: {"motor": -at["angle.speed"]}, period=0.01)
    >>> run = my.simulate(rod, 0.5, start={"angle": 0.5}, feedback=damper)
    >>> len(set(run.values("motor.control").tolist())) <= 51
    True
    """

    function: Callable[[Reading], Mapping[str, float]]
    period: float
    delay: float = 0.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"my.Sampled takes a function of named quantities, not {self.function!r:.60}")
        for name, least in (("period", 1e-9), ("delay", 0.0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not least <= float(value) < np.inf:
                raise ModelError(f"the {name} of a sampled controller must be a time in seconds, not {value!r:.60}")


class Reading:
    """The present state, as a sampled controller sees it: ``at["knee"]`` is a number, ``at.time`` the time (s)."""

    def __init__(self, equations: Equations, time: float, state: Floats, signals: PiecewisePolynomial) -> None:
        self.time = time
        self._equations, self._state, self._signals = equations, state, signals
        self._outputs: Floats | None = None

    def __getitem__(self, name: str) -> float:
        equations = self._equations
        if name in equations.motion:
            return float(self._state[equations.motion.index(name)])
        if name not in equations.outputs:
            raise ModelError(
                "the controller reads " + unknown_name("state or output", name, [*equations.motion, *equations.outputs])
            )
        if self._outputs is None:
            motion = self._state[None, : len(equations.motion)]
            # What was in force before this sample: its own controls do not act yet.
            held = PiecewisePolynomial.constant(self._signals.limit(self.time, left=self.time > 0.0))
            self._outputs = equations.outputs_at(np.array([self.time]), motion, held)[0]
        return float(self._outputs[equations.outputs.index(name)])


@dataclass
class Sampling:
    """A sampled controller at work: when it is called, what it gave so far, and the signals that hold that."""

    controller: Sampled
    begin: float
    end: float
    given: tuple[str, ...]
    history: list[tuple[float, float, dict[str, float]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        period, delay = float(self.controller.period), float(self.controller.delay)
        first, last = np.ceil(self.begin / period - 1e-9), np.ceil(self.end / period - 1e-9)
        calls = np.arange(first, last) * period
        # The call at the very start: the start itself, whatever the rounding of its multiple.
        self._calls = np.maximum(calls, self.begin)
        self._acts = self._calls + delay
        inside = np.concatenate([self._calls, self._acts])
        self.instants = np.unique(inside[(inside > self.begin) & (inside < self.end)])
        self._next = 0

    def following(self, time: float) -> float:
        """Return the time (s) of the next call or change after another, infinite if there is none."""
        number = int(np.searchsorted(self.instants, time, side="right"))
        return float(self.instants[number]) if number < len(self.instants) else np.inf

    def opened(self, signals: PiecewisePolynomial) -> PiecewisePolynomial:
        """Return signals that change whenever the controller's controls may, and that it can write to."""
        breaks = np.unique(np.concatenate([[self.begin], self._acts, [max(self.end, self.begin + 1e-9)]]))
        grid = PiecewisePolynomial(breaks, np.zeros((len(breaks) - 1, 1, 1)))
        whole = PiecewisePolynomial.merged([signals, grid])
        found = PiecewisePolynomial(whole.breaks, whole.coefficients[:, :, :-1])
        # A march reads this array in every step; nobody else writes to it.
        found.coefficients.setflags(write=True)
        return found

    def fill(self, signals: PiecewisePolynomial, names: tuple[str, ...]) -> None:
        """Write all that was given so far into new signals."""
        for _, acting, values in self.history:
            self._write(signals, names, acting, values)

    def call(self, reading: Reading, signals: PiecewisePolynomial, controls: tuple[str, ...]) -> str | None:
        """Call the controller if it is time; return what is wrong with its answer, None if nothing is."""
        if self._next == len(self._calls) or reading.time < self._calls[self._next]:
            return None
        acting = float(self._acts[self._next])
        self._next += 1
        answer = self.controller.function(reading)
        when = f"the controller, called at {reading.time:.6g} s,"
        if not isinstance(answer, Mapping):
            raise ModelError(f"{when} must return controls by name, not {answer!r:.60}")
        values: dict[str, float] = {}
        for name, value in answer.items():
            if name not in controls:
                raise ModelError(f"{when} gives {unknown_name('control', name, controls)}")
            if name in self.given:
                raise ModelError(f"control '{name}' has both a controller and a signal; leave one of them out")
            if isinstance(value, bool) or not isinstance(value, Real | np.ndarray) or np.size(value) != 1:
                raise ModelError(f"{when} must return a number for '{name}', not {value!r:.60}")
            values[name] = float(np.asarray(value).reshape(()))
            if not np.isfinite(values[name]):
                return f"{when} gave {values[name]} for control '{name}'.{self.divergence()}"
        self.history.append((reading.time, acting, values))
        self._write(signals, controls, acting, values)
        return None

    @staticmethod
    def _write(signals: PiecewisePolynomial, names: tuple[str, ...], acting: float, values: dict[str, float]) -> None:
        first = int(np.searchsorted(signals.breaks, acting - 1e-12 * max(1.0, abs(acting))))
        for name, value in values.items():
            if name in names:
                signals.coefficients[first:, 0, names.index(name)] = value

    def divergence(self) -> str:
        """Return which control swings wider and wider, empty if none does."""
        for name in dict.fromkeys(name for _, _, values in self.history for name in values):
            rows = [(time, values[name]) for time, _, values in self.history if name in values]
            for stretch, growth in _GROWTHS:
                found = _growing_swings(rows, stretch, growth)
                if found:
                    return (
                        f" The controller diverges: the swings of '{name}' grew from {found}. Use a shorter period or "
                        f"delay, smaller gains, more damping, or my.Feedback, which is continuous"
                    )
        return ""


def _growing_swings(rows: list[tuple[float, float]], stretch: int, growth: float) -> str:
    """Return from what and when to what and when the swings of a control grow, empty if they do not."""
    stretches = [rows[k : k + stretch] for k in range(0, len(rows) - stretch + 1, stretch)]
    swings = np.array([np.ptp([value for _, value in part]) / 2 for part in stretches])
    for last in range(_STRETCHES, len(swings)):
        first = last
        while first > 0 and swings[first - 1] < swings[first]:
            first -= 1
        if last - first >= _STRETCHES and swings[last] > growth * swings[first] > 0.0:
            began, ended = stretches[first][0][0], stretches[-1][-1][0]
            return f"{swings[first]:.3g} at {began:.4g} s to {swings[-1]:.3g} at {ended:.4g} s"
    return ""
