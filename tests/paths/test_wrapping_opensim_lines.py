"""Lines over single surfaces, and over two, against lengths of OpenSim 4.6 (``fixtures/opensim/generate_wraps.py``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.paths.wrapping.lengths import WrappedLengths

CASES = json.loads((Path(__file__).parents[1] / "fixtures/opensim/wraps.json").read_text())["cases"]


def surface_of(kind: str, size: list[float], half: str) -> Any:
    frame = my.Placement(body="ground")
    match kind:
        case "cylinder":
            return my.WrapCylinder(frame=frame, half=half, radius=size[0], length=size[1])
        case "sphere":
            return my.WrapSphere(frame=frame, half=half, radius=size[0])
        case "ellipsoid":
            return my.WrapEllipsoid(frame=frame, half=half, radii=tuple(size))
        case _:
            return my.WrapTorus(frame=frame, half=half, inner_radius=size[0], outer_radius=size[1])


def name_of(case: Any) -> str:
    return "-".join(f"{part['kind']}-{part['half']}" for part in case["surfaces"]) + f"-{case['method']}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_lines_are_as_long_as_in_opensim(case: Any) -> None:
    parts = {
        f"surface{i}": surface_of(part["kind"], part["size"], part["half"]) for i, part in enumerate(case["surfaces"])
    }
    path = my.PointPath(
        points=(("ground", (0.0, 0.0, 0.0)), ("ground", (0.0, 0.0, 0.0))),
        wraps=tuple(my.Wrap(surface=name, method=case["method"]) for name in parts),
    )
    model = my.Model(
        name="lines",
        bodies={"body": my.Body(mass=1.0)},
        joints={"joint": my.pin("ground", "body", coordinate="angle")},
        surfaces=parts,
    )
    way = WrappedLengths(model, {"line": path})
    frames = np.concatenate([[*np.eye(3).ravel(), *part["at"]] for part in case["surfaces"]])
    places = np.array([[*line["from"], *line["to"]] for line in case["lines"]])
    count = len(places)
    lengths, _ = way(places, np.ones((count, 2)), np.tile(frames, (count, 1)))
    expected = np.array([line["length"] for line in case["lines"]])
    ellipsoid = any(part["kind"] == "ellipsoid" for part in case["surfaces"])
    # OpenSim cuts the way over an ellipsoid into pieces of a millimetre.
    np.testing.assert_allclose(lengths[:, 0], expected, rtol=0, atol=5e-5 if ellipsoid else 1e-9)
    straight = np.linalg.norm(places[:, 3:] - places[:, :3], axis=1)
    assert np.count_nonzero(np.abs(expected - straight) > 1e-6) >= count // 2
