"""Equilibrium: a pose in which a body rests, with every muscle in balance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.numerics.levenberg import levenberg
from myodyne.progress import task
from myodyne.simulate.statics import Statics
from myodyne.types import Floats

# A joint rests when what is left of its balance is below this part of the forces that meet in it.
_RESTS = 1e-9
# No step of the search moves a coordinate by more than this (rad or m).
_LONGEST = 0.3
# Sinking along constraints, longer steps would leave them, and go over to another branch of the mechanism.
_LONGEST_BOUND = 0.1
# Steps of sinking to rest, and the length of the first one (s² for a drag as large as the inertia).
_SINKING, _FIRST_SINKING = 300, 1e-3
# What is left of the balance, relative, where sinking ends; how often and far (rad or m) an unstable body is nudged.
_SUNK, _NUDGES, _NUDGE = 1e-6, 5, 0.02
# Steps of the continuation from relaxed muscles to the wanted excitations.
_CONTINUED = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85)


class _UnknownStateError(ModelError, KeyError):
    """What a mapping raises, as its methods expect, with a message that reads like others."""

    __str__ = Exception.__str__


@dataclass(frozen=True, eq=False)
class Equilibrium(Mapping[str, float]):
    """States at rest, by name: an initial state for `simulate`.

    ``holding`` is what it takes (N m or N) to hold the coordinates that were given, ``residual`` the largest part
    of the forces in a joint that is left unbalanced, ``stable`` whether the body returns after a small displacement.

    Examples
    --------
    >>> import myodyne as my
    >>> rest = my.equilibrium(my.load_model("pendulum"), guess={"angle": 0.3})
    >>> abs(rest["angle"]) < 1e-9, rest.stable
    (True, True)
    """

    states: Mapping[str, float]
    controls: Mapping[str, float]
    holding: Mapping[str, float]
    residual: float
    stable: bool
    starts: int = 1

    def __getitem__(self, name: str) -> float:
        if name not in self.states:
            raise _UnknownStateError(unknown_name("state", name, self.states))
        return self.states[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)


def equilibrium(  # noqa: PLR0913 - what is held, what acts, and how to search
    model: Model | Equations,
    pose: Mapping[str, float] | None = None,
    *,
    controls: Mapping[str, float] | None = None,
    guess: Mapping[str, float] | None = None,
    stable: bool = True,
    starts: int = 20,
    seed: int = 0,
) -> Equilibrium:
    """Return states in which nothing moves: joints, muscles and constraints in balance.

    Parameters
    ----------
    model
        The model or its equations.
    pose
        Coordinates (rad or m) that are held where they are given; the others are found.
    controls
        Excitations and other controls, constant, by name; those not mentioned are zero.
    guess
        Coordinates from which the search begins; else the model's defaults.
    stable
        Whether to go on where an equilibrium is found that is not stable, like an inverted pendulum;
        False takes the first that comes, near the guess.
    starts
        How many starts are tried: the guess in two ways, and where the ground carries it, a continuation from relaxed
        muscles, then random poses in the ranges of the coordinates, until a stable equilibrium is found.
    seed
        Of the random poses.

    Raises
    ------
    SolveError
        Where none is found; it names the joints and muscles that do not balance.

    Examples
    --------
    >>> import myodyne as my
    >>> rest = my.equilibrium(my.load_model("pendulum"), pose={"angle": 0.5})
    >>> round(rest.holding["angle"], 3)      # N m that hold the rod at 0.5 rad
    2.352
    """
    equations = model if isinstance(model, Equations) else equations_of(model)
    for what, number, least in (("starts", starts, 1), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
            raise ModelError(f"equilibrium: {what} must be a whole number, at least {least}, not {number!r:.60}")
    acting = _given("control", equations.controls, controls)
    statics = Statics(equations, _given("pose", equations.coordinates, pose), acting)
    statics.check_rest()
    first = equations.coordinate_defaults()
    if isinstance(guess, Equilibrium):
        guess = {name: value for name, value in guess.items() if name in equations.coordinates}
    for name, value in _given("guess", equations.coordinates, guess).items():
        first[equations.coordinates.index(name)] = value
    found: _Rest | None = None
    with task(f"Searching for an equilibrium of '{equations.model.name}'") as searching:
        for number, attempt in enumerate(_attempts(statics, first, stable, starts, seed), start=1):
            searching.update(note=f"start {number} of at most {starts}")
            rest = attempt()
            if found is None or rest.rank > found.rank:
                found = rest
            found.starts = number
            if found.good and (found.stable or not stable):
                break
    assert found is not None
    if not found.good:
        raise _failure(statics, found)
    q = statics.whole_pose(found.unknown)
    states = np.concatenate([q, np.zeros(statics.size), *statics.states(q)])
    return Equilibrium(
        dict(zip(equations.motion, states.tolist(), strict=True)),
        acting,
        statics.holding(found.unknown),
        found.residual,
        found.stable,
        found.starts,
    )


def _given(kind: str, known: tuple[str, ...], values: Mapping[str, float] | None) -> dict[str, float]:
    if values is not None and not isinstance(values, Mapping):
        example = known[0] if known else "knee"
        raise ModelError(f"equilibrium: a {kind} is given by name, like {{'{example}': 0.5}}, not as {values!r:.60}")
    for name, value in (values or {}).items():
        if name not in known:
            raise ModelError(f"equilibrium: {unknown_name(kind, name, known)}")
        number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not number or not np.isfinite(value):
            raise ModelError(f"equilibrium: {kind} '{name}' must be a finite number, not {value!r:.60}")
    return {name: float(value) for name, value in (values or {}).items()}


@dataclass
class _Rest:
    """Where a search ended."""

    unknown: Floats
    residual: float = np.inf
    good: bool = False
    stable: bool = False
    starts: int = 1
    parts: dict[str, float] = field(default_factory=dict)
    reason: SolveError | None = None

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """The greater, the better; of those that rest alike, the first is the nearest to the guess."""
        return self.good, self.stable, 0.0 if self.good else -self.residual


def _attempts(statics: Statics, first: Floats, stable: bool, starts: int, seed: int) -> Iterator[Callable[[], _Rest]]:
    """Yield the searches to try: the guess in two ways, a continuation, random poses."""

    def ways() -> Iterator[Callable[[], _Rest]]:
        near = [lambda: _settled(statics, first, stable), lambda: _solved(statics, statics.first(first))]
        carried = statics.landed(first)
        if (carried != first).any():
            # In the air no force points towards the ground.
            near.append(lambda: _solved(statics, statics.first(carried)))
        # What falls past an unstable equilibrium would not find it.
        yield from near if stable else reversed(near)
        if statics.equations.muscles and statics.u.any():
            yield lambda: _continued(statics, first)
        rng = np.random.default_rng(seed)
        low, high = statics.box(first)
        while True:
            yield lambda: _settled(statics, rng.uniform(low, high), stable)

    return islice(ways(), starts)


def _settled(statics: Statics, pose: Floats, stable: bool) -> _Rest:
    """Search by letting the body sink to rest as in syrup, in ever longer steps of an implicit method.

    It follows the forces to where they hold it, past poses in which they are merely small. Where it could only stand
    on its head it is nudged, if what is wanted is ``stable``.
    """
    unknown, drag = statics.first(pose), statics.drag(pose)
    longest = _LONGEST_BOUND if statics.rows else _LONGEST
    try:
        value, slope, sizes = statics.evaluated(unknown)
        if not (np.isfinite(value).all() and np.isfinite(slope).all()):
            return _Rest(unknown)
        off, time, nudges = float(np.linalg.norm(value / sizes)), _FIRST_SINKING, 0
        for _ in range(_SINKING):
            softest, direction = statics.softest(slope, drag)
            if off < _SUNK:
                if softest > 0 or not stable or nudges == _NUDGES:
                    break
                step, taken = direction * (_NUDGE / np.max(np.abs(direction))), _FIRST_SINKING
                nudges += 1
            else:
                # Longer steps would climb what pushes the body away.
                taken = min(time, -0.5 / softest) if softest < 0 else time
                step = -np.linalg.lstsq(slope + np.diag(drag / taken), value, rcond=1e-14)[0]
                step /= max(float(np.max(np.abs(step[: statics.free]), initial=0.0)) / longest, 1.0)
            unknown, before = unknown + step, off
            value, slope, sizes = statics.evaluated(unknown)
            off = float(np.linalg.norm(value / sizes))
            if not np.isfinite(off):
                break
            # What is pushed away is pushed the more the further it is: the residual is no guide to steps.
            longer = 2.0 if softest < 0 else float(np.clip(before / max(off, 1e-300), 0.5, 4.0))
            time = min(taken * longer, 1e12)
    except SolveError as error:
        return _Rest(unknown, reason=error)
    except np.linalg.LinAlgError:
        return _Rest(unknown)
    return _solved(statics, unknown)


def _continued(statics: Statics, pose: Floats) -> _Rest:
    """Search with relaxed muscles first, and raise the excitations in steps."""
    wanted, unknown = statics.u.copy(), statics.first(pose)
    try:
        for part in _CONTINUED:
            statics.u = part * wanted
            unknown = _solved(statics, unknown).unknown
    finally:
        statics.u = wanted
    return _solved(statics, unknown)


def _solved(statics: Statics, unknown: Floats) -> _Rest:
    """Search from a point, by Levenberg and Marquardt's method."""

    def evaluate(y: Floats) -> tuple[Floats, Floats]:
        try:
            value, slope, _ = statics.evaluated(y)
        except SolveError:
            return np.full(len(y), np.inf), np.zeros((len(y), len(y)))
        return value, slope

    if len(unknown):
        longest = np.full(len(unknown), np.inf)
        longest[: statics.free] = _LONGEST
        unknown, _ = levenberg(evaluate, unknown, longest, enough=1e-12)
    try:
        value, slope, sizes = statics.evaluated(unknown)
    except SolveError as error:
        return _Rest(unknown, reason=error)
    relative = np.abs(value) / sizes
    worst = float(np.max(relative, initial=0.0))
    parts = dict(zip(statics.names, relative.tolist(), strict=True))
    if not np.isfinite(worst):
        return _Rest(unknown)
    softest, _ = statics.softest(slope, statics.drag(statics.whole_pose(unknown)))
    rest = _Rest(unknown, worst, worst <= _RESTS, softest > 0, parts=parts)
    if rest.good:
        try:
            statics.check_fibres(statics.whole_pose(unknown))
        except SolveError as error:
            return _Rest(unknown, worst, reason=error)
    return rest


def _failure(statics: Statics, rest: _Rest) -> SolveError:
    """Return why there is no equilibrium, naming what does not balance."""
    model = statics.equations.model
    if not rest.parts:
        return rest.reason or SolveError(
            f"'{model.name}': no equilibrium was found: its forces are not finite in the poses tried"
        )
    worst = [name for name in sorted(rest.parts, key=lambda name: -rest.parts[name])[:3] if rest.parts[name] > _RESTS]
    turning = angles(model)
    unbalanced = []
    for name in worst:
        percent = 100 * rest.parts[name]
        size = f"{percent:.0f}" if percent >= 10 else f"{percent:.2g}"
        share = f"{size} % of its {'moments' if name in turning else 'forces'}"
        off = share if name in statics.equations.coordinates else f"{rest.parts[name]:.2g}"
        unbalanced.append(f"'{name}' (off by {off})")
    verb = "does" if len(unbalanced) == 1 else "do"
    return SolveError(
        f"'{model.name}': no equilibrium was found from {rest.starts} starts: {', '.join(unbalanced)} "
        f"{verb} not balance{statics.pulling(rest.unknown, worst[0])}. Hold a coordinate with pose=, or give a better "
        f"guess= or other controls="
    )
