"""The example of the mechanisms does what it says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import myodyne as my

FILE = Path(__file__).parents[2] / "examples" / "mechanisms.py"


def test_the_mechanisms(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("mechanisms", FILE)
    assert spec is not None
    assert spec.loader is not None
    mechanisms = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mechanisms)
    mechanisms.main()
    said = capsys.readouterr().out
    assert "15.81077119" in said, "the published angle of the crank"
    assert "Sliding blocks: 5.549 N" in said
    alone, stabilised, projected = (run.values("loop.drift")[-1] for run in mechanisms.four_bar().values())
    assert projected < 1e-11 < stabilised < 1e-3 < alone


def test_a_push_on_the_hips_bends_the_person_forwards() -> None:
    """The first acceleration that a horizontal push adds is that of the inverse mass matrix."""
    model = my.load_model("three_segment_balance")
    eq = my.equations_of(model, compiled=False)
    u = np.array([100.0 if name == "hip_push" else 0.0 for name in eq.controls])
    pushed, still = eq.derivative(eq.state(), u), eq.derivative(eq.state(), 0 * u)
    tree = my.equations_of(model.without("platform"), compiled=False)
    q = tree.state()[: len(tree.coordinates)]
    h = 1e-6
    poses = [tree.body_positions(q + s * h * np.eye(len(q))[k])["trunk"][0] for k in range(len(q)) for s in (1, -1)]
    lever = (np.array(poses[::2]) - np.array(poses[1::2])) / (2 * h)
    held = [k for k, name in enumerate(tree.coordinates) if name != "base"]
    wanted = np.linalg.solve(tree.mass_matrix(q)[np.ix_(held, held)], 100.0 * lever[held])
    change = dict(zip(eq.motion, pushed - still, strict=True))
    np.testing.assert_allclose([change[f"{tree.coordinates[k]}.speed"] for k in held], wanted, rtol=1e-6)
