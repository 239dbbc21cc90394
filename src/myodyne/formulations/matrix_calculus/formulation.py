"""The equations of motion of a model by the calculus of matrix-valued functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError, unknown_name
from myodyne.formulations.matrix_calculus import dynamics, moment_arms
from myodyne.formulations.matrix_calculus.calculus import Array
from myodyne.formulations.matrix_calculus.frames import skeleton_of
from myodyne.formulations.matrix_calculus.joint_variables import (
    Evaluator,
    JointVariable,
    JointVariables,
    coordinate_variables,
    couplings,
    evaluator,
)
from myodyne.formulations.matrix_calculus.kinematics import Kinematics
from myodyne.formulations.matrix_calculus.loops import ClosedLoops, opened, solved_constraints
from myodyne.formulations.matrix_calculus.model_paths import AttachmentSequence, ModelPaths
from myodyne.formulations.matrix_calculus.moment_arms import Paths
from myodyne.model import GROUND, Model


class MatrixCalculus:
    """Ehsani's equations of motion ``M q̈ + N q̇ = G + R F + τ`` of a model, in NumPy.

    It shares no code with the production equations, verifies them, and shows every matrix of the derivation. Like
    `Equations.inverse_dynamics` it includes inertia and gravity only; forces and multiplier constraints of the model
    are ignored. Coordinates are those of ``model.moving``, in that order: locked ones are constants; coupled ones, and
    those solved by loops, are functions of the others.

    Parameters
    ----------
    model : any tree of bodies; joints may follow any functions of the coordinates.

    Examples
    --------
    >>> from myodyne.model import Body, Model, pin
    >>> rod = Model(name="rod", gravity=(0, -10, 0), joints={"pivot": pin("ground", "rod", "angle")},
    ...             bodies={"rod": Body(mass=3.0, centre_of_mass=(1, 0, 0), inertia=1.0)})
    >>> equations = MatrixCalculus(rod)
    >>> equations.mass_matrix([0.0]), equations.gravity_terms([0.0])
    (array([[4.]]), array([-30.]))
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._skeleton = skeleton_of(model)
        self._evaluators = [evaluator(function) for function in self._skeleton.functions]
        self._couplings = couplings(model)
        self._loops = ClosedLoops(model, MatrixCalculus(opened(model))) if solved_constraints(model) else None
        self._paths = ModelPaths(model, self._skeleton.frame_of_body)
        self._inertias = {name: dynamics.pseudo_inertia(body) for name, body in model.bodies.items()}

    def __repr__(self) -> str:
        return f"MatrixCalculus(of '{self.model.name}', {len(self.coordinates)} coordinates)"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates that can move."""
        return self.model.moving

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return tuple(self.model.bodies)

    def variables(self, q: ArrayLike) -> JointVariables:
        """Return all joint variables with their gradients and Hessians; ``q`` may be complex."""
        variables = self._coordinates(q)
        size = len(self.coordinates)
        found = [evaluate(variables, size) for evaluate in self._evaluators]
        return JointVariables(
            np.array([variable.value for variable in found]),
            np.array([variable.gradient for variable in found]).reshape(-1, size),
            np.array([variable.hessian for variable in found]).reshape(-1, size, size),
        )

    def _coordinates(self, q: ArrayLike) -> dict[str, JointVariable]:
        """Return all coordinates by name as functions of the moving ones."""
        at = self._vector(q, "q")
        fixed = {name: part.default for name, part in self.model.coordinates.items() if part.locked}
        variables = coordinate_variables(at, self.coordinates, fixed, self._couplings)
        if self._loops is not None:
            solved = {name: _given(each) for name, each in self._loops.variables(at, variables).items()}
            variables = coordinate_variables(at, self.coordinates, fixed, {**self._couplings, **solved})
        return variables

    def kinematics(self, q: ArrayLike) -> Kinematics:
        """Return the pose with all transformations and their derivatives; frames are numbered, see `frame`."""
        return Kinematics(self._skeleton.frames, self.variables(q))

    def frame(self, body: str) -> int:
        """Return the number of a body's frame, -1 for the ground."""
        if body not in self._skeleton.frame_of_body:
            raise ModelError(unknown_name("body", body, (GROUND, *self.bodies)))
        return self._skeleton.frame_of_body[body]

    def transform(self, body: str, q: ArrayLike) -> Array:
        """Return the transformation (4, 4) from a body's frame to the ground (equation 40)."""
        return self.kinematics(q).transform(self.frame(body))

    def D(self, body: str, q: ArrayLike, *, closed_form: bool = False) -> Array:  # noqa: N802 - as in the literature
        """Return the derivative (4 n, 4) of a body's transposed transformation by the coordinates (equation 45)."""
        return self.kinematics(q).first_derivative(self.frame(body), closed_form=closed_form)

    def D2(self, body: str, q: ArrayLike, *, closed_form: bool = False) -> Array:  # noqa: N802 - D' in the literature
        """Return the second derivative ``D'`` (4 n², 4) of a body's transposed transformation (equation 58)."""
        return self.kinematics(q).second_derivative(self.frame(body), closed_form=closed_form)

    def point_velocity(self, body: str, at: ArrayLike, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the velocity (3,) in the ground of a point of a body, by ``D`` (equation 44)."""
        return self.kinematics(q).point_velocity(self.frame(body), at, self._vector(v, "v"))

    def point_acceleration(self, body: str, at: ArrayLike, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Return the acceleration (3,) in the ground of a point of a body, by ``D`` and ``D'`` (equation 57)."""
        rates = self._vector(v, "v"), self._vector(vdot, "vdot")
        return self.kinematics(q).point_acceleration(self.frame(body), at, *rates)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return the mass matrix ``M`` (n, n) (equations 145 and 189)."""
        return self._mass_matrix(self.kinematics(q))

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return ``N`` (n, n), from Christoffel symbols: ``dM/dt - 2 N`` is skew-symmetric (147 corrected)."""
        return self._coriolis_matrix(self.kinematics(q), self._vector(v, "v"))

    def velocity_terms(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return ``N q̇`` (n,): the generalised forces of centrifugal and Coriolis accelerations."""
        return self.coriolis_matrix(q, v) @ self._vector(v, "v")

    def gravity_terms(self, q: ArrayLike) -> Array:
        """Return ``G`` (n,): the generalised forces of gravity, on the right side of the equations (187, 197)."""
        return self._gravity_terms(self.kinematics(q))

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Return the generalised forces ``M q̈ + N q̇ - G`` (n,) of a motion (N m, N)."""
        pose, v, vdot = self.kinematics(q), self._vector(v, "v"), self._vector(vdot, "vdot")
        inertial: Array = self._mass_matrix(pose) @ vdot + self._coriolis_matrix(pose, v) @ v
        return inertial - self._gravity_terms(pose)

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations (n,) under gravity and the generalised forces ``tau``.

        ``tau`` may include muscle forces: ``tensions @ moment_arms(paths, q)``.
        """
        pose, v, tau = self.kinematics(q), self._vector(v, "v"), self._vector(tau, "tau")
        forces = tau + self._gravity_terms(pose) - self._coriolis_matrix(pose, v) @ v
        result: Array = np.linalg.solve(self._mass_matrix(pose), forces)
        return result

    def path_lengths(self, paths: Paths, q: ArrayLike) -> Array:
        """Return the lengths (m) of paths, each a list of ``(body, point)``; ``q`` may be complex."""
        pose = self.kinematics(q)
        attached = moment_arms.attached_paths(paths, self._skeleton.frame_of_body)
        return np.array([moment_arms.path_length(pose, path) for path in attached])

    def moment_arms(self, paths: Paths, q: ArrayLike) -> Array:
        """Return the moment arms (paths, n), ``-∂L/∂q``: the transposed ``R`` of equation 193.

        Parameters
        ----------
        paths : mapping or sequence
            A mapping by name, or a sequence; each a list of ``(body, (x, y, z))``: origin, via points, insertion.
        q : (n,) array
            Coordinates (rad, m).

        Examples
        --------
        >>> from myodyne.model import Body, Model, pin
        >>> rod = Model(name="rod", joints={"pivot": pin("ground", "rod", "angle")}, bodies={"rod": Body(mass=1.0)})
        >>> biceps = [("ground", (0.0, 1.0, 0.0)), ("rod", (1.0, 0.0, 0.0))]
        >>> MatrixCalculus(rod).moment_arms([biceps], [0.0]).round(6)
        array([[0.707107]])
        """
        pose = self.kinematics(q)
        attached = moment_arms.attached_paths(paths, self._skeleton.frame_of_body)
        arms = [moment_arms.moment_arm_column(pose, path) for path in attached]
        return np.array(arms).reshape(-1, pose.size)

    def attachment_sequence(self, muscle: str, q: ArrayLike) -> AttachmentSequence:
        """Return the points of a muscle of the model in a pose (definition 2): those present, those on a surface."""
        if muscle not in self._paths.paths:
            raise ModelError(unknown_name("muscle along points", muscle, self._paths.paths))
        return self._paths.sequence(muscle, self.kinematics(q), self._coordinates(q))

    def membership(self, q: ArrayLike) -> dict[str, tuple[str, ...]]:
        """Return the muscles that pull on each body in a pose, its actuator membership set (definition 5)."""
        found: dict[str, list[str]] = {name: [] for name in self.bodies}
        named = {frame: body for body, frame in self._skeleton.frame_of_body.items()}
        for muscle in self._paths.paths:
            bodies = [named[point.frame] for point in self.attachment_sequence(muscle, q).points]
            for body in dict.fromkeys(body for body in bodies if body != GROUND):
                found[body].append(muscle)
        return {name: tuple(muscles) for name, muscles in found.items()}

    def muscle_lengths(self, q: ArrayLike) -> Array:
        """Return the lengths (m) of the model's muscles along points, in their order."""
        pose = self.kinematics(q)
        return np.array([self.attachment_sequence(name, q).length(pose) for name in self._paths.paths])

    def muscle_moment_arms(self, q: ArrayLike) -> Array:
        """Return the moment arms (muscles, n) of the model's muscles along points, ``-∂L/∂q``, by lines of action.

        Points may move with coordinates, come and go, and a path may run over one sphere or cylinder.
        """
        pose = self.kinematics(q)
        arms = [self.attachment_sequence(name, q).moment_arms(pose) for name in self._paths.paths]
        return np.array(arms).reshape(-1, pose.size)

    def _mass_matrix(self, pose: Kinematics) -> Array:
        result: Array = np.zeros((pose.size, pose.size))
        for body, inertia in self._inertias.items():
            result = result + dynamics.mass_contribution(inertia, pose.first_derivative(self.frame(body)))
        return result

    def _coriolis_matrix(self, pose: Kinematics, v: Array) -> Array:
        result: Array = np.zeros((pose.size, pose.size))
        for body, inertia in self._inertias.items():
            frame = self.frame(body)
            first, second = pose.first_derivative(frame), pose.second_derivative(frame)
            result = result + dynamics.coriolis_contribution(inertia, first, second, v)
        return result

    def _gravity_terms(self, pose: Kinematics) -> Array:
        result: Array = np.zeros(pose.size)
        for name, body in self.model.bodies.items():
            first = pose.first_derivative(self.frame(name))
            result = result + dynamics.gravity_contribution(body, first, self.model.gravity)
        return result

    def _vector(self, values: ArrayLike, name: str) -> Array:
        array = np.asarray(values)
        if array.shape != (len(self.coordinates),):
            raise ModelError(
                f"'{name}' needs one number for each of the {len(self.coordinates)} coordinates of "
                f"'{self.model.name}', not an array of shape {array.shape}"
            )
        if not np.isfinite(array).all():
            worst = self.coordinates[int(np.flatnonzero(~np.isfinite(array))[0])]
            raise ModelError(f"'{name}' is not finite at coordinate '{worst}'")
        return array * 1.0


def _given(variable: JointVariable) -> Evaluator:
    return lambda coordinates, size: variable
