"""The kernels of a model: which expressions of which symbols each of them computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import casadi as ca

from myodyne.equations.assemble import Assembly
from myodyne.equations.motions import motion_places
from myodyne.equations.muscles.kinds import Kind, kinds_of
from myodyne.equations.muscles.responses import curvature_of, details_of, fibre_balance_of, function_of
from myodyne.equations.outputs import outputs_of
from myodyne.equations.requests import DefinedKernel, KernelRequest, LaneKernel, ModelKernel, MuscleForm, MuscleKernel
from myodyne.equations.residual_jacobians import residual_jacobians
from myodyne.equations.wrenches import body_wrenches, given_wrenches
from myodyne.errors import ModelError, unknown_name
from myodyne.physics import recursive
from myodyne.physics.articulated import forward_dynamics
from myodyne.physics.derivatives import inverse_dynamics_jacobians
from myodyne.physics.kinematics import centre_of_mass, gravitational_energy, kinetic_energy, momentum
from myodyne.physics.paths import paths_of
from myodyne.physics.spatial import SX

# Fraction of the inertia that a coordinate moves: a pivot below it may be rounding error.
_LEAST_INERTIA = 1e-10


@dataclass(frozen=True)
class Definition:
    """Inputs and outputs of a kernel by name, and notes on them that are stored with the compiled code.

    ``sequence`` is the order in which compiled code computes the entries of the outputs, as pairs of an output's number
    and the place of the entry in it; by default they are computed output by output.
    """

    inputs: Mapping[str, SX]
    outputs: Mapping[str, SX]
    notes: Mapping[str, object] = field(default_factory=dict)
    sequence: Sequence[tuple[int, int]] = ()


def define(assembly: Assembly, request: KernelRequest) -> Definition:
    """Return the definition of a kernel."""
    if isinstance(request, DefinedKernel):
        return request.define(assembly)
    if isinstance(request, LaneKernel):
        return _in_lanes(assembly, define(assembly, request.of), request.entries)
    if isinstance(request, MuscleKernel):
        return _MUSCLE_KERNELS[request.form](kinds_of(assembly.model)[1][request.kind])
    if request not in _MODEL_KERNELS:
        raise ModelError(unknown_name("kernel", request, _MODEL_KERNELS))
    return _MODEL_KERNELS[request](assembly)


def _in_lanes(a: Assembly, definition: Definition, entries: tuple[int, ...] | None) -> Definition:
    """Some entries of the first output, with notes on whether they depend on rates (or multipliers) and controls."""
    if entries is None:
        return definition
    (name, column), *_ = definition.outputs.items()
    chosen = ca.vertcat(*(column[entry] for entry in entries))
    moving = ca.vertcat(a.xdot, a.multipliers)
    notes = {"by_rates": bool(ca.depends_on(chosen, moving)), "by_controls": bool(ca.depends_on(chosen, a.u))}
    return Definition(definition.inputs, {name: chosen}, notes)


def _inverse_dynamics(a: Assembly) -> Definition:
    tau = recursive.inverse_dynamics(a.tree, a.vdot, None, a.gravity)
    return Definition({"q": a.q, "v": a.v, "vdot": a.vdot, "p": a.p}, {"tau": tau})


def _inverse_dynamics_jacobians(a: Assembly) -> Definition:
    by_q, by_v, by_vdot = map(_row_by_row, inverse_dynamics_jacobians(a.tree, a.vdot, a.gravity))
    return Definition({"q": a.q, "v": a.v, "vdot": a.vdot, "p": a.p}, {"by_q": by_q, "by_v": by_v, "by_vdot": by_vdot})


def _row_by_row(matrix: SX) -> SX:
    """Return a matrix that the kernel writes row by row, as NumPy does; CasADi writes column by column."""
    return ca.densify(matrix.T)


def _external_forces(a: Assembly) -> Definition:
    """The generalised forces of a force (N) and a moment (N m) at the origin of each body, in the ground's axes."""
    given, wrenches = given_wrenches(a)
    return Definition({"q": a.q, "wrenches": given, "p": a.p}, {"tau": recursive.generalised(a.tree, wrenches)})


def _joint_loads(a: Assembly) -> Definition:
    """What each parent exerts on its child under the forces of the model and a wrench at each body's origin.

    Force (N) and moment (N m) at the joint's centre, in the axes of the ground, in the order of the bodies.
    """
    given, wrenches = given_wrenches(a)
    exerted = zip(a.applied.wrenches, a.applied.pulled, wrenches, strict=True)
    carried = recursive.transmitted(a.tree, a.vdot, [one + two + three for one, two, three in exerted], a.gravity)
    loads: list[SX] = []
    for body in a.model.bodies:
        number = a.tree.link_of_body[body]
        turn = a.kinematics.poses[number].rotation
        loads += [ca.densify(turn @ part) for part in (carried[number].force, carried[number].moment)]
    joints = [a.tree.links[a.tree.link_of_body[body]].joint for body in a.model.bodies]
    return Definition(
        {"q": a.q, "v": a.v, "vdot": a.vdot, "wrenches": given, "u": a.u, "p": a.p},
        {"loads": ca.vertcat(SX(0, 1), *loads)},
        {"joints": joints},
    )


def _path_pulls(a: Assembly) -> Definition:
    """What tensions (N) of the muscles exert on the bodies; ``weights`` are those of ``wrap_gradient``."""
    tensions, weights = SX.sym("tensions", len(a.model.muscles)), a.wrapped.weights()
    over = set(a.wrapped_names)
    numbers = {name: number for number, name in enumerate(a.model.muscles)}
    straight = {name: part.path for name, part in a.symbolic.muscles.items() if name not in over}
    pulls = paths_of(a.kinematics, straight).pulls(tensions[[numbers[name] for name in straight]])
    wrapped = a.wrapped.pulls(weights, tensions[[numbers[name] for name in a.wrapped_names]])
    wrenches = body_wrenches(a, [one + other for one, other in zip(pulls, wrapped, strict=True)])
    return Definition({"q": a.q, "tensions": tensions, "weights": weights, "p": a.p}, {"wrenches": wrenches})


def _all_coordinates(a: Assembly) -> Definition:
    """Values, rates and second derivatives of all coordinates, in the order of the model."""
    jets = [a.tree.coordinates[name] for name in a.model.coordinates]
    return Definition(
        {"q": a.q, "v": a.v, "vdot": a.vdot, "p": a.p},
        {
            "values": ca.densify(ca.vertcat(SX(0, 1), *(jet.value for jet in jets))),
            "rates": ca.densify(ca.vertcat(SX(0, 1), *(jet.rate for jet in jets))),
            "second": ca.densify(ca.vertcat(SX(0, 1), *(jet.gradient @ a.vdot + jet.velocity_term for jet in jets))),
        },
    )


def _mass_matrix(a: Assembly) -> Definition:
    return Definition({"q": a.q, "p": a.p}, {"matrix": _row_by_row(recursive.mass_matrix(a.tree))})


def _forward_dynamics(a: Assembly) -> Definition:
    if a.model.motions:
        raise ModelError(
            f"'{a.model.name}': no accelerations from coordinates, speeds and forces alone, because "
            f"constraint '{a.model.motions[0]}' moves with time; use eq.derivative(x, u)"
        )
    if a.demands.count:
        vdot, _ = a.constrained(a.tau, None, SX(a.demands.count, 1))
    else:
        vdot = forward_dynamics(a.tree, a.tau, None, a.gravity)
    return Definition({"q": a.q, "v": a.v, "tau": a.tau, "p": a.p}, {"vdot": ca.densify(vdot)})


def _derivative(a: Assembly) -> Definition:
    acceleration, multipliers = a.response
    return Definition(
        {"x": a.motion, "u": a.u, "p": a.p},
        {"xdot": ca.densify(ca.vertcat(a.v, acceleration)), "multipliers": ca.densify(multipliers)},
    )


def _marched(a: Assembly) -> Definition:
    """The rates of the motion, and the power of the work done on the body, for the energy audit."""
    acceleration, multipliers = a.response
    power = ca.substitute(a.supplied, a.multipliers, multipliers) if a.demands.count else a.supplied
    return Definition(
        {"x": ca.vertcat(a.motion, SX.sym("work")), "u": a.u, "p": a.p},
        {"xdot": ca.densify(ca.vertcat(a.v, acceleration, power))},
    )


def _constraints(a: Assembly) -> Definition:
    """The errors of the constraints in position and speed, with the names of their rows."""
    return Definition(
        {"q": a.q, "v": a.v, "motions": a.motions, "p": a.p},
        {
            "position": a.demands.position,
            "speed": a.demands.speed,
            "jacobian": _row_by_row(a.demands.jacobian),
        },
        {"names": a.demands.names, "owners": a.demands.owners, "repeated": a.repeated_rows},
    )


def _state_inputs(a: Assembly) -> dict[str, SX]:
    return {"x": a.x, "xdot": a.xdot, "u": a.u, "p": a.p}


def _residual(a: Assembly) -> Definition:
    return Definition(_state_inputs(a), {"F": ca.densify(a.residual)})


def _jacobians(a: Assembly) -> Definition:
    return Definition(_state_inputs(a), residual_jacobians(a))


def _feedback(a: Assembly) -> Definition:
    """The controls that the control law gives, and their derivatives by the states and by time."""
    law, names = a.closure.law, list(a.model.controls)
    assert law is not None
    places = [names.index(name) for name in law.controls]
    values = _column([a.controls[place] for place in places])
    return Definition(
        {"q": a.q, "v": a.v, "s": a.s, "a": a.a, "u": a.u, "p": a.p},
        {
            "values": values,
            "by_state": ca.densify(ca.jacobian(values, a.motion)),
            "by_time": ca.densify(ca.jacobian(values, a.clock) if a.closure.clocked else SX(len(places), 1)),
        },
        {"places": places, "clock": motion_places(a.model).stop if a.closure.clocked else -1},
    )


def _parameter_jacobian(a: Assembly) -> Definition:
    return Definition(_state_inputs(a), {"by_p": ca.jacobian(a.residual, a.p)})


def _balance(a: Assembly) -> Definition:
    """The force balance without muscles, with dense Jacobians, in the second-order form of implicit marches.

    A multiplier enters as the acceleration of a coordinate of its own, which nothing else depends on; its
    speed is then the impulse of the constraint. The power does so too, and its speed is the work done on the
    body. So neither needs a march of its own.
    """
    by_q, by_v, by_vdot = a.balance_jacobians
    size, rows, jacobian = a.tree.size, a.demands.count, a.demands.jacobian
    power = SX.sym("power")
    further = ca.vertcat(a.kept, power - a.skeleton_supplied)
    forces = ca.vertcat(a.multipliers, power)
    pushed = ca.horzcat(-jacobian.T, SX(size, 1))
    outputs = {
        "r": ca.vertcat(a.skeleton_balance, further),
        "by_q": ca.blockcat([[by_q, SX(size, rows + 1)], [ca.jacobian(further, a.q), SX(rows + 1, rows + 1)]]),
        "by_v": ca.blockcat([[by_v, SX(size, rows + 1)], [ca.jacobian(further, a.v), SX(rows + 1, rows + 1)]]),
        "by_vdot": ca.blockcat([[by_vdot, pushed], [ca.jacobian(further, a.vdot), ca.jacobian(further, forces)]]),
    }
    idle, integrals = SX.sym("idle", rows + 1), SX.sym("integrals", rows + 1)
    rates = SX.sym("rates", size + rows + 1)
    return Definition(
        {"x": ca.vertcat(a.q, idle, a.v, integrals), "xdot": ca.vertcat(rates, a.vdot, forces), "u": a.u, "p": a.p},
        {name: ca.densify(value) for name, value in outputs.items()},
    )


def _inertia(a: Assembly) -> Definition:
    """What accelerations are found from: themselves under a pull of the muscles, where nothing constrains masses.

    Beside them the power, and for each coordinate whether its inertia is more than what rounding leaves of that of
    all that it moves. Elsewhere the force balance without muscles and its derivative by accelerations.
    """
    whole, matrix = _balance(a), recursive.mass_matrix(a.tree)
    if a.demands.count or any(matrix[number, number].is_zero() for number in range(a.tree.size)):
        outputs = {name: whole.outputs[name] for name in ("r", "by_vdot")}
        return Definition(whole.inputs, outputs, {"solved": False})
    pull, still = SX.sym("pull", a.tree.size), SX(ca.DM.zeros(a.tree.size))
    bias = recursive.inverse_dynamics(a.tree, still, a.applied.wrenches, a.gravity)
    vdot, pivots = recursive.eliminated(matrix, a.applied.torques - bias - pull)
    power = a.skeleton_supplied - a.v.T @ pull
    inputs = {"x": whole.inputs["x"], "pull": pull, "u": a.u, "p": a.p}
    outputs = {"rates": ca.vertcat(vdot, power), "definite": pivots - _LEAST_INERTIA * ca.diag(matrix)}
    return Definition(inputs, {name: ca.densify(value) for name, value in outputs.items()}, {"solved": True})


def _paths(a: Assembly) -> Definition:
    """Lengths and gradients of all paths in the order of their groups; rates of gradients where a tendon is rigid."""
    groups = a.groups

    def entries(matrix: SX) -> SX:
        return _column([matrix[groups.order[place], coordinate] for place, coordinate in groups.entries])

    rate = entries(a.paths.gradient_rate) if len(a.elastic) < len(a.model.muscles) else SX(0, 1)
    # Muscle by muscle: its length and slopes share sums, which would wait in memory for the slopes of all others.
    outputs = ((0, place) for place in range(len(groups.order)))
    slopes = [
        (place, (number, entry))
        for number in ((1, 2) if rate.numel() else (1,))
        for entry, (place, _) in enumerate(groups.entries)
    ]
    sequence = [output for _, output in sorted([*((place[1], place) for place in outputs), *slopes])]
    return Definition(
        {"q": a.q, "v": a.v, "p": a.p},
        {
            "lengths": _column([a.paths.lengths[number] for number in groups.order]),
            "gradient": entries(a.paths.gradient),
            "gradient_rate": rate,
        },
        groups.notes(),
        sequence,
    )


def _column(entries: Sequence[SX]) -> SX:
    return ca.densify(ca.vertcat(SX(0, 1), *entries))


def _point_paths(a: Assembly) -> Definition:
    """Lengths and gradients, as they are, of the paths that wrap over no surface."""
    straight = {name: part.path for name, part in a.symbolic.muscles.items() if name not in a.wrapped_names}
    paths = paths_of(a.kinematics, straight)
    return Definition(
        {"q": a.q, "v": a.v, "p": a.p}, {"lengths": ca.densify(paths.lengths), "gradient": paths.gradient.T}
    )


def _wrap_places(a: Assembly) -> Definition:
    """Where the paths over surfaces have their points and surfaces."""
    places = a.wrapped
    return Definition({"q": a.q, "p": a.p}, {"points": places.points, "active": places.active, "frames": places.frames})


def _wrap_gradient(a: Assembly) -> Definition:
    """What the derivatives of lengths by those places make by the coordinates, a column for each path."""
    weights = a.wrapped.weights()
    return Definition({"q": a.q, "weights": weights, "p": a.p}, {"gradient": a.wrapped.gradient(weights).T})


def _bending(a: Assembly) -> Definition:
    """How the moment arms change with the pose, summed over all muscles by their tensions in the order of groups."""
    tensions = SX.sym("tensions", len(a.model.muscles))
    ordered = _column([tensions[a.groups.order.index(number)] for number in range(len(a.model.muscles))])
    return Definition(
        {"q": a.q, "tensions": tensions, "p": a.p},
        {"matrix": ca.densify(a.paths.bending(ordered))},
        {"order": a.groups.order},
    )


def _muscle_response(kind: Kind) -> Definition:
    function = function_of(kind)
    drive, numbers = function.sx_in()
    return Definition({"drive": drive, "numbers": numbers}, {"values": function(drive, numbers)})


def _fibre_balance(kind: Kind) -> Definition:
    rate, drive, numbers, known, balance = fibre_balance_of(kind)
    return Definition({"rate": rate, "drive": drive, "numbers": numbers}, {"known": known, "balance": balance})


def _muscle_curvature(kind: Kind) -> Definition:
    drive, numbers, weights, curvature, slopes = curvature_of(kind)
    return Definition(
        {"drive": drive, "numbers": numbers, "weights": weights}, {"curvature": curvature}, {"slopes": slopes}
    )


def _muscle_details(kind: Kind) -> Definition:
    drive, numbers, values = details_of(kind)
    return Definition({"drive": drive, "numbers": numbers}, {"values": values})


def _poses(a: Assembly) -> Definition:
    poses = [a.kinematics.body_pose(body) for body in a.model.bodies]
    turns = [ca.densify(ca.reshape(pose.rotation.T, 9, 1)) for pose in poses]
    places = [ca.densify(pose.position) for pose in poses]
    return Definition(
        {"q": a.q, "p": a.p}, {"rotations": ca.vertcat(SX(0, 1), *turns), "positions": ca.vertcat(SX(0, 1), *places)}
    )


def _markers(a: Assembly) -> Definition:
    """Where the markers of the model are in the ground, and how they move with the coordinates, row by row."""
    places = [a.kinematics.point(part.body, part.at) for part in a.symbolic.markers.values()]
    column = ca.densify(ca.vertcat(SX(0, 1), *places))
    return Definition({"q": a.q, "p": a.p}, {"positions": column, "jacobian": _row_by_row(ca.jacobian(column, a.q))})


def _momentum(a: Assembly) -> Definition:
    """Momenta and centre of mass of the whole body: no force or path enters."""
    linear, angular = map(ca.densify, momentum(a.kinematics))
    centre = ca.densify(centre_of_mass(a.kinematics))
    return Definition(
        {"q": a.q, "v": a.v, "p": a.p},
        {"linear_momentum": linear, "angular_momentum": angular, "centre_of_mass": centre},
    )


def _mechanics(a: Assembly) -> Definition:
    """Whole-body quantities: energies, momenta, centre of mass."""
    stored = sum((effect.stored for effect in a.applied.effects.values()), SX(0))
    energies = {"kinetic": kinetic_energy(a.kinematics), "potential": gravitational_energy(a.kinematics) + stored}
    whole = _momentum(a)
    return Definition(whole.inputs, {**energies, **whole.outputs})


def _exact_outputs(a: Assembly) -> Definition:
    """The outputs where lengths of paths over surfaces and their derivatives by all places are given."""
    exact, lengths, weights = a.with_given_paths()
    named = _outputs(exact)
    return Definition({**named.inputs, "wrapped_lengths": lengths, "weights": weights}, named.outputs, named.notes)


def _outputs(a: Assembly) -> Definition:
    found = outputs_of(a)
    column = ca.densify(ca.vertcat(*found.expressions)) if found.expressions else SX(0, 1)
    return Definition(_state_inputs(a), {"outputs": column}, {"names": found.names, "units": found.units})


_MUSCLE_KERNELS: dict[MuscleForm, Callable[[Kind], Definition]] = {
    "response": _muscle_response,
    "response_batch": _muscle_response,
    "rate_batch": _fibre_balance,
    "curvature": _muscle_curvature,
    "details": _muscle_details,
}

_MODEL_KERNELS: dict[ModelKernel, Callable[[Assembly], Definition]] = {
    "inverse_dynamics": _inverse_dynamics,
    "inverse_dynamics_jacobians": _inverse_dynamics_jacobians,
    "external_forces": _external_forces,
    "joint_loads": _joint_loads,
    "path_pulls": _path_pulls,
    "all_coordinates": _all_coordinates,
    "mass_matrix": _mass_matrix,
    "forward_dynamics": _forward_dynamics,
    "derivative": _derivative,
    "marched": _marched,
    "constraints": _constraints,
    "residual": _residual,
    "jacobians": _jacobians,
    "parameter_jacobian": _parameter_jacobian,
    "balance": _balance,
    "feedback": _feedback,
    "inertia": _inertia,
    "paths": _paths,
    "point_paths": _point_paths,
    "wrap_places": _wrap_places,
    "wrap_gradient": _wrap_gradient,
    "bending": _bending,
    "poses": _poses,
    "markers": _markers,
    "momentum": _momentum,
    "mechanics": _mechanics,
    "outputs": _outputs,
    "exact_outputs": _exact_outputs,
}
