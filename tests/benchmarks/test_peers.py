"""The chains that benchmarks compare are one and the same mechanism."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from support.comparison import assert_close
from support.lagrange import Lagrange

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def peers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("peers", ROOT / "benchmarks" / "peers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("n", [1, 2, 11])
def test_the_chains_are_the_same(peers: ModuleType, n: int) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="pinocchio cannot be loaded here", exc_type=ImportError)
    mujoco = pytest.importorskip("mujoco", reason="mujoco cannot be loaded here", exc_type=ImportError)
    q, v, vdot = np.random.default_rng(n).normal(size=(3, n))
    expected = Lagrange(peers.chain_model(n)).inverse_dynamics(q, v, vdot)

    model = peers.pinocchio_chain(n)
    assert_close(pinocchio.rnea(model, model.createData(), q, v, vdot), expected, 1e-10, "pinocchio")

    model = mujoco.MjModel.from_xml_string(peers.mujoco_chain(n))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = q, v, vdot
    mujoco.mj_inverse(model, data)
    assert_close(data.qfrc_inverse, expected, 1e-10, "mujoco")
