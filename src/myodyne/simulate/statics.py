"""The balance of forces in a body that does not move, as a function of its pose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from myodyne.equations import Equations
from myodyne.equations.muscles.fibre_lengths import MusclesAtRest, resting_activations
from myodyne.equations.muscles.kinds import ResponseTable
from myodyne.errors import SolveError
from myodyne.model import Muscle
from myodyne.types import Floats

# What every balance is measured against beside the forces that meet in it (N m or N).
_LITTLE = 1e-3
# Stiffness below this part of the largest counts as zero.
_LIMP = 1e-12
# A coordinate lifts the whole body if its weight is that of the body, but for this part; how far (m) the ground may be,
# and the first step towards it, as halvings of that.
_WHOLE, _REACH, _HALVINGS = 1e-6, 1.0, 10
# Fibres of less than no length (optimal lengths), and a pull (maximal forces) that they cannot exert; fibres that
# are held pull so much with nothing left.
_NO_LENGTH, _NO_PULL, _HELD = -0.01, 1e-3, -1e-4


class Statics:
    """The static balance as a function of the coordinates that are not held, and of the constraint forces.

    Activations follow from the excitations, and fibre lengths from the pose, so that only joints and constraints
    are left to be balanced: muscles are in balance throughout. ``unknown`` is made of the free coordinates and the
    multipliers.
    """

    def __init__(self, equations: Equations, pose: Mapping[str, float], controls: Mapping[str, float]) -> None:
        self.equations, self.pose = equations, pose
        self.size, self.rows = len(equations.coordinates), len(equations.multipliers)
        self.held = np.array([name in pose for name in equations.coordinates], dtype=bool)
        self.free = int(np.sum(~self.held))
        self.p = equations.numbers
        self.u = np.zeros(len(equations.controls))
        for name, value in controls.items():
            self.u[equations.controls.index(name)] = value
        self._muscles = MusclesAtRest(equations) if equations.muscles else None

    @property
    def names(self) -> list[str]:
        """What each entry of a balance belongs to: coordinates that are not held, then rows of constraints."""
        free = [name for name, held in zip(self.equations.coordinates, self.held, strict=True) if not held]
        return [*free, *self.equations.multipliers]

    def first(self, pose: Floats) -> Floats:
        """Return the unknown of a pose, without constraint forces."""
        return np.concatenate([pose[~self.held], np.zeros(self.rows)])

    def whole_pose(self, unknown: Floats) -> Floats:
        """Return all coordinates, the held ones included."""
        q = np.empty(self.size)
        q[~self.held] = unknown[: self.free]
        q[self.held] = [self.pose[name] for name in self.equations.coordinates if name in self.pose]
        return q

    def box(self, first: Floats) -> tuple[Floats, Floats]:
        """Return the poses among which random ones are taken: the ranges, or half a radian or metre around."""
        low, high = first - 0.5, first + 0.5
        for number, name in enumerate(self.equations.coordinates):
            limits = self.equations.model.coordinates[name].range
            if limits is not None:
                low[number], high[number] = limits
        return low, high

    def drag(self, pose: Floats) -> Floats:
        """Return what resists each unknown where the body sinks as in syrup: the inertia of its coordinate."""
        inertia = np.diag(self.equations.mass_matrix(pose, self.p))[~self.held]
        return np.concatenate([np.maximum(inertia, 1e-4), np.zeros(self.rows)])

    def landed(self, pose: Floats) -> Floats:
        """Return a pose, raised or lowered as a whole until the ground carries its weight.

        It is the pose itself where no free coordinate lifts the whole body, or where no ground is near.
        """
        weights, model = self._weight(pose), self.equations.model
        whole = model.mass * float(np.linalg.norm(model.gravity))
        lifting = np.flatnonzero(~self.held & (np.abs(np.abs(weights) - whole) < _WHOLE * whole))
        if not len(lifting) or not whole:
            return pose
        place, up = int(lifting[0]), float(np.sign(weights[lifting[0]]))

        def unsupported(height: float) -> float:
            q = pose.copy()
            q[place] += up * height
            return up * float(self.balance(q, np.zeros(self.rows))[0][place])

        above, below = 0.0, 0.0
        reach = _REACH / 2**_HALVINGS
        while unsupported(below) > 0 and below > -_REACH:
            above, below, reach = below, below - reach, 2 * reach
        while unsupported(above) < 0 and above < _REACH:
            below, above, reach = above, above + reach, 2 * reach
        if unsupported(below) > 0 or unsupported(above) < 0:
            return pose
        for _ in range(2 * _HALVINGS):
            middle = 0.5 * (above + below)
            above, below = (middle, below) if unsupported(middle) > 0 else (above, middle)
        carried = pose.copy()
        carried[place] += up * below
        return carried

    def _weight(self, q: Floats) -> Floats:
        """Return the generalised forces that carry the body alone."""
        still = np.zeros(self.size)
        return self.equations.inverse_dynamics(q, still, still, self.p)

    def states(self, q: Floats) -> tuple[Floats, Floats]:
        """Return the fibre states in balance in a pose, and the activation states under the excitations."""
        if self._muscles is None:
            return np.empty(0), np.empty(0)
        active = resting_activations(self.equations.model, self.u)
        lengths, _ = self.equations.fitted_paths(q, self.p)
        return self._muscles.fibres(lengths, active, self.u[: len(lengths)]), active

    def pulls(self, q: Floats) -> tuple[ResponseTable, Floats]:
        """Return what the muscles do in a pose, and the derivative of their lengths by the coordinates."""
        assert self._muscles is not None
        fibres, active = self.states(q)
        lengths, arms = self.equations.fitted_paths(q, self.p)
        return self._muscles.responses(lengths, active, self.u[: len(lengths)], fibres), -arms

    def balance(self, q: Floats, multipliers: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the force balance of the skeleton, its derivative by pose and multipliers, and sizes of its parts."""
        size, rows = self.size, self.rows
        whole = size + rows + 1
        x, xdot = np.zeros(2 * whole), np.zeros(2 * whole)
        x[:size], xdot[whole + size : whole + size + rows] = q, multipliers
        outputs = self.equations.kernel("balance").named(x, xdot, self.u, self.p)
        r, by_q, by_rate = outputs["r"], *(outputs[name].reshape(whole, whole).T for name in ("by_q", "by_vdot"))
        force, stiffness, pushed = r[:size].copy(), by_q[:size, :size].copy(), by_rate[:size, size : size + rows]
        # What the ground carries cancels what weighs on it; what is left says nothing of how large they are.
        weight = self._weight(q)
        sizes = np.abs(weight) + np.abs(force - weight) + np.abs(pushed) @ np.abs(multipliers)
        if self._muscles is not None:
            found, gradient = self.pulls(q)
            force += gradient.T @ found["tension"]
            sizes += np.abs(gradient.T) @ np.abs(found["tension"])
            kernel = self.equations.kernel("bending")
            ordered = found["tension"][list(kernel.signature.notes["order"])]
            bend = kernel.first(q, ordered, self.p).reshape(size, size).T
            stiffness += bend + gradient.T @ (_stiffness(found)[:, None] * gradient)
        return force, np.hstack([stiffness, pushed]), sizes

    def evaluated(self, unknown: Floats) -> tuple[Floats, Floats, Floats]:
        """Return what does not balance, its derivative by the unknown, and what to measure it against."""
        q = self.whole_pose(unknown)
        force, slope, sizes = self.balance(q, unknown[self.free :])
        columns = np.concatenate([~self.held, np.ones(self.rows, dtype=bool)])
        value, jacobian, sizes = force[~self.held], slope[np.ix_(~self.held, columns)], sizes[~self.held] + _LITTLE
        if self.rows:
            position, _, demanded = self.equations.constraint_errors(q, np.zeros(self.size), self.p)
            value = np.concatenate([value, position])
            below = np.hstack([demanded[:, ~self.held], np.zeros((self.rows, self.rows))])
            jacobian, sizes = np.vstack([jacobian, below]), np.concatenate([sizes, np.ones(self.rows)])
        return value, jacobian, sizes

    def softest(self, slope: Floats, drag: Floats) -> tuple[float, Floats]:
        """Return the least stiffness of all displacements that the constraints allow, and that displacement.

        It is measured against the drag (1/s²), so that radians and metres compare; one that is next to nothing is zero.
        Without any displacement it is infinite.
        """
        weight = 1 / np.sqrt(drag[: self.free])
        stiffness = weight[:, None] * slope[: self.free, : self.free] * weight
        none = _LIMP * float(np.max(np.abs(stiffness), initial=0.0))
        allowed = np.eye(self.free)
        demanded = slope[self.free :, : self.free] * weight
        if demanded.size:
            _, values, vectors = np.linalg.svd(demanded)
            allowed = vectors[int(np.sum(values > 1e-9 * max(values[0], 1e-300))) :]
        if not len(allowed):
            return np.inf, np.zeros(len(slope))
        stiffness = allowed @ stiffness @ allowed.T
        values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
        direction = np.zeros(len(slope))
        direction[: self.free] = weight * (vectors[:, 0] @ allowed)
        return float(values[0]) if abs(values[0]) > none else 0.0, direction

    def check_rest(self) -> None:
        """Refuse constraints that demand motion: a driven crank never rests."""
        if not self.rows:
            return
        still = np.zeros(self.size)
        defaults = self.equations.coordinate_defaults()
        moving = [f"{name}.torque" for name in self.equations.model.motions]
        if not moving:
            speed = self.equations.constraint_errors(defaults, still, self.p)[1]
            moving = [name for name, value in zip(self.equations.multipliers, speed, strict=True) if value]
        if moving:
            raise SolveError(
                f"'{self.equations.model.name}' has no equilibrium: its constraint "
                f"'{moving[0].partition('.')[0]}' demands motion. Leave it out with model.without(...)"
            )

    def holding(self, unknown: Floats) -> dict[str, float]:
        """Return what holds the coordinates that are held (N m or N), by name."""
        force, _, _ = self.balance(self.whole_pose(unknown), unknown[self.free :])
        return {
            name: float(force[number]) for number, name in enumerate(self.equations.coordinates) if self.held[number]
        }

    def check_fibres(self, q: Floats) -> None:
        """Refuse muscles that pull with fibres of less than no length: their paths are too short for them."""
        if self._muscles is None:
            return
        model = self.equations.model
        fibres, _ = self.states(q)
        found, _ = self.pulls(q)
        lengths = dict(zip(self._muscles.names, self.equations.fitted_paths(q, self.p)[0], strict=True))
        tensions = dict(zip(self._muscles.names, found["tension"], strict=True))
        elastic = [name for name, muscle in model.muscles.items() if muscle.elastic]
        wrong = [
            f"'{name}' (path {lengths[name]:.4g} m, slack tendon {model.muscles[name].tendon_slack_length:.4g} m)"
            for name, fibre in zip(elastic, fibres, strict=True)
            if _without_length(model.muscles[name], fibre, tensions[name])
        ]
        if wrong:
            raise SolveError(
                f"'{model.name}' rests only where the fibres of {', '.join(wrong[:5])} would have a negative length; "
                "check the path against tendon_slack_length"
            )

    def pulling(self, unknown: Floats, coordinate: str) -> str:
        """Name the muscles that pull most on a coordinate."""
        if self._muscles is None or coordinate not in self.equations.coordinates:
            return ""
        found, gradient = self.pulls(self.whole_pose(unknown))
        pulls = -gradient[:, self.equations.coordinates.index(coordinate)] * found["tension"]
        strongest = np.argsort(-np.abs(pulls))[:3]
        pulling = [f"'{self._muscles.names[number]}' ({pulls[number]:.3g})" for number in strongest if pulls[number]]
        return f"; {', '.join(pulling)} pull most on '{coordinate}'" if pulling else ""


def _stiffness(found: ResponseTable) -> Floats:
    """Return how tensions grow with the lengths of the muscles while the fibres stay in balance."""
    by_fibre, slope = found["contraction", "projected"], found["contraction", "length"]
    # Where nothing pulls, neither does a little more length; muscles with a rigid tendon have no fibre to move.
    yielding = np.divide(slope, by_fibre, out=np.zeros_like(slope), where=by_fibre != 0)
    return np.asarray(found["tension", "length"] - found["tension", "projected"] * yielding)


def _without_length(muscle: Muscle, fibre: float, tension: float) -> bool:
    if muscle.holds_fibres:
        return fibre < _HELD
    return fibre < _NO_LENGTH and abs(tension) > _NO_PULL * muscle.max_force
