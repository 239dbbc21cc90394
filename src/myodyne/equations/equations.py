"""Equations: the compiled mathematics of a model, called with plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations.build import Kernels, kernels_of
from myodyne.equations.closure import NOTHING, Closure
from myodyne.equations.layout import Layout, NamedEquations
from myodyne.equations.marchable import MarchableEquations
from myodyne.equations.motions import motions_in
from myodyne.equations.muscles.fibre_lengths import balanced_fibres
from myodyne.equations.muscles.kinds import activation_states
from myodyne.equations.muscles.tables import MuscleTables
from myodyne.equations.requests import KernelRequest
from myodyne.equations.sparse import SparseOutput
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.native.kernel import Kernel
from myodyne.native.libraries import Runtime
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.paths.fitted import FittedPath, Tolerance
from myodyne.paths.geometry import Geometry
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.equations.assemble import Assembly

# Values of the free numbers: a vector, some of them by name, or None for the model's own.
Parameters: TypeAlias = ArrayLike | Mapping[str, float] | None


class Equations(NamedEquations):
    """One implicit residual ``F(x, xdot, u, p) = 0`` with exact derivatives, and what biomechanists read from it.

    Every method takes one vector or stacked rows, and ``p``, the values of the model's free numbers
    (None: the model's own). Get one from `equations_of`.

    Examples
    --------
    >>> import myodyne as my
    >>> eq = my.equations_of(my.load_model("pendulum"), compiled=False)
    >>> eq
    Equations(of 'pendulum', 1 coordinates, interpreted)
    >>> eq.inverse_dynamics([0.5], [0.0], [0.0]).round(3)      # N m that hold the rod at 0.5 rad
    array([2.352])
    """

    def __init__(
        self,
        model: Model,
        compiled: bool | None = None,
        tolerance: Tolerance | None = None,
        closure: Closure = NOTHING,
    ) -> None:
        self.model = model
        self.closure = closure
        self._asked = compiled, tolerance
        self._kernels: Kernels = kernels_of(model, compiled, tolerance, closure)
        self.layout = Layout.of(model, closure)
        self._own = np.array([*model.free_numbers, *closure.values], dtype=float)
        self._size = len(self.layout.coordinates)

    def __reduce__(self) -> tuple[type[Equations], tuple[object, ...]]:
        return Equations, (self.model, *self._asked, self.closure)

    def closed_by(self, closure: Closure) -> Equations:
        """Return the equations with a control law and recorded forces."""
        return self if closure == self.closure else Equations(self.model, *self._asked, closure)

    @property
    def numbers(self) -> Floats:
        """The values of ``p``: free numbers of the model, then gains of a control law; a copy."""
        return self._own.copy()

    def applied_controls(self, motion: Floats, u: Floats, p: Parameters = None) -> Floats:
        """Return the controls of the model, a row for each state of the motion: with those that a control law gives."""
        applied = np.array(u[:, : len(self.model.controls)])
        loop = self._kernels.loop
        if loop is not None:
            sizes = [self._size, self._size, len(self.layout.fibres)]
            parts = np.split(motion, np.cumsum(sizes), axis=1)
            applied[:, loop.signature.notes["places"]] = loop.first(*parts, u, self._p(p))
        return applied

    def __repr__(self) -> str:
        how = "compiled" if self.compiled else "interpreted"
        return f"Equations(of '{self.model.name}', {self._size} coordinates, {how})"

    @property
    def compiled(self) -> bool:
        """Whether the equations run as compiled code."""
        return self._kernels.compiled

    @property
    def runtime(self) -> Runtime | None:
        """The C routines that drive the kernels, None where the equations are interpreted."""
        return self._kernels.runtime

    @property
    def system(self) -> MarchableEquations:
        """The equations in the form that marches take."""
        return MarchableEquations(self, self._kernels)

    def kernel(self, request: KernelRequest) -> Kernel:
        """Return one of the functions that the equations consist of, compiled when it is first requested."""
        return self._kernels[request]

    def assembly(self) -> Assembly:
        """Return the symbolic expressions behind the equations, for solvers that differentiate further."""
        return self._kernels.assembly()

    @cached_property
    def marched(self) -> tuple[str, ...]:
        """Names of the states of a march: the motion, and the work (J) done on the body, for the energy audit."""
        return (*self.motion, "energy.input_work")

    @cached_property
    def multipliers(self) -> tuple[str, ...]:
        """Names of the multipliers of constraints: the forces that they exert."""
        if all(constraint.by != "multipliers" for constraint in self.model.constraints.values()):
            return ()
        return tuple(self.kernel("constraints").signature.notes["names"])

    @cached_property
    def repeated_rows(self) -> tuple[str, ...]:
        """Names of rows of constraints that others imply wherever they are met: they are left out of the equations."""
        if all(constraint.by != "multipliers" for constraint in self.model.constraints.values()):
            return ()
        return tuple(self.kernel("constraints").signature.notes["repeated"])

    @cached_property
    def muscle_tables(self) -> MuscleTables | None:
        """Kinds, states, paths and numbers of the muscles, None for a model without muscles."""
        return self._kernels.muscle_tables(self.model) if self.muscles else None

    @property
    def path_fits(self) -> Mapping[str, FittedPath]:
        """The polynomials that replace paths over surfaces in the equations of motion, with their errors."""
        return self._kernels.fitted_paths.fits

    @property
    def exact_paths(self) -> bool:
        """Whether muscles follow surfaces exactly in the equations of motion, and not by polynomials."""
        return self._kernels.exact

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of all outputs, which are functions of a state, its rate and the controls."""
        return tuple(self.kernel("outputs").signature.notes["names"])

    @cached_property
    def output_units(self) -> tuple[str, ...]:
        """Units of the outputs, in their order."""
        return tuple(self.kernel("outputs").signature.notes["units"])

    def _p(self, p: Parameters) -> ArrayLike:
        if p is None:
            return self._own
        if isinstance(p, Mapping):
            return self.parameter_vector(p)
        return p

    def with_numbers(self, p: Parameters) -> Model:
        """Return the model with other values of its free numbers."""
        values = np.asarray(self._p(p), dtype=float)
        return self.model.with_values(dict(zip(self.model.free_values, map(float, values), strict=False)))

    def with_parameters(self, p: Parameters) -> Equations:
        """Return the equations with other values of the free numbers and gains."""
        values = np.asarray(self._p(p), dtype=float)
        gains = values[len(self.model.free_values) :].tolist()
        return Equations(self.with_numbers(values), *self._asked, self.closure.with_values(gains))

    def parameter_vector(self, values: Mapping[str, float]) -> Floats:
        """Return ``p`` with some of the free numbers changed by name."""
        result = self._own.copy()
        for name, value in values.items():
            if name not in self.parameters:
                raise ModelError(unknown_name("free number", name, self.parameters))
            result[self.parameters.index(name)] = _number(f"free number '{name}'", value)
        return result

    def mass_matrix(self, q: ArrayLike, p: Parameters = None) -> Floats:
        """Return the mass matrix (n, n)."""
        return self._square(self.kernel("mass_matrix").first(q, self._p(p)))

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, p: Parameters = None) -> Floats:
        """Return the generalised forces (N m, N) of inertia, Coriolis and gravity alone.

        No springs, limits, motors or other forces of the model enter.
        """
        if p is None and not self.layout.parameters:
            return self._inverse(q, v, vdot)
        return self._inverse(q, v, vdot, self._p(p))

    @cached_property
    def _inverse(self) -> Callable[..., Floats]:
        return self.kernel("inverse_dynamics").first

    def inverse_dynamics_jacobians(
        self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, p: Parameters = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return the derivatives of `inverse_dynamics` by q, v and vdot, each (n, n)."""
        by_q, by_v, by_vdot = self.kernel("inverse_dynamics_jacobians")(q, v, vdot, self._p(p))
        return self._square(by_q), self._square(by_v), self._square(by_vdot)

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, p: Parameters = None) -> Floats:
        """Return the accelerations under gravity and the generalised forces ``tau`` alone."""
        return self.kernel("forward_dynamics").first(q, v, tau, self._p(p))

    def derivative(self, x: ArrayLike, u: ArrayLike = (), p: Parameters = None, *, exact_paths: bool = False) -> Floats:
        """Return the rates of the motion under all forces, muscles and constraints of the model.

        Muscles over surfaces follow their fitted paths, or with ``exact_paths`` the surfaces themselves, but slower.
        """
        kernel = self._kernels["exact_derivative" if exact_paths else "derivative"]
        return kernel.first(x, u) if p is None and not self.layout.parameters else kernel.first(x, u, self._p(p))

    def constraint_forces(self, x: ArrayLike, u: ArrayLike = (), p: Parameters = None) -> Floats:
        """Return the multipliers of the constraints for a motion ``x``."""
        return self.kernel("derivative").output("multipliers", x, u, self._p(p))

    def constraint_errors(
        self, q: ArrayLike, v: ArrayLike, p: Parameters = None, u: ArrayLike = ()
    ) -> tuple[Floats, Floats, Floats]:
        """Return the errors of each row of the constraints in position and in speed, and the Jacobian (rows, n)."""
        position, speed, jacobian = self.kernel("constraints")(q, v, motions_in(self.model, u), self._p(p))
        return position, speed, jacobian.reshape(*jacobian.shape[:-1], -1, self._size)

    def residual(self, x: ArrayLike, xdot: ArrayLike, u: ArrayLike = (), p: Parameters = None) -> Floats:
        """Return ``F(x, xdot, u, p)``, zero for a motion that obeys the equations."""
        return self.kernel("residual").first(x, xdot, u, self._p(p))

    # A matrix, or for stacked rows a list of them: a union of the two would burden every caller.
    def jacobians(self, x: ArrayLike, xdot: ArrayLike, u: ArrayLike = (), p: Parameters = None) -> tuple[Any, Any, Any]:
        """Return dF/dx, dF/dxdot and dF/du as sparse matrices; for stacked rows, a list of matrices each."""
        by_x, by_xdot, by_u = self.kernel("jacobians")(x, xdot, u, self._p(p))
        matrices = self._sparse_jacobians
        return matrices["by_x"].matrices(by_x), matrices["by_xdot"].matrices(by_xdot), matrices["by_u"].matrices(by_u)

    def parameter_jacobian(self, x: ArrayLike, xdot: ArrayLike, u: ArrayLike = (), p: Parameters = None) -> Any:  # noqa: ANN401 - see jacobians
        """Return dF/dp for the model's free numbers as a sparse matrix; for stacked rows, a list of matrices."""
        by_p = self.kernel("parameter_jacobian").output("by_p", x, xdot, u, self._p(p))
        return self._sparse_parameter_jacobian.matrices(by_p)

    @cached_property
    def _sparse_jacobians(self) -> dict[str, SparseOutput]:
        kernel = self.kernel("jacobians")
        return {name: SparseOutput(kernel, name) for name, _ in kernel.signature.outputs}

    @cached_property
    def _sparse_parameter_jacobian(self) -> SparseOutput:
        return SparseOutput(self.kernel("parameter_jacobian"), "by_p")

    @cached_property
    def _geometry(self) -> Geometry:
        return Geometry(self.model, self._kernels)

    def muscle_lengths(self, q: ArrayLike, p: Parameters = None) -> Floats:
        """Return the lengths (m) of muscles with tendons, from origin to insertion: exact, never a fit."""
        return self._geometry.lengths(q, self._p(p))

    def moment_arms(self, q: ArrayLike, p: Parameters = None) -> Floats:
        """Return the moment arms (m; n_muscles, n_coordinates): the negative derivatives of the exact lengths."""
        return self._geometry.moment_arms(q, self._p(p))

    def fitted_paths(self, q: ArrayLike, p: Parameters = None) -> tuple[Floats, Floats]:
        """Return lengths and moment arms as the equations of motion see them: fitted where paths run over surfaces."""
        if self.exact_paths:
            return self.muscle_lengths(q, p), self.moment_arms(q, p)
        return self._geometry.fitted(q, self._p(p))

    def body_poses(self, q: ArrayLike, p: Parameters = None) -> tuple[Floats, Floats]:
        """Return rotations (bodies, 3, 3), body to ground, and positions (bodies, 3) of all body frames."""
        turns, places = self.kernel("poses")(q, self._p(p))
        lead = turns.shape[:-1]
        return turns.reshape(*lead, -1, 3, 3), places.reshape(*lead, -1, 3)

    def body_positions(self, q: ArrayLike, p: Parameters = None) -> dict[str, Floats]:
        """Return the origin (3,) of each body in the ground, by name."""
        _, places = self.body_poses(q, p)
        return {name: places[..., number, :] for number, name in enumerate(self.bodies)}

    def centre_of_mass(self, q: ArrayLike, p: Parameters = None) -> Floats:
        """Return the centre of mass (3,) of the whole body in the ground."""
        return self.kernel("momentum").output("centre_of_mass", q, np.zeros(self._size), self._p(p))

    def momentum(self, q: ArrayLike, v: ArrayLike, p: Parameters = None) -> tuple[Floats, Floats]:
        """Return linear momentum, and angular momentum about the centre of mass, in the axes of the ground."""
        found = self.kernel("momentum").named(q, v, self._p(p))
        return found["linear_momentum"], found["angular_momentum"]

    def energy(self, q: ArrayLike, v: ArrayLike, p: Parameters = None) -> tuple[Floats, Floats]:
        """Return kinetic and potential energy (J), the latter with the energy of springs."""
        found = self.kernel("mechanics").named(q, v, self._p(p))
        return found["kinetic"][..., 0], found["potential"][..., 0]

    def output_values(self, x: ArrayLike, xdot: ArrayLike, u: ArrayLike = (), p: Parameters = None) -> Floats:
        """Return all outputs, in the order of ``eq.outputs``."""
        return self.kernel("outputs").first(x, xdot, u, self._p(p))

    def outputs_at(
        self,
        times: Floats,
        states: Floats,
        controls: PiecewisePolynomial,
        p: Parameters = None,
        rates: Floats | None = None,
    ) -> Floats:
        """Return all outputs, a row for each time, of states under given controls.

        ``rates`` are those of the motion and the multipliers, where they are known; rows of NaN follow from the states.
        """
        u, size = controls(times), len(self.motion)
        known = np.full((len(times), len(self.states)), np.nan) if rates is None else np.array(rates, dtype=float)
        unknown = ~np.all(np.isfinite(known), axis=1)
        if unknown.any():
            known[unknown] = np.hstack(self.kernel("derivative")(states[unknown], u[unknown], self._p(p)))
        multipliers = known[:, size:]
        x, xdot = np.hstack([states, multipliers]), np.hstack([known[:, :size], np.zeros_like(multipliers)])
        return self.output_values(x, xdot, u, p)

    def coordinate_defaults(self) -> Floats:
        """Return the coordinates (rad or m) of the model's default pose."""
        return np.array([self.model.coordinates[name].default for name in self.coordinates], dtype=float)

    @cached_property
    def _defaults(self) -> Floats:
        """The motion with the defaults of the model, fibres left out."""
        x = np.zeros(len(self.motion))
        x[: self._size] = self.coordinate_defaults()
        x[self._size : 2 * self._size] = [self.model.coordinates[name].default_speed for name in self.coordinates]
        for name, state in activation_states(self.model).items():
            x[self.motion.index(state)] = self.model.muscles[name].starting_activation
        return x

    def state(self, values: Mapping[str, float] | None = None) -> Floats:
        """Return the motion with the defaults of the model, and some of it changed by name.

        Fibres that are not given have the length at which their muscle is in balance without moving.
        """
        x = self._defaults.copy()
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(
                f"states are given by name, like {{'{self.motion[0]}': 0.5}}, not as {values!r:.60}"
                if self.motion
                else f"'{self.model.name}' has no states"
            )
        for name, value in (values or {}).items():
            if name not in self.motion:
                raise ModelError(self._no_state(name))
            x[self.motion.index(name)] = _number(f"state '{name}'", value)
        unknown = np.array([name not in (values or {}) for name in self.layout.fibres], dtype=bool)
        if unknown.any():
            fibres = slice(2 * self._size, 2 * self._size + len(unknown))
            x[fibres][unknown] = balanced_fibres(self, x[: self._size], x[fibres.stop :])[unknown]
        return x

    def _no_state(self, name: str) -> str:
        """Return a message on a name that is not a state: its coordinate may be locked or coupled."""
        coordinate = self.model.coordinates.get(str(name).removesuffix(".speed"))
        if coordinate is None:
            return unknown_name("state", name, self.motion)
        if coordinate.locked:
            return f"'{name}' is not a state: its coordinate is locked at {coordinate.default:g}"
        return f"'{name}' is not a state: its coordinate is coupled to others and follows them"

    def _square(self, flat: Floats) -> Floats:
        return flat.reshape(*flat.shape[:-1], self._size, self._size)


def _number(what: str, value: object) -> float:
    """Return one finite number from a number of Python or NumPy, or a scalar of xarray."""
    array = np.asarray(value)
    if array.ndim or array.dtype.kind not in "iuf":
        raise ModelError(f"{what} must be a number, not {value!r:.60}")
    if not np.isfinite(array):
        raise ModelError(f"{what} cannot be {array}")
    return float(array)


def equations_of(
    model: Model,
    compiled: bool | None = None,
    *,
    path_error: float = 0.0005,
    arm_error: float = 0.001,
    path_degree: int = 6,
    exact_paths: bool = False,
) -> Equations:
    """Return the equations of a model, compiled and cached.

    Parameters
    ----------
    model
        The model.
    compiled
        None compiles where a C compiler is found; False runs the equations in the interpreter; True raises an error
        without a compiler. Functions are compiled when they are first used.
    path_error, arm_error, path_degree
        Paths over surfaces enter the equations of motion as polynomials up to that degree, fitted when they are first
        needed within these errors (m, root mean square) of length and moment arms, or as close as they come; see
        ``path_fits``. `Equations.muscle_lengths` and `Equations.moment_arms` are exact in any case.

    exact_paths
        Muscles follow surfaces without polynomials: slower, by explicit schemes only, and for all poses. Needs a
        compiler.

    Examples
    --------
    >>> import myodyne as my
    >>> eq = my.equations_of(my.load_model("pendulum"), compiled=False)
    >>> eq.mass_matrix([0.0]).round(6)
    array([[0.333333]])
    """
    if not isinstance(model, Model):
        raise ModelError(f"equations need a model (from my.load_model), not {model!r:.60}")
    return Equations(model, compiled, Tolerance(path_error, arm_error, path_degree, bool(exact_paths)))
