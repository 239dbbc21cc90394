"""The planar gait model with the numbers of its ancestors' spreadsheets, and trajectories that those stored."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import myodyne as my
from support.spreadsheet import Cells, numbers

Floats = NDArray[np.float64]

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "gait2d"
HERE = FOLDER.is_dir()
REASON = "the spreadsheets and solutions of the older gait models are not beside the project"

SIDES = ("right", "left")
JOINTS = ("hip", "knee", "ankle")
GROUPS = (
    "iliopsoas",
    "glutei",
    "hamstrings",
    "rectus_femoris",
    "vasti",
    "gastrocnemius",
    "soleus",
    "tibialis_anterior",
)
MUSCLES = tuple(f"{side}_{group}" for side in SIDES for group in GROUPS)
CONTACTS = tuple(f"{side}_{end}" for side in SIDES for end in ("heel", "toe"))
WEIGHT, LEG = 75.0 * 9.81, 0.441 + 0.4428 + 0.0702
# The rows of the skeleton in units of body weight, and of body weight times leg length.
SCALES = WEIGHT * np.array([1.0, 1.0, *[LEG] * 7])


def sections(cells: Cells) -> dict[int, int]:
    """Return the rows on which the sections begin: they bear their number in the first column."""
    return {int(value): row for (row, column), value in cells.items() if column == 0}


def gait2dc_values() -> dict[str, Any]:
    """Return what ``gait2dc_par.xls`` says, by the names of our model: sections 1 to 4, Winter's segments upwards of row 11."""
    cells = numbers(FOLDER / "gait2dc_par.xls")
    start = sections(cells)
    values: dict[str, Any] = {"gravity.y": -cells[start[1] + 1, 1]}
    values |= _segments(cells, start[1] + 11)
    for number, name in enumerate(MUSCLES):
        row = [cells[start[2] + 2 + number, column] for column in range(1, 21)]
        values |= _muscle(name, row[:6], row[6:12], row[12:17])
        values |= {
            f"{name}.curves.eccentric_force": row[17],
            f"{name}.curves.hill_a": row[18],
            f"{name}.slow_fibres": 1 - row[19],
        }
    for number, name in enumerate(CONTACTS):
        row = [cells[start[3] + 2 + number, column] for column in range(1, 9)]
        values |= {f"{name}.at": (row[1], row[2], 0.0), f"{name}.stiffness": row[3], f"{name}.friction": row[6]}
        assert row[3] == row[4], "one stiffness in all directions"
    return values | _ranges(cells, start[4] + 2)


def gait2d_values() -> dict[str, Any]:
    """Return what ``optim2d_gait2d_par.xls`` says, by the names of our model."""
    cells = numbers(FOLDER / "optim2d_gait2d_par.xls")
    start = sections(cells)
    stiffness, damping, depth, friction, slip, hill, eccentric = (cells[start[1] + row, 1] for row in range(1, 8))
    values = _segments(cells, start[2] + 2)
    for number, name in enumerate(MUSCLES):
        row = [cells[start[3] + 2 + number, column] for column in range(1, 18)]
        values |= _muscle(name, [*row[:5], row[10]], row[11:17], row[5:10])
        values |= {f"{name}.curves.eccentric_force": eccentric, f"{name}.curves.hill_a": hill}
    below = cells[start[4] + 2, 2]
    for name in CONTACTS:
        forwards = cells[start[4] + (2 if name.endswith("heel") else 3), 1]
        values |= {
            f"{name}.at": (forwards, below, 0.0),
            f"{name}.stiffness": stiffness,
            f"{name}.dissipation": damping,
            f"{name}.transition": depth,
            f"{name}.friction": friction,
            f"{name}.transition_velocity": slip,
            # Not in the sheet but in the program: a spring of 1 N/m at any height.
            f"{name}.linear_stiffness": 1.0,
        }
    return values | _ranges(cells, start[5] + 2)


def _segments(cells: Cells, first: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    bodies = (("trunk",), ("right_thigh", "left_thigh"), ("right_shank", "left_shank"), ("right_foot", "left_foot"))
    for number, names in enumerate(bodies):
        mass, inertia, forwards, up, length = (cells[first + number, column] for column in range(1, 6))
        for name in names:
            values |= {
                f"{name}.mass": mass,
                f"{name}.inertia.zz": inertia,
                f"{name}.centre_of_mass": (forwards, up, 0.0),
            }
            below = {"thigh": "knee", "shank": "ankle"}.get(name.partition("_")[2])
            if below:
                values[f"{name.partition('_')[0]}_{below}.parent.at"] = (0.0, -length, 0.0)
    return values


def _muscle(name: str, sizes: list[float], arms: list[float], rest: list[float]) -> dict[str, Any]:
    force, fibre, width, parallel_slack, tendon, length = sizes
    stiffness, strain, fastest, rise, fall = rest
    spanned = [-arm for arm in arms if arm]
    return {
        f"{name}.max_force": force,
        f"{name}.optimal_fibre_length": fibre,
        f"{name}.tendon_slack_length": tendon,
        f"{name}.curves.width": width,
        f"{name}.curves.parallel_slack": parallel_slack,
        f"{name}.curves.parallel_strain": 1 / math.sqrt(stiffness),
        f"{name}.curves.tendon_strain": strain,
        # Of the program: 0.01 maximal forces per metre in both elastic elements.
        f"{name}.curves.linear_stiffness": 0.01 * force,
        f"{name}.max_velocity": fastest,
        f"{name}.activation.activation_time": rise,
        f"{name}.activation.deactivation_time": fall,
        **{f"{name}.path.length.terms.{term}.coefficient": value for term, value in enumerate([length, *spanned])},
    }


def _ranges(cells: Cells, first: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for number, name in enumerate(f"{side}_{joint}" for side in SIDES for joint in JOINTS):
        lowest, highest, stiffness, width, damping = (cells[first + number, column] for column in range(1, 6))
        values |= {
            f"{name}_limit.lower": math.radians(lowest),
            f"{name}_limit.upper": math.radians(highest),
            f"{name}_limit.stiffness": stiffness,
            f"{name}_limit.transition": math.radians(width),
            f"{name}_damper.damping": damping,
        }
    return values


def older_gait2d() -> my.Model:
    """Return our model with the numbers of the older spreadsheet."""
    return my.load_model("gait2d").with_values(gait2d_values())


REMOVED = tuple(f"right_{group}" for group in ("gastrocnemius", "soleus", "tibialis_anterior"))


def below_knee_amputee(model: my.Model, stiffness: float, damping: float) -> my.Model:
    """Return a model whose right ankle is a spring (N m/rad) and a damper (N m s/rad)."""
    # Both limits at zero make a straight line of the two hyperbolas, so the spring is the limit that they replace.
    return model.without(*REMOVED, "right_ankle_limit").with_values(
        {"right_ankle_damper.stiffness": stiffness, "right_ankle_damper.damping": damping}
    )


def pushed(model: my.Model, points: dict[str, my.Marker]) -> my.Model:
    """Return a model with a marker at each of some points, and controls ``<point>_x`` and ``<point>_y`` that push it (N)."""
    forces = {
        f"{name}_{axis}": my.PointForce(body=point.body, at=point.at, force=along, controlled=True)
        for name, point in points.items()
        for axis, along in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)))
    }
    return model.with_parts(forces=forces, markers=points)


class Solution(NamedTuple):
    """States, their rates and controls at the ends of the steps of backward Euler, a row each."""

    x: Floats
    xdot: Floats
    u: Floats


def backward_euler(x: Floats, u: Floats, step: float) -> Solution:
    """Return the rates by which a solution of backward Euler, with a row more than steps, advances."""
    return Solution(x[1:], np.diff(x, axis=0) / step, u[1:])
