"""What is written must hold: names, examples, pointers to files, links."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import myodyne as my

# The public surface of the design, as far as this version has it: what a script calls.
VERBS = (
    "builtin_models",
    "load_model",
    "save_model",
    "equations_of",
    "simulate",
    "step",
    "falls_through_zero",
    "save",
    "load",
    "plot",
    "animate",
    "linearise",
    "degrees",
)
NOUNS = (
    "Model",
    "Trajectory",
    "Result",
    "Report",
    "Provenance",
    "Euler",
    "Heun",
    "RK4",
    "RKF45",
    "DOP853",
    "Midpoint",
    "TRBDF2",
    "Adams",
    "BDF",
)
OF_EQUATIONS = (
    "coordinates",
    "speeds",
    "muscles",
    "states",
    "controls",
    "parameters",
    "outputs",
    "mass_matrix",
    "inverse_dynamics",
    "forward_dynamics",
    "body_positions",
    "residual",
    "jacobians",
    "parameter_jacobian",
)
OF_A_MODEL = ("with_values", "free", "unconstrained", "value", "coordinates", "mass", "hash")
OF_A_RESULT = ("report", "provenance", "final", "values", "units", "at", "select", "slice", "time")


@pytest.mark.parametrize("name", [*VERBS, *NOUNS])
def test_the_public_surface_is_explained_with_an_example(name: str) -> None:
    assert name in my.__all__
    text = getattr(my, name).__doc__ or ""
    assert "Examples\n" in text, f"{name} has no example"
    assert ">>> " in text.partition("Examples\n")[2]


@pytest.mark.parametrize(
    "owner, names",
    [(my.Equations, OF_EQUATIONS), (my.Model, OF_A_MODEL), (my.Result, OF_A_RESULT)],
    ids=["Equations", "Model", "Result"],
)
def test_what_they_offer_is_explained(owner: Any, names: tuple[str, ...]) -> None:
    for name in names:
        member = getattr(owner, name)
        assert member.__doc__, f"{owner.__name__}.{name} is not explained"


def test_every_public_name_is_explained() -> None:
    for name in my.__all__:
        text = (getattr(my, name).__doc__ or "").strip()
        assert text, f"{name} is not explained"
        assert text[0].isupper() or text[0] == "`", f"{name}: {text[:60]}"


def modules() -> list[str]:
    found = [name for _, name, _ in pkgutil.walk_packages(my.__path__, "myodyne.")]
    return ["myodyne", *(name for name in found if not name.endswith("__main__"))]


def test_all_examples_run() -> None:
    """Every example in every docstring prints what it says."""
    attempted, failures = 0, []
    for name in modules():
        module = importlib.import_module(name)
        for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
            said: list[str] = []
            result = doctest.DocTestRunner().run(test, out=said.append)
            attempted += result.attempted
            if result.failed:
                failures.append("".join(said))
    assert not failures, "\n".join(failures)
    assert attempted > 100


# ---- pointers -----------------------------------------------------------------------------------------------

FOLDERS = "docs|src|models|examples|benchmarks|tests"
POINTER = re.compile(rf"`((?:{FOLDERS})/[\w./-]+|[\w./-]+/[\w.-]+\.(?:py|c|h|md|yaml|json|html)|[\w-]+\.(?:c|h))`")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)")


def written(path: Path, text: str) -> str:
    """Return the part of a file that people read: all of a page, comments and docstrings of code."""
    if path.suffix != ".py":
        return text
    quoted = re.findall(r'"""(.*?)"""', text, re.DOTALL)
    return "\n".join([*quoted, *re.findall(r"#(.*)", text)])


def homes(path: Path, root: Path) -> list[Path]:
    """Return the folders that a pointer may start from."""
    package = root / "src" / "myodyne"
    return [root, root / "src", package, path.parent, package / "native" / "march", root / "tests"]


def test_pointers_to_files_lead_somewhere(texts: dict[Path, str], root: Path) -> None:
    checked, lost = 0, []
    for path, text in texts.items():
        # Tests of readers and writers name files that do not exist; this test would read itself.
        if (
            path.suffix not in {".py", ".md", ".yaml", ".toml", ".c", ".h"}
            or path.parts[-3:-1] == ("tests", "files")
            or path == Path(__file__)
        ):
            continue
        for name in POINTER.findall(written(path, text)):
            checked += 1
            if not any((home / name.rstrip("/")).exists() for home in homes(path, root)):
                lost.append(f"{path.relative_to(root)}: `{name}`")
    assert not lost, "\n".join(lost)
    assert checked > 10


def test_links_between_pages_lead_somewhere(texts: dict[Path, str], root: Path) -> None:
    checked, lost = 0, []
    for path, text in texts.items():
        if path.suffix != ".md":
            continue
        for target in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            checked += 1
            if not (path.parent / target).exists():
                lost.append(f"{path.relative_to(root)}: ({target})")
    assert not lost, "\n".join(lost)
    assert checked > 0
