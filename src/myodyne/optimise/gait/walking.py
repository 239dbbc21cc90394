"""`walking` and `running`: the problem of a gait, for any body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.numerics.schemes import Radau
from myodyne.optimise.conditions import AverageSpeed, Bounds, Periodic, Start
from myodyne.optimise.gait.anatomy import Anatomy, anatomy_of
from myodyne.optimise.gait.cost import easier_gaits, gait_goals
from myodyne.optimise.gait.equipment import Tendons, equipped
from myodyne.optimise.gait.feet import softer_contacts, with_contacts, with_tips
from myodyne.optimise.gait.passive import with_passive_legs
from myodyne.optimise.gait.path_points import within_path_points
from myodyne.optimise.gait.ranges import (
    RUNNING,
    USED_RUNNING,
    USED_WALKING,
    WALKING,
    Limits,
    gait_bounds,
    leg_limits,
)
from myodyne.optimise.gait.steps import random_steps, stepping_guess
from myodyne.optimise.goals import Goal
from myodyne.optimise.guesses import grounded, standing
from myodyne.optimise.problem import Problem
from myodyne.optimise.screening import Screening
from myodyne.optimise.settings import Settings
from myodyne.paths.smooth import smooth_paths


@dataclass(frozen=True)
class _Gait:
    """What differs between walking and running."""

    name: str
    duration: Limits
    step: float
    angles: dict[str, Limits]
    used: dict[str, Limits]
    running: bool = False
    # None where planar bodies assume it.
    heel_strike: bool | None = False


# How many starts a planar gait has: of eight, some end in the best minimum (docs/guide/gait2d.md).
_STARTS = 8
# The largest error of an interval, in the plane and in space.
_ACCURACY = {True: 0.02, False: 0.05}
# In space: from a guess that is far from a walk, estimated second derivatives lead to one, and exact ones do not.
_IN_SPACE = Settings(tolerance=1e-3, approach=0, options={"hessian_approximation": "limited-memory"})
# Where a heel strikes: so far above the ground at most, the toe so far above it at least (m).
_TOUCH, _TOE_UP = 0.002, 0.05

_WALK = _Gait("walking", (0.35, 0.85), 0.55, WALKING, USED_WALKING)
_RUN = _Gait("running", (0.22, 0.5), 0.34, RUNNING, USED_RUNNING, running=True)


def walking(
    model: Model,
    speed: float = 1.3,
    *,
    tendons: Tendons | None = None,
    bounds: Mapping[str, Limits] | None = None,
    goals: Sequence[Goal] | None = None,
    heel_strike: bool | None = None,
) -> Problem:
    """Return the problem of walking with any body, planar or in space: half a cycle, then mirrored.

    Anatomy is found by geometry. What was chosen stands in ``problem.choices``: contacts under the feet where the model
    has none, motors where no muscle acts, ranges, goals, guess. What cannot be chosen, such as missing feet, raises a
    ModelError that names it.

    Parameters
    ----------
    model
        A body with two legs: x forward, y up, z to the right. Contacts and motors that it has are kept; reserve motors
        on the pelvis and on joints that muscles move are left out.
    speed
        Mean speed of the centre of mass (m/s).
    tendons
        "model" keeps tendons as they are, "rigid" makes them rigid; by default rigid where muscles are more than 40.
    bounds
        Ranges of coordinates, states and controls that replace those of human gait, by name.
    goals
        Instead of the goals chosen.
    heel_strike
        An assumption: the half cycle begins with the right heel on the ground, sinking, and its toe 5 cm up. By default
        planar bodies make it: many of their starts end in walks that land flat. Bodies in space do not.

    Examples
    --------
    >>> import myodyne as my
    >>> problem = my.walking(my.load_model("gait2d"), speed=1.2)
    >>> problem.choices["contacts"]
    "the model's own: right_heel, right_toe, left_heel, left_toe"
    >>> problem.with_speed(1.5).choices["speed"]
    '1.5 m/s'
    """
    gait = replace(_WALK, heel_strike=heel_strike)
    return _problem(model, speed, gait, tendons, bounds, goals)


def running(
    model: Model,
    speed: float = 3.5,
    *,
    tendons: Tendons | None = None,
    bounds: Mapping[str, Limits] | None = None,
    goals: Sequence[Goal] | None = None,
) -> Problem:
    """Return the problem of running with any body, planar or in space: half a cycle, then mirrored.

    Parameters
    ----------
    model, tendons, bounds, goals
        As in `walking`.
    speed
        Mean speed of the centre of mass (m/s).

    Examples
    --------
    >>> import myodyne as my
    >>> my.running(my.load_model("gait2d")).duration
    (0.22, 0.5)
    """
    return _problem(model, speed, _RUN, tendons, bounds, goals)


def _problem(
    model: Model,
    speed: float,
    gait: _Gait,
    tendons: Tendons | None,
    bounds: Mapping[str, Limits] | None,
    goals: Sequence[Goal] | None,
) -> Problem:
    anatomy = anatomy_of(model)
    _check(model, speed, gait, bounds, goals)
    moved = equipped(model, anatomy, tendons)
    sole = with_contacts(moved.model, anatomy)
    whole, tips = with_tips(sole.model, anatomy)
    height = grounded(whole, standing(whole, anatomy.upright)).final[anatomy.upward]
    wide = gait_bounds(whole, anatomy, height, gait.angles)
    usual = within_path_points(whole, wide, leg_limits(anatomy, gait.used))
    ranges = {**usual, **dict(bounds or {})}
    conditions = [Periodic(mirrored=True), AverageSpeed(float(speed)), Bounds(ranges)]
    smoothed = smooth_paths(whole, {name: ends for name, ends in ranges.items() if name in whole.moving})
    legs = with_passive_legs(smoothed.model, anatomy, gait.used) if anatomy.planar else None
    whole = smoothed.model if legs is None else legs.model
    strikes = anatomy.planar if gait.heel_strike is None else gait.heel_strike
    tilt = _tilt(anatomy, ranges)
    terms = list(gait_goals(whole, tilt=tilt, planar=anatomy.planar) if goals is None else goals)
    # In space one start takes as long as eight in the plane.
    seeds = range(1, _STARTS) if anatomy.planar else ()
    problem = Problem(
        whole,
        name=f"{gait.name}_{model.name}",
        source="myodyne's problem of a gait (docs/guide/your_model.md)",
        duration=gait.duration,
        goals=terms,
        conditions=[*conditions, *(_heel_strike(tips) if strikes else [])],
        # Midpoint lets contact forces alternate from node to node, unseen by the equations between them.
        scheme=Radau(degree=3 if anatomy.planar else 2),
        nodes=21 if anatomy.planar else 26,
        accuracy=_ACCURACY[anatomy.planar],
        settings=None if anatomy.planar else _IN_SPACE,
        guess=stepping_guess(whole, speed, gait.step, running=gait.running),
        continuation=easier_gaits(whole, terms) if anatomy.planar else [softer_contacts(whole)],
        starts=tuple(random_steps(whole, speed, seed, running=gait.running) for seed in seeds),
        screening=Screening() if anatomy.planar else None,
    )
    choices = {
        "speed": f"{speed:g} m/s",
        "anatomy": _words(anatomy),
        "contacts": sole.words,
        **moved.words,
        **({"paths": smoothed.summary} if smoothed.fits else {}),
        **({} if legs is None else {"passive legs": legs.words}),
        "sides": f"signs exchanged: {', '.join(anatomy.sides.negated) or 'none'}",
        "goals": ", ".join(f"{goal.weight:g} {goal.name}" for goal in terms),
        "duration": f"{gait.duration[0]:g} to {gait.duration[1]:g} s for half a cycle",
        "heel strike": "assumed at the start" if strikes else "not assumed",
        "mesh": _mesh(problem),
        "starts": f"{1 + len(seeds)}: the guess{' and random steps' if seeds else ''}",
        "guess": f"the right leg goes back, the left one forward, in {gait.step:g} s; pelvis at {height:.3f} m",
    }
    return problem.model_copy(update={"choices": choices})


def _check(
    model: Model, speed: float, gait: _Gait, bounds: Mapping[str, Limits] | None, goals: Sequence[Goal] | None
) -> None:
    """Refuse arguments that cannot be meant."""
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not 0 < speed < 13:
        raise ModelError(f"{gait.name}: the speed must be a number above 0 (m/s), not {speed!r:.60}")
    for goal in goals or ():
        if not isinstance(goal, Goal):
            raise ModelError(f"{gait.name}: goals are like my.Effort(), not {goal!r:.60}")
    for name in bounds or {}:
        # Names of other quantities have a point, as in 'soleus_r.activation'.
        if "." not in name and name not in model.moving:
            raise ModelError(f"{gait.name}: bounds: {unknown_name('coordinate that moves', name, model.moving)}")


def _mesh(problem: Problem) -> str:
    assert problem.accuracy is not None
    nodes = f"{problem.nodes} nodes of {problem.scheme!r}"
    return f"{nodes}, then refined to errors of at most {100 * problem.accuracy:g} %"


def _heel_strike(tips: Mapping[str, tuple[str, float]]) -> list[Start]:
    """Return the condition that the right heel just touches the ground, sinking, with the toe up."""
    (heel, under_heel), (toe, under_toe) = tips["heel"], tips["toe"]
    return [
        Start(
            {
                f"{heel}.position_y": (None, _TOUCH + under_heel),
                f"{heel}.velocity_y": (None, 0.0),
                f"{toe}.position_y": (_TOE_UP + under_toe, None),
            }
        )
    ]


def _tilt(anatomy: Anatomy, ranges: Mapping[str, Limits]) -> str | None:
    """Return the coordinate that tilts the pelvis forward, the one of the root that changes no sign and turns."""
    turns = [name for name in anatomy.root if name not in (anatomy.forward, anatomy.upward)]
    kept = [name for name in turns if anatomy.sides.signs[name] > 0 and name in ranges]
    return kept[0] if kept else None


def _words(anatomy: Anatomy) -> str:
    leg = anatomy.leg
    senses = [
        f"{role} {'' if flexion.sign > 0 else '-'}{flexion.coordinate}"
        for role, flexion in (("hip", leg.hip), ("knee", leg.knee), ("ankle", leg.ankle), ("toes", leg.toes))
        if flexion is not None
    ]
    return (
        f"{'planar' if anatomy.planar else 'in space'}; pelvis {anatomy.pelvis}; flexion by {', '.join(senses)}; "
        f"foot {', '.join(leg.foot)}; leg {leg.length:.3f} m"
    )
