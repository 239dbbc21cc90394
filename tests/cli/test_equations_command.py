"""The command ``myodyne equations``."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import myodyne as my
from myodyne.cli.main import app

pytest.importorskip("sympy")


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["equations", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_text_latex_and_code() -> None:
    assert "angle:  0.333333*angle'' + 4.905*sin(angle) = 0" in printed("pendulum")
    assert r"\ddot{angle}" in printed("pendulum", "--latex", "--digits", "3")
    assert "void pendulum(" in printed("pendulum", "--c")
    assert "function [M, c, Q] = pendulum(" in printed("pendulum", "--matlab")
    assert "def pendulum(q, v, t" in printed("pendulum", "--python")


def test_a_description_and_a_file_to_write(tmp_path: Path) -> None:
    lists, out = tmp_path / "lists.yaml", tmp_path / "out.txt"
    my.lagrange.save_description(my.lagrange.from_model(my.load_model("pendulum")), lists)
    printed(str(lists), "--out", str(out))
    assert "sin(angle)" in out.read_text(encoding="utf-8")


def test_muscles_are_left_out_and_two_forms_are_one_too_many() -> None:
    assert "left out" in printed("planar_arm")
    assert CliRunner().invoke(app, ["equations", "pendulum", "--c", "--latex"]).exit_code == 2
