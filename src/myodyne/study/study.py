"""Study: many runs of one model, each with other numbers, as one table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from myodyne.data import Trajectory
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.model import Model
from myodyne.numerics.schemes import Scheme
from myodyne.optimise import Problem
from myodyne.simulate.signals import Control
from myodyne.simulate.starts import Start
from myodyne.simulate.switching.events import Event
from myodyne.study.controls import ControlFamily
from myodyne.study.engines.engine import Engine
from myodyne.study.engines.serial import Serial
from myodyne.study.identity import fingerprint
from myodyne.study.inputs import Inputs, inputs_of
from myodyne.study.measures import Measure, MeasureFunction, named_measures, reduced
from myodyne.study.neighbours import Neighbours
from myodyne.study.problems import DURATION, OBJECTIVE, path_of
from myodyne.study.ranges import Range, checked_ranges
from myodyne.study.running import run_study
from myodyne.study.sampling import Rows

if TYPE_CHECKING:
    import xarray

Vary: TypeAlias = Rows | Mapping[str, Range]


@dataclass(frozen=True, eq=False)
class Study:
    """Many runs of a model, each with other numbers; every run is a row of a table.

    Parameters
    ----------
    model
        The model.
    problem
        In the place of a model: a problem of optimal control, which is solved for each row. Names are those of numbers
        of its model, and ``duration`` (s). A row starts from the solution of its neighbour, in an order that the rows
        fix; measures are ``"objective"``, reduced outputs, or functions of the `Solution`.
    vary
        The rows, from `grid` or `sample`; for `search`, ranges by name. Names are those of numbers of the model, of
        initial states (``start:knee``), of handles of controls (``control:soleus.value.1``, ``control:soleus.time.0``),
        or of the numbers of `Onsets` and `SplineControls`.
    measure
        What is kept of each row. Without a duration, a function of the varied model. With one, names of outputs and how
        they become one number (``"com.position_y.max"``; min, max, mean, first, final, range, rms), or functions of the
        run. One, a list, or several by name. A function returns a number, or numbers by name.
    duration, start, controls, scheme, until, every
        As in `simulate`; controls may be `Onsets` or `SplineControls` too.

    A run that fails is a row without measures, and with the reason.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.Study(
    ...     my.load_model("pendulum"),
    ...     vary=my.grid({"start:angle": [0.1, 0.2], "gravity.y": [-9.81, -1.62]}),
    ...     measure="angle.min",
    ...     duration=3.0,
    ...     start={"angle.speed": 0.0},
    ... )
    >>> swing.run()["angle.min"].values.round(2)
    array([-0.1, -0.1, -0.2, -0.2])
    """

    # A study of a problem is one of its model, too.
    model: Model = field(default=None)  # type: ignore[assignment]
    vary: Vary = field(kw_only=True)
    measure: Measure = field(kw_only=True)
    duration: float | None = field(default=None, kw_only=True)
    start: Start | None = field(default=None, kw_only=True)
    controls: Mapping[str, Control] | ControlFamily | None = field(default=None, kw_only=True)
    scheme: Scheme | None = field(default=None, kw_only=True)
    until: Event | Sequence[Event] | None = field(default=None, kw_only=True)
    every: float | None = field(default=None, kw_only=True)
    problem: Problem | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.problem is not None:
            self._take_model()
        if not isinstance(self.model, Model):
            raise ModelError(f"a study is of a model, which my.load_model gives, not of {self.model!r:.60}")
        if not isinstance(self.vary, Rows):
            object.__setattr__(self, "vary", checked_ranges(self.vary))
        if self.duration is None:
            self._check_unused()
        if self.inputs.states and isinstance(self.start, Trajectory):
            raise ModelError("start: a run to start from has all states; give states by name to vary some of them")
        # Names are checked now, not in the first of ten thousand rows.
        for one in self.measures.values():
            if isinstance(one, str) and not (one == OBJECTIVE and self.problem is not None):
                reduced(one, self.outputs)
        twice = sorted(set(self.measures) & {*self.names, *_TAKEN})
        if twice:
            raise ModelError(f"measure '{twice[0]}': the table has a column of this name already; give it another one")

    def _take_model(self) -> None:
        """Set the model to that of the problem."""
        if not isinstance(self.problem, Problem):
            raise ModelError(f"a study solves a problem, which my.load_problem gives, not {self.problem!r:.60}")
        if self.model not in (None, self.problem.model):
            raise ModelError("give a model or a problem, not both: the problem has a model")
        if self.duration is not None:
            raise ModelError("the problem has its own duration; vary it as 'duration', or use problem.with_duration")
        object.__setattr__(self, "model", self.problem.model)

    def _check_unused(self) -> None:
        """Refuse what only a simulation uses."""
        for name in ("start", "controls", "scheme", "until", "every"):
            if getattr(self, name) is not None and self.problem is not None:
                raise ModelError(f"'{name}' is of simulations; a problem has its own")
            if getattr(self, name) is not None:
                raise ModelError(f"'{name}' has no use without a duration; add duration=... (s)")
        if self.problem is not None:
            return
        for one in self.measures.values():
            if isinstance(one, str):
                raise ModelError(f"measure '{one}': an output is of a simulation; add duration=... (s)")

    @cached_property
    def measures(self) -> dict[str, str | MeasureFunction]:
        """Measures by the names of their columns."""
        return named_measures(self.measure)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is varied."""
        return self.vary.names if isinstance(self.vary, Rows) else tuple(self.vary)

    @cached_property
    def inputs(self) -> Inputs:
        """What the varied names stand for."""
        states = None if self.duration is None else equations_of(self.model).motion
        names = self.names if self.problem is None else tuple(name for name in self.names if name != DURATION)
        return inputs_of(names, self.model, self.controls, states)

    @cached_property
    def path(self) -> Neighbours | None:
        """Which row starts from the solution of which, in a study of a problem."""
        return path_of(self)

    @property
    def families(self) -> tuple[int, ...] | None:
        """Rows that are computed by one process, because some start from others; None where each is by itself."""
        return None if self.path is None else self.path.families

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The names that measures can reduce: states, controls and outputs of the model."""
        equations = equations_of(self.model)
        return tuple(dict.fromkeys([*equations.marched, *equations.control_columns, *equations.outputs]))

    @property
    def subject_hash(self) -> str:
        """A fingerprint of the model."""
        return self.model.hash

    @property
    def fingerprint(self) -> str:
        """A fingerprint of all that the rows depend on."""
        return fingerprint(self)

    def run(
        self,
        engine: Engine | None = None,
        *,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: bool | None = None,
    ) -> xarray.Dataset:
        """Return the table of all rows.

        Parameters
        ----------
        engine
            Where rows are computed: `Serial` (in this process, the default), `Processes`, or `Dask`. The table does not
            depend on it.
        out
            A folder that keeps the table while it grows; `load_study` reads it.
        resume
            Whether rows that the folder holds already are kept, so that only the others are computed.
        progress
            Whether to show progress; None shows it in a terminal or a notebook.
        """
        return run_study(self, engine or Serial(), out, resume, progress)


# Columns of every table.
_TAKEN = ("row", "status", "reason", "seconds")
