"""Compiled code is found only by the code that made it: every module that takes part changes the key."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import myodyne as my
from myodyne.equations.build import Kernels
from myodyne.native import fingerprint
from myodyne.native.fingerprint import fingerprint_of, imported_files, source_fingerprint
from myodyne.optimise.transcription import functions

PACKAGE = Path(my.__file__).parent
EQUATIONS = ("myodyne.equations.build",)
INSTANTS = ("myodyne.optimise.problem", "myodyne.optimise.transcription.phase")


@pytest.fixture
def taking_part(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[Path]]:
    """Return the files of the package whose functions run while expressions are made."""
    files: set[Path] = set()
    names: set[str] = set()
    make = Kernels._definition

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            names.add(frame.f_code.co_filename)

    def watched(self: Kernels, *arguments: Any) -> Any:
        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            return make(self, *arguments)
        finally:
            sys.setprofile(before)
            files.update(file for file in map(Path, names) if PACKAGE in file.parents)

    monkeypatch.setattr(Kernels, "_definition", watched)
    yield files


def test_the_roots_are_those_that_the_code_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    for module in ("myodyne.equations.build", "myodyne.optimise.transcription.functions"):
        monkeypatch.setattr(f"{module}.source_fingerprint", lambda *roots: asked.append(roots) or "")
    sys.modules["myodyne.equations.build"].generator_fingerprint()
    functions.code_fingerprint()
    assert [set(roots) for roots in asked] == [set(EQUATIONS), set(INSTANTS)]


@pytest.mark.parametrize("name", ["jumper", "andrews_squeezer", "gait2d"])
def test_modules_that_make_equations_take_part(name: str, taking_part: set[Path]) -> None:
    model = my.load_model(name)
    # A number that no other test frees: kernels of this structure are not in memory yet.
    equations = my.equations_of(model.free("gravity.x"), compiled=False)
    for kernel in ("derivative", "outputs", "residual"):
        equations.kernel(kernel)
    assert len(taking_part) > 10
    assert taking_part <= set(imported_files(*EQUATIONS).values())


def test_modules_that_make_problems_take_part(taking_part: set[Path], interpreted: None) -> None:
    motor = my.CoordinateActuator(coordinate="angle", gain=1.625, control_range=(-1.0, 1.0))
    model = my.load_model("pendulum").with_parts(forces={"motor": motor})
    goals = [my.Effort(of="torques"), my.Custom(mean=lambda at: at["angle"] ** 2, label="angle squared")]
    conditions = [my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": 0.5})]
    problem = my.Problem(model, duration=1.0, goals=goals, conditions=conditions)
    my.solve(problem, my.Radau(degree=3), nodes=5, guess=my.standing(model))
    found = {file for file in taking_part if "optimise" in file.parts}
    assert found
    assert taking_part <= set(imported_files(*EQUATIONS, *INSTANTS).values())


@pytest.mark.parametrize("roots", [EQUATIONS, INSTANTS], ids=["equations", "instants"])
def test_a_change_in_any_of_them_changes_the_key(
    roots: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave = shutil.ignore_patterns("__pycache__", "static", "*.so")
    copy = Path(shutil.copytree(PACKAGE, tmp_path / "myodyne", ignore=leave))
    monkeypatch.setattr(fingerprint, "_root", lambda: copy)
    files = imported_files(*roots)
    before = fingerprint_of(files.values())
    assert len(files) > 50
    for file in files.values():
        text = file.read_bytes()
        file.write_bytes(text + b"\n# changed\n")
        assert fingerprint_of(files.values()) != before, file
        file.write_bytes(text)
    assert fingerprint_of(imported_files(*roots).values()) == before


def test_the_key_does_not_depend_on_where_files_lie(tmp_path: Path) -> None:
    for folder in ("here", "there/deeper"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / f"{folder[:2]}.py").write_text("one = 1\n")
    here, there = tmp_path / "here" / "he.py", tmp_path / "there/deeper" / "th.py"
    other = tmp_path / "other.py"
    other.write_text("two = 2\n")
    assert fingerprint_of([here, other]) == fingerprint_of([other, there])
    assert fingerprint_of([here]) != fingerprint_of([here, other])


def test_imports_inside_functions_and_of_modules_are_followed() -> None:
    found = imported_files("myodyne.equations.build")
    assert "myodyne.equations.muscles.batch" in found  # imported inside a function
    assert "myodyne.native.cache" in found  # from myodyne.native import cache as store
    assert "myodyne" not in found
    assert source_fingerprint("myodyne.errors") != source_fingerprint("myodyne.progress")
