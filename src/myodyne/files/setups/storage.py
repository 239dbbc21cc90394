"""Result files as OpenSim's tools write them: titles, headers, columns, and angles in degrees where they have them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from myodyne.files.atomic import atomically
from myodyne.files.series.table import written_rows
from myodyne.types import Floats


def write_storage(
    path: Path, title: str, time: Floats, columns: Mapping[str, Floats], *, degrees: bool | None = False
) -> None:
    """Write a storage file; ``degrees`` says what the header states about angles, the numbers are written as given."""
    header = [
        title,
        "version=1",
        f"nRows={len(time)}",
        f"nColumns={len(columns) + 1}",
        f"inDegrees={'yes' if degrees else 'no'}",
        "endheader",
        "\t".join(["time", *columns]),
        "",
    ]
    table = np.column_stack([time, *columns.values()])
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomically(path) as unfinished:
        unfinished.write_bytes(("\n".join(header) + written_rows(table, "\t")).encode())


def write_scale_set(path: Path, factors: Mapping[str, tuple[float, float, float]]) -> None:
    """Write the factors of bodies as a scale set."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<OpenSimDocument Version="40500">',
        "\t<ScaleSet>",
        "\t\t<objects>",
    ]
    for body, factor in factors.items():
        numbers = " ".join(f"{number:.12g}" for number in factor)
        lines += [
            "\t\t\t<Scale>",
            f"\t\t\t\t<scales>{numbers}</scales>",
            f"\t\t\t\t<segment>{escape(body)}</segment>",
            "\t\t\t\t<apply>true</apply>",
            "\t\t\t</Scale>",
        ]
    lines += ["\t\t</objects>", "\t</ScaleSet>", "</OpenSimDocument>", ""]
    with atomically(path) as unfinished:
        unfinished.write_text("\n".join(lines), encoding="utf-8")


def write_controls(path: Path, time: Floats, controls: Mapping[str, Floats]) -> None:
    """Write controls over time as a control set of straight lines between nodes."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<OpenSimDocument Version="40500">',
        "\t<ControlSet>",
        "\t\t<objects>",
    ]
    for name, values in controls.items():
        lines += [
            f"\t\t\t<ControlLinear name={quoteattr(name)}>",
            "\t\t\t\t<use_steps>false</use_steps>",
            "\t\t\t\t<x_nodes>",
        ]
        lines += [
            f"\t\t\t\t\t<ControlLinearNode><t>{when!r}</t><value>{value!r}</value></ControlLinearNode>"
            for when, value in zip(time.tolist(), values.tolist(), strict=True)
        ]
        lines += ["\t\t\t\t</x_nodes>", "\t\t\t</ControlLinear>"]
    lines += ["\t\t</objects>", "\t</ControlSet>", "</OpenSimDocument>", ""]
    with atomically(path) as unfinished:
        unfinished.write_text("\n".join(lines), encoding="utf-8")
