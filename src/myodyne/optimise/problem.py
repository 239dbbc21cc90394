"""A problem of optimal control: a model, a duration, goals and conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, field_serializer, field_validator, model_validator

from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model, Part
from myodyne.model.part import Name, Number, Positive, said
from myodyne.notebook import Table, counted, first_of, html_of
from myodyne.numerics.collocation import Transcription
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise import changes, conditions as given, goals as aims
from myodyne.optimise.recorded.recorded_forces import ControlLaw, RecordedForces
from myodyne.optimise.recorded.tracking import Recorded, Track
from myodyne.optimise.schemes import plain_scheme, scheme_from_plain
from myodyne.optimise.screening import Screening
from myodyne.optimise.settings import Settings

AnyGoal = Annotated[
    aims.Effort
    | aims.MetabolicCost
    | aims.JointLoad
    | aims.PassiveLoad
    | aims.Smoothness
    | aims.Squared
    | aims.MeanValue
    | aims.ContactForceRate
    | aims.FootClearance
    | aims.FinalTime
    | aims.MeanSpeed
    | aims.FinalValue
    | aims.FlightHeight
    | aims.Custom
    | Track,
    Field(discriminator="kind"),
]
AnyCondition = Annotated[
    given.Bounds
    | given.Start
    | given.End
    | given.Waypoint
    | given.Periodic
    | given.AverageSpeed
    | given.Equal
    | given.SteadyActivation
    | given.OnConstraints
    | given.SteadyFibres
    | given.CustomCondition,
    Field(discriminator="kind"),
]


class Problem(Part):
    """A model, the duration of its movement, goals and conditions.

    Parameters
    ----------
    model
        The model that moves.
    duration
        Seconds, or the range in which it is optimised.
    goals
        Terms of the objective, which is their sum.
    conditions
        Constraints on the movement.
    parameters
        Numbers of the model that are optimised together with the movement, with their ranges:
        ``{"ankle_spring.stiffness": (0.0, 2000.0)}``.
    start
        The time (s) at which the movement begins, for data that begin elsewhere.
    motion
        A motion that is given: all coordinates over time (s, counted like ``start``; rad, m). The unknowns
        are then the excitations and controls that produce it; speeds and accelerations are its derivatives, or
        columns of its own.
    external_forces
        Recorded forces on bodies, from `load_external_forces`; their times count like ``start``.
    feedback
        A control law; the controls that it gives are not unknown. ``parameters`` may name its gains.
    scheme, nodes
        Default scheme and number of nodes of `solve`.
    guess
        Default guess of `solve`: a movement near the expected solution.
    starts
        Further guesses, if the problem has many minima: `solve` starts from each of them too, and returns the best.
    screening
        How these are compared: on a coarse mesh first, the best few then on the problem's own. None solves all exactly.
    accuracy
        The largest relative error of an interval, to which `solve` refines the mesh at the end.
    settings
        Default settings of `solve` and `refine`; None for those of any problem.
    continuation
        Easier problems that are solved first, each from the solution of the previous one: weights of goals and
        numbers of the model that differ, by name, such as softer contacts.
    choices
        What was chosen where the problem was made for a model, in words: `walking` fills it.

    Examples
    --------
    A mass of 2 kg that a force of at most 50 N takes 1 m from rest to rest:

    >>> import myodyne as my
    >>> mass = my.Model(
    ...     name="mass",
    ...     bodies={"block": my.Body(mass=2.0)},
    ...     joints={"rail": my.slider("ground", "block", "way", axis="x")},
    ...     forces={"push": my.CoordinateActuator(coordinate="way", gain=50.0, control_range=(-1.0, 1.0))},
    ... )
    >>> fast = my.Problem(
    ...     mass, duration=(0.1, 2.0), goals=[my.FinalTime()],
    ...     conditions=[my.Start({"way": 0.0, "way.speed": 0.0}), my.End({"way": 1.0, "way.speed": 0.0})],
    ... )
    >>> fast.goals[0].name
    'final_time'
    """

    name: Name = "problem"
    source: str = ""
    model: Model
    duration: Positive | tuple[Positive, Positive] = 1.0
    goals: tuple[AnyGoal, ...] = ()
    conditions: tuple[AnyCondition, ...] = ()
    parameters: dict[Name, tuple[Number, Number]] = Field(default_factory=dict)
    start: Number = 0.0
    motion: Recorded | None = None
    external_forces: RecordedForces | None = None
    feedback: ControlLaw | None = None
    scheme: Any = Midpoint()
    nodes: int = Field(default=50, ge=2, le=100_000, strict=True)
    guess: Recorded | None = None
    starts: tuple[Recorded, ...] = ()
    screening: Screening | None = None
    accuracy: Positive | None = None
    settings: Settings | None = None
    continuation: tuple[dict[Name, Number], ...] = ()
    choices: dict[str, str] = Field(default_factory=dict)

    def __init__(self, model: Model | None = None, **values: object) -> None:
        Part.__init__(self, model=model, **values)

    @field_validator("scheme", mode="before")
    @classmethod
    def _known_scheme(cls, value: object) -> Transcription:
        return scheme_from_plain(value)

    @field_validator("goals", "conditions", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        if isinstance(value, Part):
            raise ValueError(f"a list is expected, even of one: [{type(value).__name__}(...)]")
        return value

    @field_serializer("scheme")
    def _plain_scheme(self, scheme: Transcription) -> dict[str, Any]:
        return plain_scheme(scheme)

    @model_validator(mode="after")
    def _check_consistency(self) -> Problem:
        if isinstance(self.duration, tuple) and not self.duration[0] <= self.duration[1]:
            raise ValueError(f"duration: the range [{self.duration[0]:g}, {self.duration[1]:g}] is inverted")
        for name, (low, high) in self.parameters.items():
            if not low <= high:
                raise ValueError(f"parameters: the range [{low:g}, {high:g}] of '{name}' is inverted")
        if self.motion is not None and isinstance(self.duration, tuple):
            raise ValueError("duration: where the motion is given, its duration is too; give one number")
        if self.feedback is not None and self.motion is not None:
            raise ValueError("feedback: where the motion is given, the controls follow from it; leave the feedback out")
        labels = [goal.name for goal in self.goals]
        twice = next((name for place, name in enumerate(labels) if name in labels[:place]), None)
        if twice is not None:
            raise ValueError(f"goals: two are called '{twice}'; give one of them a label")
        for step in self.continuation:
            if any(name in labels and weight < 0 for name, weight in step.items()):
                raise ValueError("continuation: weights of goals must not be negative")
        if isinstance(self.duration, tuple) and self.duration[0] < self.duration[1]:
            for goal in self.goals:
                if isinstance(goal, Track) and not goal.stretched:
                    raise ValueError(
                        f"goals: '{goal.name}' follows data in seconds, but the duration is free; "
                        "set stretched=True, which lets the data last as long as the movement"
                    )
        return self

    def __repr__(self) -> str:
        parts = f"{counted(len(self.goals), 'goal')}, {counted(len(self.conditions), 'condition')}"
        return f"<Problem '{self.name}': model '{self.model.name}', {self._lasts}, {parts}>"

    # Printing the model and the guess in full would take thousands of lines.
    __str__ = __repr__

    @property
    def _lasts(self) -> str:
        return f"{self.duration:g} s" if isinstance(self.duration, float) else "{:g} to {:g} s".format(*self.duration)

    def _repr_html_(self) -> str:
        source = [first_of([self.source], 300)] if self.source else []
        return html_of(f"Problem {self.name}", source, [_facts(self), *_terms(self)])

    @property
    def free_model(self) -> Model:
        """The model with the optimised numbers and the continuation parameters free."""
        goals = {goal.name for goal in self.goals}
        further = (name for step in self.continuation for name in step if name not in goals)
        known = (*self.model.free_values, *self._gains)
        names = [name for name in dict.fromkeys((*self.parameters, *further)) if name not in known]
        return self.model.free(*names) if names else self.model

    @property
    def _gains(self) -> tuple[str, ...]:
        return () if self.feedback is None else tuple(self.feedback.gains)

    @property
    def free_names(self) -> tuple[str, ...]:
        """Names of the numbers that are free in the equations: those of the model, then gains of the feedback."""
        return (*self.free_model.free_values, *self._gains)

    def free_number(self, name: str) -> float:
        """Return the value of one of the free numbers: its start where it is optimised."""
        gains = {} if self.feedback is None else self.feedback.gains
        return float(gains[name] if name in gains else self.model.value(name))

    def with_weights(self, **weights: float) -> Problem:
        """Return the problem with other weights of goals, by their names.

        Examples
        --------
        >>> import myodyne as my
        >>> problem = my.Problem(my.load_model("pendulum"), goals=[my.FinalTime()], duration=(0.1, 1.0))
        >>> problem.with_weights(final_time=3.0).goals[0].weight
        3.0
        """
        names = [goal.name for goal in self.goals]
        for name, weight in weights.items():
            if name not in names:
                raise ModelError(unknown_name("goal", name, names))
            if isinstance(weight, str) or not 0 <= weight < float("inf"):
                raise ModelError(f"the weight of '{name}' must be a number, at least 0, not {weight!r:.60}")
        changed = tuple(
            goal.model_copy(update={"weight": float(weights.get(goal.name, goal.weight))}) for goal in self.goals
        )
        return self.model_copy(update={"goals": changed})

    def with_values(self, values: Mapping[str, Any]) -> Problem:
        """Return the problem with other numbers of its model, by their names.

        Examples
        --------
        >>> import myodyne as my
        >>> weaker = my.load_problem("gait2d_predictive").with_values({"right_soleus.max_force": 2000.0})
        >>> weaker.model.muscles["right_soleus"].max_force
        2000.0
        """
        return changes.with_values(self, values)

    def with_model(self, model: Model) -> Problem:
        """Return the problem with another model, which has the coordinates that its conditions name.

        Examples
        --------
        >>> import myodyne as my
        >>> heavy = my.load_model("pendulum").with_values({"rod.mass": 3.0})
        >>> my.Problem(my.load_model("pendulum")).with_model(heavy).model.mass
        3.0
        """
        return changes.with_model(self, model)

    def with_speed(self, speed: given.Range) -> Problem:
        """Return the problem with another mean speed (m/s), that of its `AverageSpeed`; the guess goes as much faster.

        Examples
        --------
        >>> import myodyne as my
        >>> fast = my.load_problem("gait2d_predictive").with_speed(1.6)
        >>> [part.speed for part in fast.conditions if part.kind == "average_speed"]
        [1.6]
        """
        return changes.with_speed(self, speed)

    def with_duration(self, duration: float | tuple[float, float]) -> Problem:
        """Return the problem with another duration (s), or range of it.

        Examples
        --------
        >>> import myodyne as my
        >>> my.Problem(my.load_model("pendulum")).with_duration((0.5, 2.0)).duration
        (0.5, 2.0)
        """
        return changes.with_duration(self, duration)


def _facts(problem: Problem) -> Table:
    rows = [
        ("model", repr(problem.model)[1:-1].removeprefix("Model ")),
        ("duration", problem._lasts),
        ("mesh", f"{problem.nodes} nodes, {problem.scheme!r}"),
        *((f"sought: {name}", f"{low:g} to {high:g}") for name, (low, high) in problem.parameters.items()),
        *problem.choices.items(),
    ]
    return Table("", (), rows)


def _terms(problem: Problem) -> list[Table]:
    goals = [(goal.name, f"{goal.weight:g}", _said(goal, ("weight", "label"))) for goal in problem.goals]
    conditions = [(condition.kind, _said(condition, ())) for condition in problem.conditions]
    tables = [Table("Goals", ("goal", "weight", ""), goals), Table("Conditions", ("condition", ""), conditions)]
    return [table for table in tables if table.rows]


def _said(part: Part, without: Sequence[str]) -> str:
    return first_of([f"{name} {text}" for name, text in said(part).items() if name not in without], 120)


class Phases(Part):
    """Several problems one after the other, each starting in the state in which the one before ends.

    Parameters
    ----------
    phases
        The problems, in the order of time. Their models may differ; states of the same name are continuous.
    unlinked
        States that may jump between phases.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.Problem(my.load_model("pendulum"), name="swing", duration=0.5)
    >>> len(my.Phases([swing, swing]).phases)
    2
    """

    phases: tuple[Problem, ...] = Field(min_length=1)
    unlinked: tuple[Name, ...] = ()
    name: Name = "phases"

    def __init__(self, phases: Sequence[Problem] | None = None, **values: object) -> None:
        Part.__init__(self, phases=phases, **values)

    def __repr__(self) -> str:
        return f"<Phases '{self.name}': {first_of([phase.name for phase in self.phases])}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rows = [(one.name, repr(one.model)[1:-1].removeprefix("Model "), one._lasts) for one in self.phases]
        return html_of(f"Phases {self.name}", (), [Table("", ("phase", "model", "duration"), rows)])


def settings_for(problem: Problem | Phases, given: Settings | None) -> Settings:
    """Return the settings of a solve: those given, else the problem's own, else those of any problem.

    Examples
    --------
    >>> import myodyne as my
    >>> settings_for(my.load_problem("sliding_mass"), None) == my.Settings()
    True
    """
    first = problem.phases[0] if isinstance(problem, Phases) else problem
    return given or first.settings or Settings()
