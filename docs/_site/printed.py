"""The page of numbers that others printed, from the rows that the tests keep in ``docs/printed``."""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx

# What the names of works stand for, in the order of the page; other works follow, by their names alone.
_WORKS = {
    "Casius et al. 2004": "Casius, Bobbert and van Soest 2004, *J Appl Biomech* 20: planar chains by Newton and Euler, "
    "sprint cycling",
    "Ehsani": "Ehsani: joints as functions, equations of motion by matrix calculus",
    "van den Bogert et al. 2011": "van den Bogert, Blana and Heinrich 2011, *Procedia IUTAM* 2: implicit muscle "
    "dynamics, real time, collocation",
    "Winter": "Winter, *Biomechanics and Motor Control of Human Movement*, chapter 8: Lagrange's equations from lists",
    "Selbie 1989": "Selbie 1989, *Simulation of Running* (thesis)",
    "Hairer and Wanner 1996": "Hairer and Wanner 1996, *Solving Ordinary Differential Equations II*: Andrews' squeezer",
    "Wong et al. 2016": "Wong, Bobbert, van Soest, Gribble and Kistemaker 2016, *J Neurophysiol* 116: jumps recorded "
    "with the same body",
    "DAS3, release 2": "The Dynamic Arm Simulator, release 2: the printed results of its own test",
    "gait2d, reference": "gait2d: its reference manual",
    "optim2d": "optim2d: its stored walks with a prosthesis",
    "Garcia et al. 1998": "Garcia, Chatterjee, Ruina and Coleman 1998, *J Biomech Eng* 120: the simplest walker",
    "McGeer 1990": "McGeer 1990, *Int J Robotics Research* 9: passive walking with round feet",
    "Geyer, Seyfarth and Blickhan 2003": "Geyer, Seyfarth and Blickhan 2003, *Proc R Soc B* 270: hopping by positive "
    "force feedback",
    "Elliptic integral": "Closed forms: complete elliptic integrals",
}


def add_tables(app: Sphinx, name: str, source: list[str]) -> None:
    """Add the tables to the page that is written without; Sphinx calls this for every page that it reads."""
    if name == "printed_numbers":
        folder = Path(app.srcdir)
        for file in (folder / "printed").glob("*.csv"):
            app.env.note_dependency(str(file))
        source[0] += tables(folder)


def tables(folder: Path) -> str:
    """Return the tables of all rows; raise an error where a row's test does not exist."""
    rows = [row for file in sorted((folder / "printed").glob("*.csv")) for row in _rows(file)]
    lost = sorted({row["test"] for row in rows} - _tests(folder.parent, {row["test"] for row in rows}))
    if lost:
        raise LookupError(f"rows of docs/printed belong to tests that do not exist: {lost}")
    others = sorted({row["work"] for row in rows} - set(_WORKS))
    parts = ["", f"There are {len(rows)} rows."]
    for work, title in (_WORKS | {name: name for name in others}).items():
        own = [row for row in rows if row["work"] == work]
        if own:
            parts += ["", f"## {work}", "", f"{title}.", "", *_table(own)]
    return "\n".join([*parts, ""])


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _tests(root: Path, names: Iterable[str]) -> set[str]:
    """Return those of the tests, by file and function, that exist."""
    found = set()
    for file in {name.partition("::")[0] for name in names}:
        if (root / file).exists():
            tree = ast.parse((root / file).read_text(encoding="utf-8"))
            found |= {f"{file}::{node.name}" for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return found


def _table(rows: list[dict[str, str]]) -> list[str]:
    lines = ["| place | printed | ours | difference | allowed | test |", "|---|--:|--:|--:|--:|---|"]
    for row in rows:
        file, _, test = row["test"].partition("::")
        apart = abs(_number(row["ours"]) - _number(row["printed"]))
        unit = f" {row['unit']}" if row["unit"] else ""
        cells = [
            f"{row['place']}",
            f"{row['printed']}{unit}",
            _shown(row["ours"], row["printed"]),
            f"{apart:.1e}" if apart else "0",
            row["within"],
            f"`{file.removeprefix('tests/')}` {test.removeprefix('test_').replace('_', ' ')}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _number(text: str) -> complex:
    return complex(text.replace("i", "j"))


def _shown(ours: str, printed: str) -> str:
    """Return ours with two digits more than are printed.

    Examples
    --------
    >>> _shown("3.83601355576", "3.836"), _shown("3.83601355576i", "3.836i"), _shown("5000", "5000")
    ('3.83601', '3.83601i', '5000')
    """
    mark = "i" if ours.endswith("i") else ""
    digits = printed.removesuffix("i").lower().partition("e")[0].lstrip("-0.").replace(".", "")
    value = float(ours.removesuffix("i"))
    return f"{value:.{max(len(digits), 3) + 2}g}{mark}"
