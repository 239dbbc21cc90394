"""Recursive Newton–Euler and composite inertias over a tree of links.

Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 5 and 6, with vectors and moments in the frame of
each link and with axes that are functions of the coordinates: a link's motion has the value f(q), the rate
∇f·v and the acceleration ∇f·v̇ + vᵀHv, and its force enters the balance of every coordinate in ∇f.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from myodyne.errors import ModelError
from myodyne.physics.single import is_single, single_of
from myodyne.physics.spatial import SX, RigidInertia, Transform, cross, dot, vector, zero
from myodyne.physics.tree import Link, Tree

# A constraint whose own part of the compliance is below this part of the whole is implied by others in that pose.
_IMPLIED = 3e-15


@dataclass(frozen=True)
class Wrench:
    """A moment about the origin of a frame and a force, in the axes of that frame."""

    moment: SX
    force: SX

    @staticmethod
    def none() -> Wrench:
        return Wrench(zero(), zero())

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.moment + other.moment, self.force + other.force)

    def moved(self, frame: Transform) -> Wrench:
        """Return the same wrench in the outer frame of ``frame``."""
        force = frame.rotation @ self.force
        return Wrench(frame.rotation @ self.moment + cross(frame.position, force), force)


@dataclass(frozen=True)
class SpatialMotion:
    """Angular velocity, velocity of the origin, and their rates, in the axes of a link."""

    angular: SX
    linear: SX


def velocities(tree: Tree) -> list[SpatialMotion]:
    """Return the velocity of every link."""
    found: list[SpatialMotion] = []
    for link, step in zip(tree.links, tree.steps, strict=True):
        before = found[link.parent] if link.parent >= 0 else SpatialMotion(zero(), zero())
        back = step.rotation.T
        rate = vector(link.axis) * (link.gradient @ tree.v)
        angular = back @ before.angular
        linear = back @ (before.linear + cross(before.angular, step.position))
        if link.motion == "rotation":
            angular = angular + rate
        elif link.motion == "translation":
            linear = linear + rate
        found.append(SpatialMotion(angular, linear))
    return found


def accelerations(tree: Tree, vdot: SX, base: SX) -> list[tuple[SX, SX, SX]]:
    """Return angular velocity, angular acceleration and acceleration of the origin of every link.

    ``base`` is the acceleration of the ground, in its own axes; gravity is felt as its opposite.
    """
    found: list[tuple[SX, SX, SX]] = []
    for link, step in zip(tree.links, tree.steps, strict=True):
        w, wd, a = found[link.parent] if link.parent >= 0 else (zero(), zero(), base)
        back = step.rotation.T
        axis = vector(link.axis)
        rate = link.gradient @ tree.v
        second = link.gradient @ vdot + link.velocity_term
        r = step.position
        origin = back @ (a + cross(wd, r) + cross(w, cross(w, r)))
        turned, turned_rate = back @ w, back @ wd
        if link.motion == "rotation":
            spin = axis * rate
            found.append((turned + spin, turned_rate + axis * second + cross(turned, spin), origin))
        elif link.motion == "translation":
            origin = origin + axis * second + 2 * cross(turned, axis * rate)
            found.append((turned, turned_rate, origin))
        else:
            found.append((turned, turned_rate, origin))
    return found


def transmitted(tree: Tree, vdot: SX, applied: list[Wrench] | None, gravity: SX) -> list[Wrench]:
    """Return the wrench that each link receives from its parent, for a motion and forces applied to the links."""
    motion = accelerations(tree, vdot, -gravity)
    wrenches = []
    for number, (link, (w, wd, a)) in enumerate(zip(tree.links, motion, strict=True)):
        body = link.inertia
        wrench = Wrench.none()
        if link.body is not None:
            h = body.first_moment
            force = body.mass * a + cross(wd, h) + cross(w, cross(w, h))
            moment = body.inertia @ wd + cross(w, body.inertia @ w) + cross(h, a)
            wrench = Wrench(moment, force)
        if applied is not None:
            wrench = Wrench(wrench.moment - applied[number].moment, wrench.force - applied[number].force)
        wrenches.append(wrench)
    return _gathered(tree, wrenches)


def along(link: Link, wrench: Wrench) -> SX:
    """Return the component of a wrench along the axis of a link."""
    if link.motion == "none":
        return SX(0)
    return dot(vector(link.axis), wrench.moment if link.motion == "rotation" else wrench.force)


def inverse_dynamics(tree: Tree, vdot: SX, applied: list[Wrench] | None, gravity: SX) -> SX:
    """Return the generalised forces that a motion requires in addition to applied wrenches and gravity."""
    if is_single(tree):
        needed = ca.densify(single_of(tree, gravity).force(tree.v, vdot))
        return needed if applied is None else needed - generalised(tree, applied)
    return _projected(tree, transmitted(tree, vdot, applied, gravity))


def generalised(tree: Tree, applied: list[Wrench]) -> SX:
    """Return the generalised forces of wrenches that are applied to the links."""
    return _projected(tree, _gathered(tree, list(applied)))


def _projected(tree: Tree, wrenches: list[Wrench]) -> SX:
    """Return the generalised forces of wrenches, each the total transmitted by a link."""
    tau = SX(tree.size, 1)
    for link, wrench in zip(tree.links, wrenches, strict=True):
        tau = tau + link.gradient.T * along(link, wrench)
    return ca.densify(tau)


def _gathered(tree: Tree, wrenches: list[Wrench]) -> list[Wrench]:
    """Add to the wrench of each link those of all its descendants."""
    for number in reversed(range(len(tree.links))):
        parent = tree.links[number].parent
        if parent >= 0:
            wrenches[parent] = wrenches[parent] + wrenches[number].moved(tree.steps[number])
    return wrenches


def mass_matrix(tree: Tree) -> SX:
    """Return the mass matrix by composite rigid bodies."""
    if is_single(tree):
        return single_of(tree, zero()).inertia
    composite: list[RigidInertia] = [link.inertia for link in tree.links]
    for number in reversed(range(len(tree.links))):
        parent = tree.links[number].parent
        if parent >= 0:
            composite[parent] = composite[parent] + composite[number].moved(tree.steps[number])
    entries: dict[tuple[int, int], SX] = {}

    def add(row: Link, column: Link, value: SX, twice: bool) -> None:
        for i in row.gradient.sparsity().get_col():
            for j in column.gradient.sparsity().get_col():
                part = row.gradient[0, i] * column.gradient[0, j] * value
                entries[i, j] = entries.get((i, j), SX(0)) + part
                if twice:
                    entries[j, i] = entries.get((j, i), SX(0)) + part

    for number, link in enumerate(tree.links):
        if link.gradient.nnz() == 0:
            continue
        axis, body = vector(link.axis), composite[number]
        if link.motion == "rotation":
            wrench = Wrench(body.inertia @ axis, cross(axis, body.first_moment))
        else:
            wrench = Wrench(cross(body.first_moment, axis), body.mass * axis)
        add(link, link, along(link, wrench), twice=False)
        child = number
        while (ancestor := tree.links[child].parent) >= 0:
            wrench = wrench.moved(tree.steps[child])
            if tree.links[ancestor].gradient.nnz():
                add(link, tree.links[ancestor], along(tree.links[ancestor], wrench), twice=True)
            child = ancestor
    matrix = SX(tree.size, tree.size)
    for (i, j), value in entries.items():
        matrix[i, j] = value
    return matrix


def solve_positive(matrix: SX, right: SX) -> SX:
    """Return the solution of a symmetric positive definite system, for one or more right-hand sides."""
    return eliminated(matrix, right)[0]


def eliminated(matrix: SX, right: SX, least: float = 0.0) -> tuple[SX, SX]:
    """Return the solution of a symmetric positive definite system, and the pivots, positive where the matrix is.

    Unknowns whose pivot is below the part ``least`` of their diagonal, if that is given, are zero.

    Eliminates from the leaves to the root, which keeps the zeros between branches of a tree
    (Featherstone 2008, section 6.5: LᵀDL).
    """
    size = matrix.size1()
    upper = {(i, j): matrix[i, j] for j in range(size) for i in range(j + 1) if matrix.sparsity().has_nz(i, j)}
    x = [right[i, :] for i in range(size)]
    over: list[SX] = [SX(0)] * size
    for k in reversed(range(size)):
        above = [i for i in range(k) if (i, k) in upper]
        enough = upper[k, k] > least * matrix[k, k] if least else True
        over[k] = ca.if_else(enough, 1 / upper[k, k], 0) if least else 1 / upper[k, k]
        for i in above:
            ratio = upper[i, k] * over[k]
            for j in above:
                if j <= i:
                    upper[j, i] = upper.get((j, i), SX(0)) - ratio * upper[j, k]
            x[i] = x[i] - ratio * x[k]
    for k in range(size):
        for i in range(k):
            if (i, k) in upper:
                x[k] = x[k] - upper[i, k] * x[i]
        x[k] = x[k] * over[k]
    return ca.vertcat(*x), ca.vertcat(SX(0, 1), *(upper[k, k] for k in range(size)))


def with_inertia(tree: Tree, number: int, inertia: SX) -> SX:
    """Return the inertia of a coordinate (kg m², kg), or raise an error if it is zero: CasADi evaluates 0/0 as zero."""
    if inertia.is_zero():
        name = tree.model.moving[number]
        raise ModelError(
            f"'{tree.model.name}': coordinate '{name}' moves neither mass nor inertia, so its "
            "acceleration is undetermined. Give the body that it moves a mass or an inertia, or lock the coordinate"
        )
    return inertia


def solve_mass(tree: Tree, right: SX) -> SX:
    """Return the solution of M x = right, for one or more right-hand sides."""
    matrix = mass_matrix(tree)
    for number in range(tree.size):
        with_inertia(tree, number, matrix[number, number])
    return solve_positive(matrix, right)


def constrained_response(jacobian: SX, free: SX, response: SX, demanded: SX, rounds: int = 0) -> tuple[SX, SX]:
    """Return accelerations and multipliers from those without constraints and those of unit multipliers.

    In a pose where rows repeat others, the multipliers of the others carry all. ``rounds`` of refinement bring back the
    digits that rows which nearly repeat others cost.
    """
    count = jacobian.size1()
    # G M⁻¹ Gᵀ is positive definite while no constraint is redundant.
    compliance = jacobian @ response
    symmetric_part = SX(count, count)
    for i in range(count):
        for j in range(i, count):
            symmetric_part[i, j] = symmetric_part[j, i] = compliance[i, j]
    multipliers = eliminated(symmetric_part, demanded - jacobian @ free, _IMPLIED)[0]
    acceleration = free + response @ multipliers
    for _ in range(rounds):
        change = eliminated(symmetric_part, demanded - jacobian @ acceleration, _IMPLIED)[0]
        multipliers, acceleration = multipliers + change, acceleration + response @ change
    return acceleration, multipliers
