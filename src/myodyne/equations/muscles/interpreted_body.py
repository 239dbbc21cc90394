"""A body with muscles where there is no compiler: the counterpart of ``native/march/body.c`` in NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.equations.closed_form import closed_form
from myodyne.equations.muscles.kinds import DRIVE, DRIVE_PLACE, RESPONSE_COLUMN, ResponseTable
from myodyne.equations.muscles.native_body import body_signature, no_function
from myodyne.equations.muscles.tables import MuscleTables
from myodyne.native.kernel import Kernel
from myodyne.native.structures import CompiledFunction
from myodyne.numerics.stepping.advance import Rate
from myodyne.numerics.stepping.implicit_form import TINY_STEP, ImplicitSystem, Input, Jacobian, accelerated, rates_of
from myodyne.types import Booleans, Floats

_MOST_ITERATIONS = 80
_BALANCED = 1e-13  # of maximal force: a muscle whose forces differ by less is in balance
_FLAT = 1e-12  # maximal forces per (length/s): below, velocity does not change the force
_FASTEST = 1e4  # optimal lengths per second: no fibre moves faster
_NEARLY = 1e-9  # of maximal force: good enough where rounding allows no better


@dataclass(frozen=True, eq=False)
class _Geometry:
    """The paths of all muscles in one pose: lengths, speeds, gradients by the coordinates and their rates."""

    lengths: Floats
    speeds: Floats
    gradient: Floats
    gradient_rate: Floats

    def pulls(self, size: int) -> Floats:
        """Return how a tension enters the rows of the balance: (muscles, size), the power last."""
        pulls = np.zeros((len(self.lengths), size))
        pulls[:, : self.gradient.shape[1]] = self.gradient
        pulls[:, -1] += self.speeds
        return pulls


class InterpretedBody:
    """A body with its muscles in implicit form, from interpreted kernels (an `ImplicitSystem`).

    States are (positions, speeds, fibres, activations); multipliers of constraints and the power are further
    speeds, as in the kernel "balance".
    """

    def __init__(self, balance: CompiledFunction, muscles: MuscleTables, coordinates: int) -> None:
        self._balance, self._muscles, self._coordinates = balance, muscles, coordinates
        self.positions = balance.output_sizes[0]
        self._fibre, self._active = np.array(muscles.fibre, dtype=int), np.array(muscles.active, dtype=int)
        self._control = np.array(muscles.groups.order, dtype=int)
        # In the order of the states.
        self._elastic, self._activated = (np.argsort(own)[np.sum(own < 0) :] for own in (self._fibre, self._active))
        self.states = 2 * self.positions + len(self._elastic) + len(self._activated)
        self._count = len(muscles.kind)
        self._crossing = tuple(np.array(muscles.groups.entries, dtype=int).reshape(-1, 2).T)
        kind = np.array(muscles.kind, dtype=int)
        self._members = [np.flatnonzero(kind == number) for number in range(len(muscles.kinds))]

    def evaluate(self, x: Floats, xdot: Floats, at: Input, *, with_jacobian: bool) -> tuple[Floats, Jacobian | None]:
        """Return the residual and, if asked, its derivatives."""
        geometry = self._geometry(x, at.parameters)
        found = self._responses(self._drives(x, xdot, geometry, at.controls), self._numbers(at.parameters))
        balance, *blocks = self._skeleton(x, xdot, at)
        balance = balance + geometry.pulls(self.positions).T @ found["tension"]
        residual = np.concatenate([balance, found["contraction"][self._elastic], found["activation"][self._activated]])
        if not with_jacobian:
            return residual, None
        m = self.positions
        by_position, by_speed, by_acceleration = (np.reshape(block, (m, m), order="F").copy() for block in blocks)
        self._bend(x, found["tension"], geometry, by_position, by_speed, at.parameters)
        return residual, self._jacobian(geometry, found, (by_position, by_speed, by_acceleration))

    def steer(self, x: Floats, xdot: Floats, at: Input, change: Floats) -> Floats:
        """Return the derivative of the residual by the controls times a change of them.

        Motors and pushes are linear in their controls, so that a difference is exact for them.
        """
        steered = np.zeros(self.states - self.positions)
        if change[self._count :].any():
            moved = at._replace(controls=at.controls + change)
            steered[: self.positions] = self._skeleton(x, xdot, moved)[0] - self._skeleton(x, xdot, at)[0]
        excited = change[self._control]
        if excited.any():
            geometry = self._geometry(x, at.parameters)
            found = self._responses(self._drives(x, xdot, geometry, at.controls), self._numbers(at.parameters))
            pull = found["tension", "excitation"] * excited
            steered += np.concatenate(
                [
                    geometry.pulls(self.positions).T @ pull,
                    (found["contraction", "excitation"] * excited)[self._elastic],
                    (found["activation", "excitation"] * excited)[self._activated],
                ]
            )
        return steered

    def rates(self, x: Floats, at: Input) -> Rate:
        """Return the rates that the equations give outright: each muscle's by itself, then the accelerations."""
        m = self.positions
        xdot = np.concatenate([x[m : 2 * m], np.zeros(self.states - m)])
        drives = self._drives(x, xdot, self._geometry(x, at.parameters), at.controls)
        numbers = self._numbers(at.parameters)
        found = self._responses(drives, numbers)
        rising = -(found["activation"] / found["activation", "state_rate"])[self._activated]
        moving, failed = self._fibre_rates(drives, numbers, 0.0)
        if failed.any():
            rate = Rate(xdot, "Newton did not converge", 2 * m + int(np.flatnonzero(failed)[0]))
        else:
            rate = accelerated(self, x, np.concatenate([xdot[: 2 * m], moving, rising]), at)
        if rate.failure is None:
            return rate
        # Without a guess Newton's method may alternate forever between two branches of the force-velocity curve.
        drives[:, DRIVE_PLACE["length"]] += TINY_STEP * drives[:, DRIVE_PLACE["speed"]]
        drives[self._activated, DRIVE_PLACE["state"]] += TINY_STEP * rising
        guess, hopeless = self._fibre_rates(drives, numbers, TINY_STEP)
        return rate._replace(value=np.concatenate([xdot[: 2 * m], np.where(hopeless, 0.0, guess), rising]))

    def _fibre_rates(self, drives: Floats, numbers: list[Floats], ahead: float) -> tuple[Floats, Booleans]:
        """Return the rates at which fibres balance, now or at the end of a step of length ``ahead`` (s).

        By Newton's method inside brackets. The second array marks the muscles for which none was found.
        """
        drives, elastic, place = drives.copy(), self._elastic, DRIVE_PLACE["projected_rate"]
        fibres = drives[elastic, DRIVE_PLACE["projected"]]
        low, high = np.full(len(elastic), -_FASTEST), np.full(len(elastic), _FASTEST)
        searching, failed = np.ones(len(elastic), dtype=bool), np.zeros(len(elastic), dtype=bool)
        for _ in range(_MOST_ITERATIONS):
            drives[elastic, DRIVE_PLACE["projected"]] = fibres + ahead * drives[elastic, place]
            found = self._responses(drives, numbers)
            residual = found["contraction"][elastic]
            slope = (found["contraction", "projected_rate"] + ahead * found["contraction", "projected"])[elastic]
            rate = drives[elastic, place]
            failed |= searching & ~np.isfinite(residual)
            searching &= np.isfinite(residual) & ~((np.abs(residual) <= _BALANCED) & (slope > _FLAT))
            if not searching.any():
                break
            high, low = np.where(residual > 0, rate, high), np.where(residual > 0, low, rate)
            following = np.where(slope > _FLAT, rate - residual / slope, np.nan)
            following = np.where((following > low) & (following < high), following, 0.5 * (low + high))
            ended = searching & ((following == rate) | (high - low <= 1e-15 * (1 + np.abs(following))))
            failed |= ended & ~((slope > _FLAT) & (np.abs(residual) < _NEARLY))
            searching &= ~ended
            drives[elastic, place] = np.where(searching, following, rate)
        return drives[elastic, place], failed | searching

    def _skeleton(self, x: Floats, xdot: Floats, at: Input) -> tuple[Floats, ...]:
        """Return the balance of forces without muscles, and its derivatives."""
        moving = 2 * self.positions
        return self._balance(x[:moving], xdot[:moving], at.controls, at.parameters)

    def _geometry(self, x: Floats, p: Floats) -> _Geometry:
        q, v = x[: self._coordinates], x[self.positions : self.positions + self._coordinates]
        lengths, entries, rate_entries = self._muscles.paths(q, v, p)
        gradient, gradient_rate = np.zeros((2, self._count, self._coordinates))
        gradient[self._crossing] = entries
        if len(rate_entries):  # empty where no tendon is rigid
            gradient_rate[self._crossing] = rate_entries
        return _Geometry(lengths, gradient @ v, gradient, gradient_rate)

    def _drives(self, x: Floats, xdot: Floats, geometry: _Geometry, u: Floats) -> Floats:
        drives = np.zeros((self._count, len(DRIVE)))
        first, middle = 2 * self.positions, 2 * self.positions + len(self._elastic)
        for name, values, muscles in (
            ("length", geometry.lengths, slice(None)),
            ("speed", geometry.speeds, slice(None)),
            ("projected", x[first:middle], self._elastic),
            ("projected_rate", xdot[first:middle], self._elastic),
            ("state", x[middle:], self._activated),
            ("state_rate", xdot[middle:], self._activated),
            ("excitation", u[self._control], slice(None)),
        ):
            drives[muscles, DRIVE_PLACE[name]] = values
        return drives

    def _numbers(self, p: Floats) -> list[Floats]:
        """Return the numbers of the muscles of each kind: (members, numbers)."""
        muscles = self._muscles
        numbers = np.array(muscles.numbers, dtype=float)
        for place, parameter in muscles.free:
            numbers[place] = p[parameter]
        starts = np.array(muscles.first_number, dtype=int)
        return [
            numbers[starts[members][:, None] + np.arange(kind.input_sizes[1])]
            for kind, members in zip(muscles.kinds, self._members, strict=True)
        ]

    def _responses(self, drives: Floats, numbers: list[Floats]) -> ResponseTable:
        values = np.empty((self._count, len(RESPONSE_COLUMN)))
        for kind, members, own in zip(self._muscles.kinds, self._members, numbers, strict=True):
            values[members] = kind(drives[members], own)[0]
        return ResponseTable(values)

    def _bend(
        self, x: Floats, tension: Floats, geometry: _Geometry, by_position: Floats, by_speed: Floats, p: Floats
    ) -> None:
        """Add how the pull of the muscles and its power change while the tensions stay."""
        q, m = self._coordinates, self.positions
        assert self._muscles.bending is not None  # left out with exact paths only, which run compiled
        bend = self._muscles.bending(x[:q], tension, p)[0].reshape((q, q), order="F")
        by_position[:q, :q] += bend
        by_position[-1, :q] += x[m : m + q] @ bend
        by_speed[-1, :q] += tension @ geometry.gradient

    def _jacobian(self, geometry: _Geometry, found: ResponseTable, blocks: tuple[Floats, Floats, Floats]) -> Jacobian:
        m, q, elastic, active = self.positions, self._coordinates, self._elastic, self._activated
        fibres, states = slice(m, m + len(elastic)), slice(m + len(elastic), self.states - m)
        by_position = np.zeros((self.states - m, m))
        by_rest, by_rate = np.zeros((2, self.states - m, self.states - m))
        by_position[:m], by_rest[:m, :m], by_rate[:m, :m] = blocks
        pulls = geometry.pulls(m).T
        stiffness = found["tension", "length"][:, None] * geometry.gradient
        damping = found["tension", "speed"][:, None]
        by_position[:m, :q] += pulls @ (stiffness + damping * geometry.gradient_rate)
        by_rest[:m, :q] += pulls @ (damping * geometry.gradient)
        by_rest[:m, fibres] = (pulls * found["tension", "projected"])[:, elastic]
        by_rest[:m, states] = (pulls * found["tension", "state"])[:, active]
        by_position[fibres, :q] = (found["contraction", "length"][:, None] * geometry.gradient)[elastic]
        by_fibre = found["contraction", "projected"][elastic]
        by_fibre_rate = found["contraction", "projected_rate"][elastic]
        # Between a slack tendon and a slack parallel element nothing determines a fibre length: it does not change.
        by_rest[fibres, fibres] = np.diag(np.where((by_fibre == 0) & (by_fibre_rate == 0), 1.0, by_fibre))
        by_rest[fibres, states] = np.diag(found["contraction", "state"])[np.ix_(elastic, active)]
        by_rate[fibres, fibres] = np.diag(by_fibre_rate)
        by_rest[states, states] = np.diag(found["activation", "state"][active])
        by_rate[states, states] = np.diag(found["activation", "state_rate"][active])
        return Jacobian(by_position, by_rest, by_rate)


class InterpretedBodyKernel(Kernel):
    """The rates of a body with muscles as a kernel like any other; see `NativeBodyKernel`."""

    def __init__(
        self, skeleton: tuple[Kernel, Kernel | None], muscles: MuscleTables, sizes: tuple[int, int], with_work: bool
    ) -> None:
        balance, loop = skeleton
        super().__init__(body_signature(balance, muscles, sizes, with_work), None, None, no_function)
        self._body = closed_form(InterpretedBody(balance, muscles, sizes[0]), loop, sizes[0])
        self._with_work = with_work

    def _space(self) -> _Space:
        if not hasattr(self._local, "space"):
            self._local.space = _Space(self, self._body, self._with_work)
        space: _Space = self._local.space
        return space


class _Space:
    """Inputs and outputs of one thread, and the call that computes the outputs."""

    def __init__(self, kernel: Kernel, body: ImplicitSystem, with_work: bool) -> None:
        self.inputs = [np.zeros(size) for size in kernel.input_sizes]
        self.outputs = [np.zeros(size) for size in kernel.output_sizes]
        self._body, self._with_work = body, with_work

    def run(self) -> None:
        x, u, p = self.inputs
        m, rest = self._body.positions, self._body.states - 2 * self._body.positions
        q = (len(x) - rest - self._with_work) // 2
        state = np.zeros(self._body.states)
        state[:q], state[m : m + q], state[2 * m :] = x[:q], x[q : 2 * q], x[2 * q : 2 * q + rest]
        with np.errstate(all="ignore"):
            rate, failure, _ = rates_of(self._body, state, Input(u.copy(), p.copy()))
        if failure is not None:
            rate = np.full(self._body.states, np.nan)
        moved = [rate[:q], rate[m : m + q], rate[2 * m :]]
        if self._with_work:
            self.outputs[0][:] = np.concatenate([*moved, rate[2 * m - 1 : 2 * m]])
        else:
            self.outputs[0][:] = np.concatenate(moved)
            self.outputs[1][:] = rate[m + q : 2 * m - 1]
