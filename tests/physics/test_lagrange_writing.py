"""Equations as text, LaTeX and code: what is printed is what was derived."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.errors import FileError, ModelError
from myodyne.formulations import lagrange as lg
from support.random_trees import random_tree

sympy = pytest.importorskip("sympy")


def spatial(seed: int) -> lg.Description:
    """Return a random body in space, on any axes."""
    return lg.from_model(random_tree(seed, 1, flat=False, most_coordinates=2))


def read(line: str, values: dict[str, float]) -> float:
    """Return left minus right side of a written equation, read as arithmetic."""
    left, right = line.split(":  ", 1)[1].replace("''", "_ddot").replace("'", "_dot").split(" = ")
    scope = {"__builtins__": {}, "sin": np.sin, "cos": np.cos} | values
    return float(eval(f"({left}) - ({right})", scope))


def printed_and_parsed(seed: int) -> None:
    """Compare what is printed with the derivation by numbers, which shares no formula with it."""
    description = spatial(seed)
    equations = lg.derive(description)
    rng = np.random.default_rng(seed)
    state = rng.normal(size=(3, len(equations.coordinates)))
    values = {
        f"{name}{mark}": number
        for mark, row in zip(("", "_dot", "_ddot"), state, strict=True)
        for name, number in zip(equations.coordinates, row, strict=True)
    }
    rows = [
        line for line in equations.text().splitlines() if any(line.startswith(f"{n}:") for n in equations.coordinates)
    ]
    expected = equations.numbers().inverse_dynamics(*state)
    assert len(rows) == len(expected)
    scale = max(1.0, float(np.abs(expected).max()))
    for line, wanted in zip(rows, expected, strict=True):
        assert read(line, values) == pytest.approx(wanted, abs=1e-12 * scale)


# About a second each.
@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_spatial_equations_are_printed_and_parsed_back(seed: int) -> None:
    printed_and_parsed(seed)


@pytest.mark.parametrize("seed", [1, 3])
def test_equations_of_one_coordinate_in_space_are_printed_and_parsed_back(seed: int) -> None:
    printed_and_parsed(seed)


def test_winters_torque_map_prints_as_a_book_would() -> None:
    """8.22: torques on a body by zxz angles; sin²cos + cos³ of the raw product are gathered."""
    body = lg.Description(
        name="body",
        dimension=3,
        coordinates=["q1", "q2", "q3"],
        parameters=["m"],
        inputs=["Tx", "Ty", "Tz"],
        points={"o": lg.Point("ground", (0, 0, 0)), "c": lg.Point("body", (0, 0, 0))},
        frames={"body": lg.Frame("o", ["q1", "q2", "q3"], "zxz")},
        segments={"body": lg.Segment("c", "m", ("m", "m", "m"))},
        torques={"T": lg.Torque("ground", "body", ("Tx", "Ty", "Tz"))},
    )
    equations = lg.derive(body)
    right = {name: equations.tidy(equations.right_side(name)) for name in equations.coordinates}
    q2, q3 = sympy.symbols("q2 q3")
    tx, ty, tz = sympy.symbols("Tx Ty Tz")
    assert right["q1"] == tx * sympy.sin(q2) * sympy.sin(q3) + ty * sympy.sin(q2) * sympy.cos(q3) + tz * sympy.cos(q2)
    assert right["q2"] == tx * sympy.cos(q3) - ty * sympy.sin(q3)
    assert right["q3"] == tz


@pytest.mark.parametrize("name", ["double_pendulum", "four_bar", "spinning_top", "sliding_blocks"])
def test_named_equations_are_the_same_equations(name: str) -> None:
    from myodyne.formulations.lagrange.formulas.naming import named_sides

    equations = lg.derive(lg.from_model(my.load_model(name)))
    found = named_sides(equations)
    rng = np.random.default_rng(0)
    groups = (equations.coordinates, equations.speeds, equations.accelerations, equations.multipliers)
    numbers = {symbol: float(rng.uniform(0.2, 1)) for group in groups for symbol in group.values()}
    values = dict(numbers)
    for symbol, formula in found.names.items():
        values[symbol] = float(formula.xreplace(values))
    for row, coordinate in enumerate(equations.coordinates):
        for side, exact in enumerate((equations.left_side(coordinate), equations.right_side(coordinate))):
            expected = float(exact.xreplace(numbers))
            assert float(found.formulas[2 * row + side].xreplace(values)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.long
def test_long_equations_are_short_enough_to_read() -> None:
    """The skeleton of a jumper: 19 thousand characters when written out."""
    text = lg.derive(lg.from_model(my.load_model("jumper_skeleton"))).text(named=True, digits=6)
    assert len(text) < 6500
    assert "M11*toe'' + M12*ankle''" in text
    assert "e-16" not in text


@pytest.mark.long
def test_latex_is_accepted_by_mathtext() -> None:
    mathtext = pytest.importorskip("matplotlib.mathtext")
    parser = mathtext.MathTextParser("path")
    descriptions = [
        spatial(1),
        lg.from_model(my.load_model("four_bar")),
        lg.from_model(my.load_model("jumper_skeleton")),
    ]
    for description in descriptions:
        equations = lg.derive(description)
        lines = equations.latex(named=True, digits=5).splitlines()[1:-1]
        assert len(lines) >= len(equations.coordinates)
        for line in lines:
            parser.parse(f"${line.removesuffix(' ' + chr(92) * 2).replace('&', '')}$")


def reference(description: lg.Description, seed: int = 3) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    numbers = lg.numbers_of(description)
    q, v = rng.uniform(0.1, 1.0, size=(2, len(numbers.coordinates)))
    u = rng.normal(size=len(description.inputs))
    terms = numbers.terms(q, v, 0.3, dict(zip(description.inputs, u, strict=True)))
    return q, v, u, np.array(list(numbers.parameters.values())), terms


def leg() -> lg.Description:
    """Return a leg in a loop with a force, a torque, parameters and a damper by speed squared."""
    return lg.Description(
        name="a leg",
        coordinates=["hip", "knee"],
        parameters={"l": 0.4, "m": 3.0},
        inputs=["T"],
        points={
            "hip": lg.Point("ground", (0, 0)),
            "knee": lg.Point("thigh", (0, "-l")),
            "toe": lg.Point("shank", (0, "-l")),
        },
        frames={"thigh": lg.Frame("hip", ["hip"]), "shank": lg.Frame("knee", ["knee"], relative_to="thigh")},
        segments={"thigh": lg.Segment("knee", "m", 0.1), "shank": lg.Segment("toe", "m", 0.1)},
        torques={"T": lg.Torque("thigh", "shank", "T")},
        springs={"drag": lg.CoordinateSpring("knee", 3.0, 0.4, power=2)},
        constraints={"rail": lg.Constraint("toe.x - 0.1*sin(t)")},
    )


def test_python_code_computes_the_same() -> None:
    q, v, u, p, terms = reference(leg())
    scope: dict[str, Any] = {}
    exec(lg.derive(leg()).code("python"), scope)
    mass, bias, applied, jacobian, gamma = scope["a_leg"](q, v, 0.3, u, p)
    for found, expected in (
        (mass, terms.mass_matrix),
        (bias, terms.bias),
        (applied, terms.applied),
        (jacobian, terms.jacobian),
        (gamma, terms.constraint_bias),
    ):
        assert found == pytest.approx(expected, abs=1e-13)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_code_computes_the_same(tmp_path: Path) -> None:
    q, v, u, p, terms = reference(leg())
    source, library = tmp_path / "leg.c", tmp_path / "leg.so"
    source.write_text(lg.derive(leg()).code("c"), encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-lm"], check=True, timeout=60)
    sizes = {"M": 4, "c": 2, "Q": 2, "G": 2, "gamma": 1}
    outputs = {name: np.zeros(size) for name, size in sizes.items()}

    def pointer(array: Any) -> Any:
        return np.ascontiguousarray(array).ctypes.data_as(ctypes.POINTER(ctypes.c_double))

    function = ctypes.CDLL(str(library)).a_leg
    function.restype = None
    function(pointer(q), pointer(v), ctypes.c_double(0.3), pointer(u), pointer(p), *map(pointer, outputs.values()))
    assert outputs["M"].reshape(2, 2) == pytest.approx(terms.mass_matrix, abs=1e-13)
    assert outputs["c"] == pytest.approx(terms.bias, abs=1e-13)
    assert outputs["Q"] == pytest.approx(terms.applied, abs=1e-13)
    assert outputs["G"] == pytest.approx(terms.jacobian[0], abs=1e-13)
    assert outputs["gamma"] == pytest.approx(terms.constraint_bias, abs=1e-13)


def test_matlab_code_has_a_statement_for_every_entry() -> None:
    code = lg.derive(leg()).code("matlab")
    assert "function [M, c, Q, G, gamma] = a_leg(q, v, t, u, p)" in code
    for entry in ("M(1,1)", "M(2,2)", "c(2,1)", "Q(2,1)", "G(1,2)", "gamma(1,1)"):
        assert f"    {entry} = " in code
    assert code.rstrip().endswith("end")


def test_descriptions_are_saved_and_loaded(tmp_path: Path) -> None:
    for number, description in enumerate((leg(), lg.from_model(my.load_model("cyclist_one_leg")), spatial(3))):
        lg.save_description(description, tmp_path / f"{number}.yaml")
        assert lg.load_description(tmp_path / f"{number}.yaml") == description


def test_numbered_lists_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "book.yaml"
    file.write_text(
        "{pt: [[0, 0, 0], [1, l, 0]], LRS: [[1, q]], seg: [[2, m]], coordinates: [q], parameters: {l: 2.0, m: 3.0}}",
        encoding="utf-8",
    )
    assert lg.numbers_of(lg.load_description(file)).mass_matrix([0.3]) == pytest.approx(np.array([[12.0]]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{points: {}, pionts: {}}", "unknown table 'pionts'"),
        ("{points: {a: {frame: ground, att: [0, 0]}}}", "points.a: unknown field 'att'"),
        ("{points: {a: {at: [0, 0]}}}", "the field 'frame' of a Point is missing"),
        ("{points: {}, springs: {a: {kind: Rope}}}", "unknown kind 'Rope'"),
        ("{bodies: {}}", "is not a description"),
        ("{points: [", "is not YAML"),
    ],
)
def test_faults_of_a_file_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "faulty.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises((ModelError, FileError), match=message):
        lg.load_description(file)


def test_the_three_modules_are_public_and_hide_nothing() -> None:
    assert my.lagrange.derive is lg.derive
    assert my.newton_euler.solve is not my.solve
    assert my.matrix_calculus.MatrixCalculus.__name__ == "MatrixCalculus"
