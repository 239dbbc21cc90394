"""Fixed-step RK4 simulation of an 11-degree chain against MuJoCo's rollout with its RK4."""

from __future__ import annotations

from typing import Any

import numpy as np
from peers import chain_model, mujoco_chain
from timing import against, alternating

import myodyne as my
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.marches import march_of


def run() -> list[dict[str, Any]]:
    import mujoco
    from mujoco import rollout

    size, steps, step = 11, 2000, 0.0005
    equations = my.equations_of(chain_model(size), compiled=True)
    model = mujoco.MjModel.from_xml_string(mujoco_chain(size))
    model.opt.timestep = step
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    angles = np.linspace(0.1, 0.6, size)
    state = np.concatenate([angles, np.zeros(size)])
    times = step * np.arange(1, steps + 1)
    march = march_of(my.RK4(step=step), equations, PiecewisePolynomial.merged([]))
    start = np.concatenate([[0.0], state])

    def ours() -> Any:
        return march.advance(0.0, np.append(state, 0.0), times).states[-1][:-1]

    def peer() -> Any:
        states, _ = rollout.rollout(model, data, start[None, :], nstep=steps)
        return states[0, -1, 1 : 1 + 2 * size]

    difference = np.abs(ours() - peer()).max()
    if difference > 1e-6:
        raise AssertionError(f"the two simulations differ by {difference}")
    ours_time, peer_time = alternating(ours, peer)
    return [against("RK4 step of an 11-degree chain", ours_time / steps, peer_time / steps, "MuJoCo rollout, RK4", 2)]
