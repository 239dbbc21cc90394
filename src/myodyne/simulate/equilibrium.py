"""Equilibrium: a pose in which a body rests, with every muscle in balance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.equations import Equations, equations_of
from myodyne.equations.fibre_lengths import balanced, resting_activations
from myodyne.equations.muscles import DERIVATIVES, DRIVE, RESPONSE, activation_states, fibre_states, kinds_of
from myodyne.errors import ModelError, SolveError, listed, unknown_name
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.numerics.levenberg import levenberg
from myodyne.simulate.progress import Progress

Floats = NDArray[np.float64]

# A joint rests when what is left of its balance is below this part of the forces that meet in it.
_RESTS = 1e-9
# No step of the search moves a coordinate by more than this (rad or m).
_LONGEST = 0.3
# Steps of sinking to rest, and the length of the first one (s² for a drag as large as the inertia).
_SINKING, _FIRST_SINKING = 200, 1e-3
# Steps of the continuation from relaxed muscles to the wanted excitations.
_CONTINUED = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0)


@dataclass(frozen=True)
class Equilibrium(Mapping[str, float]):
    """States at rest, by name: a start for `simulate`.

    ``holding`` tells what it takes (N m or N) to hold the coordinates that were given, ``residual`` the largest part
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
            raise ModelError(unknown_name("state", name, self.states))
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
        Whether to go on where an equilibrium is found that is not stable, like a pendulum that stands on its head;
        False takes the first that comes, near the guess.
    starts
        How many starts are tried: the guess twice, a continuation from relaxed muscles, then random poses in the ranges
        of the coordinates, until a stable equilibrium is found.
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
    search = _Search(equations, dict(pose or {}), _given(equations, "control", equations.controls, controls or {}))
    search.stable = stable
    first = equations.coordinate_defaults()
    for name, value in _given(equations, "guess", equations.coordinates, guess or {}).items():
        first[equations.coordinates.index(name)] = value
    found: _Rest | None = None
    with Progress(f"Looking for an equilibrium of '{equations.model.name}'", float(starts), None) as bar:
        for number, attempt in enumerate(_attempts(search, first, starts, seed), start=1):
            rest = attempt()
            if found is None or (rest.good, rest.stable, -rest.residual) > (found.good, found.stable, -found.residual):
                found = rest
            found.starts = number
            bar.reached(float(number))
            if found.good and (found.stable or not stable):
                break
    if found is None or not found.good:
        raise search.failure(found)
    return search.result(found)


def _given(equations: Equations, kind: str, known: tuple[str, ...], values: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(values, Mapping):
        raise ModelError(f"{kind}s are given by name, not as {values!r:.60}")
    for name, value in values.items():
        if name not in known:
            raise ModelError(f"equilibrium: {unknown_name(kind, name, known)}")
        if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not np.isfinite(value):
            raise ModelError(f"equilibrium: {kind} '{name}' must be a finite number, not {value!r:.60}")
    return {name: float(value) for name, value in values.items()}


@dataclass
class _Rest:
    """Where a search ended."""

    unknown: Floats
    residual: float
    good: bool
    stable: bool
    starts: int = 1
    parts: dict[str, float] = field(default_factory=dict)


def _attempts(search: _Search, first: Floats, starts: int, seed: int) -> Iterator[Any]:
    """Yield the searches to try, each a function without arguments."""
    first_ways = [search.settled, search.from_pose] if search.stable else [search.from_pose, search.settled]
    for way in first_ways:
        yield lambda way=way: way(first)
    if search.equations.muscles and any(search.controls.values()):
        yield lambda: search.continued(first)
    rng = np.random.default_rng(seed)
    low, high = search.box(first)
    for _ in range(max(starts - 3, 0)):
        pose = rng.uniform(low, high)
        yield lambda pose=pose: search.settled(pose)


class _Search:
    """The static balance as a function of the coordinates that are not held, and of the constraint forces.

    Activations follow from the excitations, and fibre lengths from the pose, so that only joints and constraints
    are left to be balanced: muscles are in balance throughout.
    """

    def __init__(self, equations: Equations, pose: dict[str, float], controls: dict[str, float]) -> None:
        self.equations, self.controls = equations, controls
        self.pose = _given(equations, "pose", equations.coordinates, pose)
        self.size, self.rows = len(equations.coordinates), len(equations.multipliers)
        self.held = np.array([name in pose for name in equations.coordinates], dtype=bool)
        self.p = np.array(equations.model.free_numbers, dtype=float)
        self.u = np.zeros(len(equations.controls))
        for name, value in controls.items():
            self.u[equations.controls.index(name)] = value
        self._kind_of, self._kinds = kinds_of(equations.model)
        self.stable = True

    def box(self, first: Floats) -> tuple[Floats, Floats]:
        """Return the poses among which random ones are taken: the ranges, or half a radian or metre around."""
        low, high = first - 0.5, first + 0.5
        for number, name in enumerate(self.equations.coordinates):
            limits = self.equations.model.coordinates[name].range
            if limits is not None:
                low[number], high[number] = limits
        return low, high

    def from_pose(self, pose: Floats) -> _Rest:
        """Search from a pose, by Levenberg and Marquardt's method."""
        return self._solved(np.concatenate([pose[~self.held], np.zeros(self.rows)]))

    def settled(self, pose: Floats) -> _Rest:
        """Search by letting the body sink to rest as in syrup, in ever longer steps of an implicit method.

        It follows the forces to where they hold it, past poses in which they are merely small.
        """
        free = int(np.sum(~self.held))
        unknown = np.concatenate([pose[~self.held], np.zeros(self.rows)])
        drag = np.zeros(len(unknown))
        drag[:free] = np.maximum(np.diag(self.equations.mass_matrix(pose, self.p))[~self.held], 1e-4)
        try:
            value, slope, sizes = self._evaluated(unknown)
            time = _FIRST_SINKING
            for _ in range(_SINKING):
                step = -np.linalg.lstsq(slope + np.diag(drag / time), value, rcond=1e-14)[0]
                step /= max(float(np.max(np.abs(step[:free]), initial=0.0)) / _LONGEST, 1.0)
                unknown = unknown + step
                before = np.linalg.norm(value / sizes)
                value, slope, sizes = self._evaluated(unknown)
                after = np.linalg.norm(value / sizes)
                time = min(time * float(np.clip(before / max(after, 1e-300), 0.5, 4.0)), 1e12)
                if after < 1e-6 or not np.isfinite(after):
                    break
        except (SolveError, np.linalg.LinAlgError):
            return _Rest(unknown, np.inf, False, False)
        return self._solved(unknown)

    def continued(self, pose: Floats) -> _Rest:
        """Search with relaxed muscles first, and raise the excitations in steps."""
        wanted, unknown = self.u.copy(), np.concatenate([pose[~self.held], np.zeros(self.rows)])
        try:
            for part in _CONTINUED:
                self.u = part * wanted
                unknown = self._solved(unknown).unknown
        finally:
            self.u = wanted
        return self._solved(unknown)

    def _solved(self, unknown: Floats) -> _Rest:
        def evaluate(y: Floats) -> tuple[Floats, Floats]:
            try:
                value, slope, _ = self._evaluated(y)
            except SolveError:
                return np.full(len(y), np.inf), np.zeros((len(y), len(y)))
            return value, slope

        if len(unknown):
            longest = np.full(len(unknown), np.inf)
            longest[: len(unknown) - self.rows] = _LONGEST
            unknown, _ = levenberg(evaluate, unknown, longest, enough=1e-12)
        try:
            value, slope, sizes = self._evaluated(unknown)
        except SolveError:
            return _Rest(unknown, np.inf, False, False)
        relative = np.abs(value) / sizes
        worst = float(np.max(relative, initial=0.0))
        names = [*(name for name, held in zip(self.equations.coordinates, self.held, strict=True) if not held),
                 *self.equations.multipliers]
        parts = dict(zip(names, relative.tolist(), strict=True))
        return _Rest(unknown, worst, worst <= _RESTS, self._is_stable(slope), parts=parts)

    def _is_stable(self, slope: Floats) -> bool:
        """Return whether every displacement that the constraints allow meets a force that opposes it."""
        free = int(np.sum(~self.held))
        stiffness, demanded = slope[:free, :free], slope[free:, :free]
        if len(demanded):
            _, values, vectors = np.linalg.svd(demanded)
            rank = int(np.sum(values > 1e-9 * max(values[0], 1e-300)))
            stiffness = vectors[rank:] @ stiffness @ vectors[rank:].T
        if not len(stiffness):
            return True
        return bool(np.min(np.linalg.eigvals(stiffness).real) > 0)

    def whole_pose(self, unknown: Floats) -> Floats:
        """Return all coordinates, the held ones included."""
        q = np.empty(self.size)
        q[~self.held] = unknown[: int(np.sum(~self.held))]
        q[self.held] = [self.pose[name] for name in self.equations.coordinates if name in self.pose]
        return q

    def fibres(self, q: Floats) -> tuple[Floats, Floats]:
        """Return the activation states under the excitations, and the fibre states in balance."""
        if not self.equations.muscles:
            return np.empty(0), np.empty(0)
        active = resting_activations(self.equations.model, self.u)
        lengths = self.equations.muscle_lengths(q, self.p)
        return active, balanced(self.equations, lengths, active, self.u[: len(self.equations.muscles)])

    def balance(self, q: Floats, multipliers: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the force balance of the skeleton, its derivative by pose and multipliers, and sizes of its parts."""
        size, rows = self.size, self.rows
        whole = size + rows + 1
        x, xdot = np.zeros(2 * whole), np.zeros(2 * whole)
        x[:size], xdot[whole + size : whole + size + rows] = q, multipliers
        r, by_q, _, by_rate = self.equations.kernel("balance")(x, xdot, self.u, self.p)
        by_q, by_rate = (matrix.reshape(whole, whole).T for matrix in (by_q, by_rate))
        force, stiffness, pushed = r[:size].copy(), by_q[:size, :size].copy(), by_rate[:size, size : size + rows]
        sizes = np.abs(force) + np.abs(pushed) @ np.abs(multipliers)
        if self.equations.muscles:
            tensions, slopes, gradient = self._pulls(q)
            force += gradient.T @ tensions
            sizes += np.abs(gradient.T) @ np.abs(tensions)
            bend = self.equations.kernel("bending").first(q, tensions, self.p).reshape(size, size).T
            stiffness += bend + gradient.T @ (slopes[:, None] * gradient)
        return force, np.hstack([stiffness, pushed]), sizes

    def _pulls(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """Return tensions, how they grow with length while the fibres stay in balance, and dL/dq."""
        equations, model = self.equations, self.equations.model
        active, fibres = self.fibres(q)
        lengths, gradient = equations.muscle_lengths(q, self.p), -equations.moment_arms(q, self.p)
        fibre_names, active_names = list(fibre_states(model)), list(activation_states(model))
        tensions, slopes = np.empty(len(lengths)), np.empty(len(lengths))

        def derivative(values: Floats, of: str, by: str) -> float:
            return float(values[len(RESPONSE) + DERIVATIVES.index((of, by))])

        for number, (name, muscle) in enumerate(model.muscles.items()):
            drive = np.zeros(len(DRIVE))
            drive[DRIVE.index("length")], drive[DRIVE.index("excitation")] = lengths[number], self.u[number]
            if name in fibre_names:
                drive[DRIVE.index("projected")] = fibres[fibre_names.index(name)]
            if name in active_names:
                drive[DRIVE.index("state")] = active[active_names.index(name)]
            kind = self._kind_of[name]
            values = equations.kernel(f"muscle_{kind}").first(drive, np.array(self._kinds[kind].numbers(muscle)))
            tensions[number] = values[0]
            slopes[number] = derivative(values, "tension", "length")
            if name in fibre_names:
                share = derivative(values, "contraction", "length") / derivative(values, "contraction", "projected")
                slopes[number] -= derivative(values, "tension", "projected") * share
        return tensions, slopes, gradient

    def _evaluated(self, unknown: Floats) -> tuple[Floats, Floats, Floats]:
        free = int(np.sum(~self.held))
        q = self.whole_pose(unknown)
        force, slope, sizes = self.balance(q, unknown[free:])
        columns = np.concatenate([~self.held, np.ones(self.rows, dtype=bool)])
        value, jacobian, sizes = force[~self.held], slope[np.ix_(~self.held, columns)], sizes[~self.held]
        if self.rows:
            position, _, demanded = self.equations.constraint_errors(q, np.zeros(self.size), self.p)
            value = np.concatenate([value, position])
            below = np.hstack([demanded[:, ~self.held], np.zeros((self.rows, self.rows))])
            jacobian, sizes = np.vstack([jacobian, below]), np.concatenate([sizes, np.ones(self.rows)])
        return value, jacobian, sizes + 1e-3

    def result(self, rest: _Rest) -> Equilibrium:
        """Return what was found, by name."""
        equations = self.equations
        q = self.whole_pose(rest.unknown)
        active, fibres = self.fibres(q)
        states = dict(zip(equations.motion, [*q, *np.zeros(self.size), *fibres, *active], strict=True))
        force, _, _ = self.balance(q, rest.unknown[int(np.sum(~self.held)) :])
        holding = {name: float(value) for name, value, held in
                   zip(equations.coordinates, force, self.held, strict=True) if held}
        return Equilibrium({name: float(value) for name, value in states.items()}, dict(self.controls), holding,
                           rest.residual, rest.stable, rest.starts)

    def failure(self, rest: _Rest | None) -> SolveError:
        """Return why there is no equilibrium, naming what does not balance."""
        model = self.equations.model
        if rest is None or not rest.parts:
            lengths = self.equations.muscle_lengths(self.equations.coordinate_defaults(), self.p)
            try:
                balanced(self.equations, lengths, resting_activations(model, self.u), self.u[: len(lengths)])
            except SolveError as error:
                return error
            return SolveError(f"'{model.name}' has no equilibrium that could be found: its forces are not finite")
        worst = sorted(rest.parts, key=lambda name: -rest.parts[name])[:3]
        turning = angles(model)
        told = [f"{name} (off by {100 * rest.parts[name]:.2g} % of its {'moments' if name in turning else 'forces'})"
                for name in worst if rest.parts[name] > _RESTS]
        pulling = self._pulling(rest, worst[0]) if self.equations.muscles else ""
        return SolveError(
            f"'{model.name}' has no equilibrium that {rest.starts} starts could find: {listed(told)} do not balance"
            f"{pulling}. Hold a coordinate by pose=, give a better guess=, or other controls="
        )

    def _pulling(self, rest: _Rest, coordinate: str) -> str:
        """Name the muscles that pull most on a coordinate."""
        if coordinate not in self.equations.coordinates:
            return ""
        tensions, _, gradient = self._pulls(self.whole_pose(rest.unknown))
        pulls = -gradient[:, self.equations.coordinates.index(coordinate)] * tensions
        strongest = np.argsort(-np.abs(pulls))[:3]
        told = [f"{self.equations.muscles[number]} ({pulls[number]:.3g})" for number in strongest if pulls[number]]
        return f"; {listed(told)} pull most on '{coordinate}'" if told else ""
