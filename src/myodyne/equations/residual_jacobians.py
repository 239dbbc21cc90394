"""The derivatives of the residual, assembled block by block from those of the physics."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from myodyne.equations.assemble import Assembly
from myodyne.physics.spatial import SX


def residual_jacobians(a: Assembly) -> dict[str, SX]:
    """Return dF/dx, dF/dxdot and dF/du by name."""
    by_q, by_v, by_vdot = a.balance_jacobians
    eye, demanded = SX.eye(a.tree.size), a.demands.jacobian
    muscles, pulls = a.muscles, a.paths.gradient.T
    fibres, actives = _unit_rows(a.elastic, len(a.model.muscles)), _unit_rows(a.activated, len(a.model.muscles))

    def diagonal(result: str, by: str) -> SX:
        return ca.diag(ca.sparsify(muscles[result, by]))

    stiffness = diagonal("tension", "length") @ a.paths.gradient + diagonal("tension", "speed") @ a.paths.gradient_rate
    by_x: list[list[SX | None]] = [
        [None, -eye, None, None, None],
        [
            by_q + a.paths.bending(muscles["tension"]) + pulls @ stiffness,
            by_v + pulls @ diagonal("tension", "speed") @ a.paths.gradient,
            pulls @ diagonal("tension", "projected") @ fibres.T,
            pulls @ diagonal("tension", "state") @ actives.T,
            -demanded.T,
        ],
        [
            fibres @ diagonal("contraction", "length") @ a.paths.gradient,
            None,
            fibres @ diagonal("contraction", "projected") @ fibres.T,
            fibres @ diagonal("contraction", "state") @ actives.T,
            None,
        ],
        [None, None, None, actives @ diagonal("activation", "state") @ actives.T, None],
        [ca.jacobian(a.kept, a.q), ca.jacobian(a.kept, a.v), None, None, None],
    ]
    by_xdot: list[list[SX | None]] = [
        [eye, None, None, None, None],
        [None, by_vdot, None, None, None],
        [None, None, fibres @ diagonal("contraction", "projected_rate") @ fibres.T, None, None],
        [None, None, None, actives @ diagonal("activation", "state_rate") @ actives.T, None],
        [None, demanded, None, None, None],
    ]
    excitations = a.controls[: len(a.model.muscles)]
    excited = ca.jacobian(excitations, a.u)
    by_u: list[list[SX | None]] = [
        [None],
        [pulls @ diagonal("tension", "excitation") @ excited - ca.jacobian(a.given, a.u)],
        [fibres @ diagonal("contraction", "excitation") @ excited],
        [actives @ diagonal("activation", "excitation") @ excited],
        [ca.jacobian(a.kept, a.u)],
    ]
    sizes = [a.tree.size, a.tree.size, len(a.elastic), len(a.activated), a.demands.count]
    whole = _from_blocks(by_x, sizes, sizes)
    if a.closure.law is not None:
        reflexes = ca.jacobian(excitations, a.x)
        fed: list[list[SX | None]] = [
            [None],
            [pulls @ diagonal("tension", "excitation") @ reflexes - _by_muscle_states(a)],
            [fibres @ diagonal("contraction", "excitation") @ reflexes],
            [actives @ diagonal("activation", "excitation") @ reflexes],
            [None],
        ]
        whole = ca.sparsify(whole + _from_blocks(fed, sizes, [a.x.numel()]))
    return {
        "by_x": whole,
        "by_xdot": _from_blocks(by_xdot, sizes, sizes),
        "by_u": _from_blocks(by_u, sizes, [a.u.numel()]),
    }


def _by_muscle_states(a: Assembly) -> SX:
    """Return how the forces of the model change with the states of muscles: motors that a control law drives do."""
    states = ca.vertcat(a.s, a.a)
    before, after = SX(a.tree.size, 2 * a.tree.size), SX(a.tree.size, a.demands.count)
    return ca.horzcat(before, ca.jacobian(a.driven, states), after)


def _unit_rows(numbers: Sequence[int], size: int) -> SX:
    """Return the rows of a unit matrix that belong to some numbers."""
    return SX.eye(size)[list(numbers), :] if len(numbers) else SX(0, size)


def _from_blocks(blocks: list[list[SX | None]], rows: list[int], columns: list[int]) -> SX:
    """Return a matrix from its blocks; None is a block of zeros."""
    filled = [
        [SX(height, width) if block is None else block for block, width in zip(line, columns, strict=True)]
        for line, height in zip(blocks, rows, strict=True)
    ]
    return ca.sparsify(ca.blockcat(filled))
