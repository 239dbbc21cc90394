"""linearise_along: eigenvalues along a movement, how stiff they are, and which scheme they suggest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from myodyne.analyse.linearise import linearise
from myodyne.data import DataError, Result
from myodyne.equations import Equations, equations_of
from myodyne.errors import SolveError
from myodyne.model import Model
from myodyne.numerics.schemes import DOP853, Midpoint, OneScheme, Rosenbrock
from myodyne.progress import task
from myodyne.types import Floats

# Rates closer to zero than this share of the fastest are those of conserved quantities and rounding.
_NOTHING = 1e-8
# A decay this many times faster than anything that is looked at sets the steps of DOP853, which is stable up to a decay
# of six a step; accuracy alone would allow steps of about half a radian of the fastest oscillation.
_STIFF = 10.0
# Fewer than so many periods of an undamped oscillation need no scheme that keeps energy for ever.
_MANY_PERIODS = 100.0


@dataclass(frozen=True, eq=False)
class EigenvaluesAlong:
    """Eigenvalues (1/s) of small motions at instants of a movement; it prints as a table.

    Real parts are rates of growth or decay, imaginary parts frequencies (rad/s).

    Parameters
    ----------
    time
        The instants (s).
    eigenvalues
        A row for each instant, sorted as `Linearisation.eigenvalues` sorts them.
    duration
        Of the movement (s).

    Examples
    --------
    >>> import myodyne as my
    >>> along = my.linearise_along(my.simulate(my.load_model("pendulum"), 1.0, start={"angle": 0.5}, every=0.5))
    >>> type(along).__name__, along.eigenvalues.shape
    ('EigenvaluesAlong', (3, 2))
    """

    time: Floats
    eigenvalues: NDArray[np.complex128]
    duration: float

    @cached_property
    def growth(self) -> Floats:
        """The fastest growth (1/s) at each instant, zero where nothing grows."""
        grown: Floats = np.maximum(self.eigenvalues.real, 0.0).max(axis=1, initial=0.0)
        return grown

    @cached_property
    def decay(self) -> Floats:
        """The fastest decay (1/s) at each instant, zero where nothing decays."""
        fallen: Floats = np.maximum(-self.eigenvalues.real, 0.0).max(axis=1, initial=0.0)
        return fallen

    @cached_property
    def oscillation(self) -> Floats:
        """The fastest oscillation (rad/s) at each instant."""
        turned: Floats = np.abs(self.eigenvalues.imag).max(axis=1, initial=0.0)
        return turned

    @cached_property
    def stiffness_ratio(self) -> Floats:
        """The largest over the smallest size of eigenvalues at each instant, those at zero left out."""
        sizes = np.abs(self.eigenvalues)
        most = sizes.max(axis=1, initial=0.0)
        counted = np.where(sizes > _NOTHING * np.maximum(most, 1.0)[:, None], sizes, np.inf)
        least = counted.min(axis=1, initial=np.inf)
        ratio: Floats = np.where(np.isfinite(least), most / least, 1.0)
        return ratio

    @property
    def excess(self) -> float:
        """By how much the fastest decay exceeds every growth, every oscillation and the duration's own rate."""
        looked_at = max(self.growth.max(), self.oscillation.max(), 1.0 / self.duration)
        return float(self.decay.max() / looked_at)

    @property
    def scheme(self) -> OneScheme:
        """The scheme that these eigenvalues suggest; ``reason`` says why."""
        return self._suggested[0]

    @property
    def reason(self) -> str:
        """Why that scheme."""
        return self._suggested[1]

    @cached_property
    def _suggested(self) -> tuple[OneScheme, str]:
        if self.excess > _STIFF:
            return Rosenbrock(), (
                f"stiff: a mode decays {self.excess:.3g} times faster than the movement changes, and an L-stable "
                f"scheme need not resolve it"
            )
        fastest = float(self.oscillation.max())
        periods = fastest * self.duration / (2.0 * np.pi)
        damped = max(float(self.decay.max()), float(self.growth.max())) > 1e-3 * fastest
        if periods > _MANY_PERIODS and not damped:
            return Midpoint(step=float(f"{0.1 / fastest:.1g}")), (
                f"undamped over {periods:.3g} periods: the midpoint rule neither damps nor excites"
            )
        return DOP853(), "not stiff: accuracy, not stability, sets the steps of an explicit scheme of high order"

    def __str__(self) -> str:
        rows = [f"{'time (s)':>9} {'growth':>9} {'decay':>9} {'frequency':>10} {'stiffness':>10}   (1/s, rad/s)"]
        shown = np.unique(np.linspace(0, len(self.time) - 1, min(len(self.time), 12)).astype(int))
        rows += [
            f"{self.time[n]:>9.3f} {self.growth[n]:>9.3g} {self.decay[n]:>9.3g} {self.oscillation[n]:>10.3g} "
            f"{self.stiffness_ratio[n]:>10.3g}"
            for n in shown
        ]
        return "\n".join([*rows, f"suggested: my.{self.scheme!r}, {self.reason}"])


def linearise_along(run: Result, model: Model | Equations | None = None, *, every: int = 1) -> EigenvaluesAlong:
    """Return the eigenvalues of small motions about the states of a run, under the controls of the run.

    Parameters
    ----------
    run
        A simulation, a reproduction's run, or an optimum: it holds all states, and the controls by name.
    model
        The model or its equations, where it should be another than the run's own.
    every
        Every how many rows of the run.

    Examples
    --------
    >>> import myodyne as my
    >>> run = my.simulate(my.load_model("pendulum"), 1.0, start={"angle": 0.5}, every=0.1)
    >>> along = my.linearise_along(run)
    >>> round(float(along.oscillation[0]), 3), along.scheme.order     # rad/s at 0.5 rad
    (3.594, 8)
    """
    if not isinstance(run, Result):
        raise DataError(f"the run to linearise along must be a Result (from my.simulate), not {run!r:.60}")
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise DataError(f"every must be a whole number of rows, at least 1, not {every!r:.40}")
    equations = model if isinstance(model, Equations) else equations_of(_model_of(run) if model is None else model)
    rows = _rows(run, equations)[::every]
    size = len(equations.motion)
    found = []
    with task(f"Linearising '{equations.model.name}'", total=len(rows), unit="states") as linearising:
        for number, (time, row) in enumerate(zip(run.time[::every], rows, strict=True)):
            state = dict(zip(equations.motion, map(float, row[:size]), strict=True))
            controls = dict(zip(equations.controls, map(float, row[size:]), strict=True))
            try:
                found.append(linearise(equations, state, controls).eigenvalues)
            except SolveError as error:
                raise SolveError(f"at {time:g} s: {error}") from None
            linearising.update(number + 1)
    return EigenvaluesAlong(np.array(run.time[::every]), np.array(found), run.duration or 1.0)


def _model_of(run: Result) -> Model:
    data = run.model_data
    if data is None:
        raise DataError("the run does not contain its model; give it: linearise_along(run, model)")
    return Model.model_validate(data)


def _rows(run: Result, equations: Equations) -> Floats:
    """Return states and controls, a row for each time."""
    wanted = (*equations.motion, *equations.control_columns)
    missing = [name for name in wanted if name not in run]
    if missing:
        raise DataError(f"the run does not contain '{missing[0]}', which '{equations.model.name}' needs")
    rows = np.column_stack([run.values(name) for name in wanted])
    if not np.isfinite(rows).all():
        number = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise DataError(f"the run is not finite at {run.time[number]:g} s")
    return rows
