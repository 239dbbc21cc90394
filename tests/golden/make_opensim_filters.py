"""Writes ``opensim_filters.json`` beside itself, with OpenSim's Python package.

Made with OpenSim 4.6 (``pip install opensim==4.6`` in an environment of its own; no test needs it):
``python tests/golden/make_opensim_filters.py``. Padding, low-pass filter, splines and external forces of three short
records: evenly sampled, with times as OpenSim prints them, and unevenly sampled.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import opensim as osim

CUTOFF = 6.0
ROWS = 24
TIMES = {
    "even": [0.02 * row for row in range(ROWS)],
    "printed": [round(row / 60.0, 8) for row in range(ROWS)],
    "uneven": [0.02 * row + 0.004 * math.sin(3.0 * row) for row in range(ROWS)],
}


def signals(times: list[float]) -> list[list[float]]:
    return [
        [math.sin(7.0 * time) + 0.2 * math.sin(80.0 * time + 1.0) + time for time in times],
        [math.cos(3.0 * time) ** 3 + 0.05 * math.cos(61.0 * time) for time in times],
    ]


def storage(times: list[float], columns: list[list[float]], names: list[str]) -> Any:
    made = osim.Storage()
    labels = osim.ArrayStr()
    for name in ["time", *names]:
        labels.append(name)
    made.setColumnLabels(labels)
    for row, time in enumerate(times):
        values = osim.Vector(len(columns), 0.0)
        for place, column in enumerate(columns):
            values.set(place, column[row])
        made.append(time, values)
    made.setName("record")
    return made


def read(made: Any, count: int) -> dict[str, Any]:
    rows = [made.getStateVector(row) for row in range(made.getSize())]
    return {
        "time": [row.getTime() for row in rows],
        "columns": [[row.getData().get(place) for row in rows] for place in range(count)],
    }


def splines(times: list[float], column: list[float], at: list[float]) -> dict[str, list[list[float]]]:
    """Return value, first and second derivative of the splines of each degree."""
    found = {}
    for degree in (1, 3, 5, 7):
        spline = osim.GCVSpline()
        spline.setDegree(degree)
        for time, value in zip(times, column, strict=True):
            spline.addPoint(time, value)
        places = [osim.Vector(1, time) for time in at]
        found[str(degree)] = [
            [
                spline.calcValue(place) if order == 0 else spline.calcDerivative(osim.StdVectorInt([0] * order), place)
                for place in places
            ]
            for order in range(3)
        ]
    return found


def external(times: list[float], columns: list[list[float]], at: list[float]) -> list[list[float]]:
    """Return an external force at some times."""
    # The force only points to its record, which must live as long.
    record = storage(times, [*columns, columns[0]], ["f_x", "f_y", "f_z"])
    force = osim.ExternalForce(record, "f_", "", "", "box", "ground", "ground")
    model = osim.Model()
    model.addBody(osim.Body("box", 1.0, osim.Vec3(0), osim.Inertia(1)))
    model.addForce(force)
    model.initSystem()
    return [[force.getForceAtTime(time).get(axis) for axis in range(2)] for time in at]


def main() -> None:
    osim.Logger.setLevelString("error")
    found: dict[str, Any] = {"producer": f"OpenSim {osim.GetVersion()}", "cutoff": CUTOFF}
    for name, times in TIMES.items():
        columns = signals(times)
        at = [times[0] + fraction * (times[-1] - times[0]) for fraction in (0.0, 0.013, 0.31, 0.5, 0.77, 0.999)]
        record = storage(times, columns, ["a", "b"])
        record.pad(ROWS // 2)
        record.lowpassIIR(CUTOFF)
        found[name] = {
            "time": times,
            "columns": columns,
            "lowpass": read(record, 2),
            "at": at,
            "splines": splines(times, columns[0], at),
            "external": external(times, columns, [*at, times[-1] + 0.01]),
            "external_short": external(times[:3], [column[:3] for column in columns], [0.003, 0.025]),
        }
    (Path(__file__).parent / "opensim_filters.json").write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
