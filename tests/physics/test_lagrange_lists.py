"""Descriptions by lists: what is understood, what is refused, and how the equations read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from myodyne.errors import ModelError, SolveError
from myodyne.formulations import lagrange as lg
from myodyne.formulations.lagrange.algebra.jets import JetAlgebra, gradient_of, hessian_of, value_of, variables
from myodyne.formulations.lagrange.algebra.rates import FUNCTIONS, Dual
from myodyne.formulations.lagrange.lists.expressions import evaluate, names_in, quoted


def arm(**changes: Any) -> lg.Description:
    parts: dict[str, Any] = {
        "name": "arm",
        "coordinates": ["shoulder", "elbow"],
        "parameters": ["l", "m", "I", "g"],
        "gravity": (0, "-g"),
        "points": {
            "base": lg.Point("ground", (0, 0)),
            "elbow": lg.Point("upper", ("l", 0)),
            "upper_centre": lg.Point("upper", ("l/2", 0)),
            "lower_centre": lg.Point("lower", ("l/3", 0)),
        },
        "frames": {"upper": lg.Frame("base", ["shoulder"]), "lower": lg.Frame("elbow", ["elbow"], relative_to="upper")},
        "segments": {"upper": lg.Segment("upper_centre", "m", "I"), "lower": lg.Segment("lower_centre", "m", "I")},
    }
    return lg.Description(**{**parts, **changes})


FAULTS: dict[str, dict[str, Any]] = {
    r"frames.lower.origin: unknown point 'elbo': did you mean 'elbow'\?": {
        "frames": {"upper": lg.Frame("base", ["shoulder"]), "lower": lg.Frame("elbo", ["elbow"])}
    },
    r"points.elbow.frame: unknown frame 'uper': did you mean 'upper'\?": {
        "points": {**dict(arm().points), "elbow": lg.Point("uper", ("l", 0))}
    },
    r"points.elbow.at: unknown name 'll': did you mean 'l'\? \(declare a new constant in parameters\)": {
        "points": {**dict(arm().points), "elbow": lg.Point("upper", ("ll", 0))}
    },
    r"points.elbow.at: has 3 components; in 2 dimensions it has 2": {
        "points": {**dict(arm().points), "elbow": lg.Point("upper", ("l", 0, 0))}
    },
    r"points.elbow.at: 'elbow_dot' is not allowed here": {
        "points": {**dict(arm().points), "elbow": lg.Point("upper", ("elbow_dot", 0))}
    },
    r"the frames 'upper', 'lower' form a cycle": {
        "frames": {"upper": lg.Frame("lower_centre", ["shoulder"]), "lower": lg.Frame("elbow", ["elbow"])}
    },
    r"coordinates.wrist: moves nothing": {"coordinates": ["shoulder", "elbow", "wrist"]},
    r"segments.upper.mass: 'shoulder' is not allowed here: the value may depend on 'I', 'g', 'l', 'm'": {
        "segments": {"upper": lg.Segment("upper_centre", "m*shoulder", "I")}
    },
    r"segments.upper.inertia: has 3 entries; in 2 dimensions it has 1": {
        "segments": {"upper": lg.Segment("upper_centre", "m", ("I", "I", "I"))}
    },
    r"segments.upper.inertia: the centre 'base' is a point of the ground": {
        "segments": {"upper": lg.Segment("base", "m", "I")}
    },
    r"springs.band.end: unknown point 'hand'": {"springs": {"band": lg.LinearSpring("base", "hand")}},
    r"springs.band: both ends are at 'base'": {"springs": {"band": lg.LinearSpring("base", "base")}},
    r"springs.twist.start: unknown frame 'trunk'": {"springs": {"twist": lg.TorsionalSpring("trunk", "upper")}},
    r"springs.rest.coordinate: unknown coordinate 'elbw': did you mean 'elbow'\?": {
        "springs": {"rest": lg.CoordinateSpring("elbw")}
    },
    r"forces.push.force: unknown name 'F'": {"forces": {"push": lg.Force("elbow", ("F", 0))}},
    r"torques.motor.on: unknown frame 'lowr': did you mean 'lower'": {
        "torques": {"motor": lg.Torque("upper", "lowr", 1)}
    },
    r"torques.motor: torque and reaction both act on 'upper'": {"torques": {"motor": lg.Torque("upper", "upper", 1)}},
    r"torques.motor: has 3 components; in 2 dimensions it has 1": {
        "torques": {"motor": lg.Torque("upper", "lower", (1, 2, 3))}
    },
    r"constraints.hold.hand.x: unknown point 'hand'": {"constraints": {"hold": lg.Constraint("hand.x - 1")}},
    r"parameters.shoulder: the parameter has the same name as a coordinate": {
        "parameters": ["l", "m", "I", "g", "shoulder"]
    },
    r"parameters.m: a value is a finite number, not nan": {
        "parameters": {"l": 1.0, "m": float("nan"), "I": 0.1, "g": 9.8}
    },
    r"parameters.l: a value is a finite number, not 'long'": {
        "parameters": {"l": "long", "m": 1.0, "I": 0.1, "g": 9.8}
    },
    r"inputs.t: the input has the same name as the time": {"inputs": ["t"]},
    r"frames.ground: the ground always exists": {
        "frames": {"ground": lg.Frame("base", ["shoulder"]), "lower": lg.Frame("elbow", ["elbow"])}
    },
    r"frames.upper.sequence: in the plane a frame rotates about z": {
        "frames": {"upper": lg.Frame("base", ["shoulder"], "x"), "lower": lg.Frame("elbow", ["elbow"])}
    },
    r"gravity: has 3 components": {"gravity": (0, -9.81, 0)},
    r"the dimension is 2 or 3, not 4": {"dimension": 4},
    r"names must be a list, not the text 'l m'": {"parameters": "l m"},
    r"the name 'l' is listed twice": {"parameters": ["l", "l"]},
    r"forces.push: is a Torque, not a force": {"forces": {"push": lg.Torque("upper", "lower", 1)}},
}


@pytest.mark.parametrize("message", FAULTS)
def test_faults_are_named_with_their_place(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        arm(**FAULTS[message])


def test_all_faults_are_reported_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        arm(springs={"a": lg.LinearSpring("base", "hand"), "b": lg.TorsionalSpring("trunk", "upper")})
    assert [place for place, _ in caught.value.problems] == [("springs", "a", "end"), ("springs", "b", "start")]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lg.Frame("base", ["a", "b"], "zxz"), "with 2 angles needs as many axes, not 3"),
        (lambda: lg.Frame("base", ["a"], "q").axes, "an axis is x, y, z"),
        (lambda: lg.Point("ground", "xy"), "a point needs a list of components"),
        (lambda: lg.Segment("c", "m", "I", "middle"), "about the 'centre' or the 'origin', not 'middle'"),
        (lambda: lg.Force("hand", 3), "a force given as one number acts between two points"),
        (lambda: lg.Point("ground", (None, 0)), "an expression is a number, text or a SymPy expression, not None"),
        (lambda: arm().with_values({"ll": 1.0}), "unknown parameter 'll'"),
        (lambda: arm().with_parts(joints={}), "unknown table 'joints'"),
        (lambda: lg.numbers_of(arm()), "parameters without a value: l, m, I, g"),
        (lambda: lg.split_joint(arm(), "hand"), "unknown frame 'hand'"),
        (lambda: lg.split_joint(lg.split_joint(arm(), "lower"), "lower"), "a constraint 'lower' exists already"),
        (lambda: lg.split_joint(arm(parameters=["l", "m", "I", "g", "lower_x"]), "lower"), "needs the name 'lower_x'"),
        (lambda: lg.from_lists({"pts": []}), "unknown list 'pts': did you mean 'pt'"),
        (
            lambda: lg.from_lists({"pt": []}, coordinate=["q"]),
            "unknown option 'coordinate': did you mean 'coordinates'",
        ),
        (
            lambda: lg.from_lists({"pt": [[2, "q", 0]]}, coordinates=["q"]),
            r"pt\(1\): there is no LRS\(2\); valid numbers are 0 to 0",
        ),
        (
            lambda: lg.from_lists({"pt": [[0, "q", 0]], "LRS": [[1, "q", 0, 0, 0]]}, coordinates=["q"]),
            r"LRS\(1\): needs the number",
        ),
        (
            lambda: lg.from_lists({"pt": [[0, "q", 0]], "seg": [[1]]}, coordinates=["q"]),
            r"seg\(1\): a row is \[centre, mass\(, inertias\)\]; 1 entries are too few",
        ),
    ],
)
def test_records_refuse_what_they_cannot_mean(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


# Expressions


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "q.__class__",
        "[q for q in (1,)]",
        "lambda: 1",
        "q if q else 1",
        "f'{q}'",
        "q; q",
        "q = 1",
        "open('x')",
        "sin(q, q)",
        "sin(x=q)",
        "q[0]",
        "True",
        "q & 1",
        "q // 2",
        "not q",
        "",
        "(" * 300 + ")" * 300,
        "2**3**4",
        "q**100",
        "x" * 70_000,
        "'a' 'b'.x.y",
    ],
)
def test_expressions_are_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(ModelError):
        names_in(text)


def test_names_that_are_no_identifiers_stand_in_quotes() -> None:
    names, points = names_in("2*'hip flexion' + cos(knee)*'left toe'.x - pi")
    assert names == {"hip flexion", "knee"}
    assert points == {("left toe", "x")}
    assert quoted("lambda") == "'lambda'"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_and_their_derivatives(function: str) -> None:
    """Value, rate, gradient and curvature of each function against central differences."""
    step = 1e-4

    def at(x: float) -> tuple[float, float, float, float]:
        (jet,) = variables([x])
        found = evaluate(f"{function}(x)", {"x": Dual(jet, 2.0)}, JetAlgebra())
        slope, curve = gradient_of(found.value, 1), hessian_of(found.value, 1)
        return value_of(found.value), value_of(found.rate), float(slope[0]), float(curve[0, 0])

    value, rate, slope, curve = at(0.4)
    assert value == pytest.approx(
        float(getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(function, function))(0.4))
    )
    difference = (at(0.4 + step)[0] - at(0.4 - step)[0]) / (2 * step)
    assert slope == pytest.approx(difference, rel=1e-6)
    assert rate == pytest.approx(2 * difference, rel=1e-6)
    assert curve == pytest.approx((at(0.4 + step)[2] - at(0.4 - step)[2]) / (2 * step), rel=1e-6)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("x**3 - 2*x/y", 0.5**3 - 2 * 0.5 / 1.5),
        ("-x + +y", 1.0),
        ("x**y", 0.5**1.5),
        ("2**x", 2**0.5),
        ("sqrt(x**2 + y**2)", np.hypot(0.5, 1.5)),
        ("x**-2", 4.0),
        ("1/(x - y)", -1.0),
        ("(x - y)**2", 1.0),
        ("pi*x", np.pi / 2),
    ],
)
def test_arithmetic(text: str, exact: float) -> None:
    x, y = variables([0.5, 1.5])
    found = evaluate(text, {"x": Dual(x, 0.3), "y": Dual(y, -0.2)}, JetAlgebra())
    assert value_of(found.value) == pytest.approx(exact)
    step = 1e-6
    ahead, behind = (
        value_of(evaluate(text, {"x": Dual(0.5 + s * 0.3, 0.0), "y": Dual(1.5 - s * 0.2, 0.0)}, JetAlgebra()).value)
        for s in (step, -step)
    )
    assert value_of(found.rate) == pytest.approx((ahead - behind) / (2 * step), rel=1e-7, abs=1e-9)
    assert gradient_of(found.value, 2) @ [0.3, -0.2] == pytest.approx(value_of(found.rate))


@pytest.mark.parametrize("text", ["1/x", "log(x)", "sqrt(x - 1)", "(x - 1)**0.5", "asin(x + 2)", "exp(1000 + x)"])
def test_values_that_do_not_exist(text: str) -> None:
    (x,) = variables([0.0])
    with pytest.raises(SolveError, match="cannot be evaluated here"):
        evaluate(text, {"x": Dual(x, 1.0)}, JetAlgebra())


def test_a_spring_without_length_has_no_direction() -> None:
    bead = lg.Description(
        name="bead",
        coordinates=["x", "y"],
        gravity=(0, 0),
        frames={},
        points={"o": lg.Point("ground", (0, 0)), "p": lg.Point("ground", ("x", "y"))},
        segments={"p": lg.Segment("p", 1)},
        springs={"s": lg.LinearSpring("o", "p", 3.0, 0, 0)},
    )
    # With a free length of zero it is smooth: no direction is needed.
    assert lg.numbers_of(bead).inverse_dynamics([0, 0], [0, 0], [1, 2]) == pytest.approx([1, 2])
    stiff = bead.with_parts(springs={"s": lg.LinearSpring("o", "p", 3.0, 0, 0.1)})
    with pytest.raises(SolveError, match="points 'o' and 'p' coincide"):
        lg.numbers_of(stiff).terms([0, 0])


# Forces


def test_a_force_along_a_line_works_on_its_length() -> None:
    """A force between two points, as a muscle has it: virtual work on the length."""
    description = arm(
        parameters={"l": 0.3, "m": 1.0, "I": 0.02, "g": 9.81},
        inputs=["F"],
        points={
            **dict(arm().points),
            "origin": lg.Point("ground", (0.05, 0.02)),
            "insertion": lg.Point("lower", (0.04, 0.01)),
        },
        forces={"muscle": lg.Force("insertion", "-F", reaction_at="origin")},
    )
    numbers = lg.numbers_of(description)

    def length(q: Any) -> float:
        a, b = q[0], q[0] + q[1]
        x = 0.3 * np.cos(a) + 0.04 * np.cos(b) - 0.01 * np.sin(b) - 0.05
        y = 0.3 * np.sin(a) + 0.04 * np.sin(b) + 0.01 * np.cos(b) - 0.02
        return float(np.hypot(x, y))

    q, step = np.array([0.4, 0.9]), 1e-6
    arms = [-(length(q + step * e) - length(q - step * e)) / (2 * step) for e in np.eye(2)]
    assert numbers.terms(q, inputs={"F": 200.0}).applied == pytest.approx(200.0 * np.array(arms), abs=1e-6)


def test_numbers_check_what_they_are_given() -> None:
    numbers = lg.numbers_of(arm(), {"l": 0.3, "m": 1.0, "I": 0.02, "g": 9.81})
    with pytest.raises(ModelError, match="q needs 2 numbers, one for each of 'shoulder', 'elbow'"):
        numbers.terms([0.1])
    with pytest.raises(ModelError, match="unknown input 'T'"):
        numbers.terms([0.1, 0.2], inputs={"T": 1.0})
    with pytest.raises(ModelError, match="x must hold values and speeds of 'shoulder', 'elbow': 4 numbers"):
        numbers.derivative(0.0, [0.1, 0.2])


# How the equations read


def test_text_and_latex() -> None:
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    cart = lg.Description(
        name="cart",
        coordinates={"x": lg.Coordinate(motion="a*sin(t)"), "q1": lg.Coordinate()},
        inputs=["F"],
        parameters=["m", "l", "g", "a"],
        gravity=(0, "-g"),
        points={"cart": lg.Point("ground", ("x", 0)), "bob": lg.Point("arm", ("l", 0))},
        frames={"arm": lg.Frame("cart", ["q1"])},
        segments={"bob": lg.Segment("bob", "m")},
        forces={"push": lg.Force("bob", ("F", 0))},
        constraints={"hold": lg.Constraint("q1 - 1")},
    )
    equations = lg.derive(cart)
    lines = equations.text().splitlines()
    assert lines[:2] == [
        "cart: 2 coordinates (1 prescribed), 1 constraint equation of rank 1",
        "DOF = 3*0 + 2*1 - 2 = 0",
    ]
    assert lines[3] == "x:  m*x'' - l*m*q1''*sin(q1) - l*m*q1'**2*cos(q1) = F"
    assert lines[4] == "q1:  -l*m*x''*sin(q1) + l**2*m*q1'' + g*l*m*cos(q1) = -F*l*sin(q1) + lambda_hold"
    assert lines[5] == "constraint hold:  q1 - 1 = 0"
    assert lines[6] == "prescribed:  x = a*sin(t); its equation gives the force that drives it"
    latex = equations.latex()
    assert latex.startswith("\\begin{align*}\n")
    assert r"l^{2} m \ddot{q_{1}}" in latex
    assert r"\dot{q_{1}}^{2}" in latex
    assert r"\lambda_{hold}" in latex


def test_sympy_expressions_are_taken_as_they_are() -> None:
    sympy = pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    l, q = sympy.symbols("l shoulder")
    third = sympy.Rational(1, 3)
    described = arm(points={**dict(arm().points), "upper_centre": lg.Point("upper", (third * l, sympy.sqrt(2) * l))})
    expected = (
        l * sympy.cos(q) / 3 - sympy.sqrt(2) * l * sympy.sin(q),
        l * sympy.sin(q) / 3 + sympy.sqrt(2) * l * sympy.cos(q),
    )
    found = lg.derive(described).displacement("upper_centre")
    assert [sympy.simplify(a - b) for a, b in zip(found, expected, strict=True)] == [0, 0]


def test_unknown_names_are_answered_with_suggestions() -> None:
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    equations = lg.derive(arm())
    for ask, message in (
        (lambda: equations.displacement("elbo"), "unknown point 'elbo': did you mean 'elbow'"),
        (lambda: equations.rotation("uper"), "unknown frame 'uper': did you mean 'upper'"),
        (lambda: equations.angular_velocity("uper"), "unknown frame 'uper'"),
        (lambda: equations.left_side("elbw"), "unknown coordinate 'elbw': did you mean 'elbow'"),
    ):
        with pytest.raises(ModelError, match=message):
            ask()


def test_work_is_refused_where_it_depends_on_the_way() -> None:
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    description = arm(forces={"own": lg.Force("elbow", (1, 0), axes="upper")})
    with pytest.raises(ModelError, match="force 'own' rotates with frame 'upper': its work depends on the path"):
        _ = lg.derive(description).work


def test_a_torsional_spring_needs_a_common_axis() -> None:
    description = lg.Description(
        name="ball",
        dimension=3,
        coordinates=["a", "b", "c"],
        points={"o": lg.Point("ground", (0, 0, 0)), "p": lg.Point("f", (1, 0, 0))},
        frames={"f": lg.Frame("o", ["a", "b", "c"], "zxz")},
        segments={"p": lg.Segment("p", 1)},
        springs={"s": lg.TorsionalSpring("ground", "f", 1)},
    )
    with pytest.raises(
        ModelError,
        match="spring 's': the frames 'ground' and 'f' rotate relative to each other about more than one axis",
    ):
        lg.numbers_of(description).terms([0.1, 0.2, 0.3])


WITHOUT_SYMPY = """
import sys
sys.modules["sympy"] = None
from myodyne.errors import MyodyneError
from myodyne.formulations import lagrange as lg
pendulum = lg.Description(
    name="pendulum", coordinates=["q"], points={"o": lg.Point("ground", (0, 0)), "p": lg.Point("f", (1, 0))},
    frames={"f": lg.Frame("o", ["q"])}, segments={"p": lg.Segment("p", 1)},
)
assert lg.numbers_of(pendulum).mass_matrix([0.2]).shape == (1, 1)
try:
    lg.derive(pendulum)
except MyodyneError as error:
    print(error)
"""


def test_without_sympy_numbers_work_and_formulas_say_what_is_missing() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_SYMPY], capture_output=True, text=True, timeout=60, check=True)
    assert "install it with pip install 'myodyne[lagrange]'" in run.stdout


def test_the_code_of_the_theory_page_runs() -> None:
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    page = Path(__file__).parents[2] / "docs" / "theory" / "lagrange.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert names["motion"].multipliers["thigh_y"] > 0
    assert float(names["run"]["trunk"].values[0]) == 1.5
    assert names["again"].coordinates == ("x", "leg", "thigh", "trunk")
    # The line that the page shows.
    assert "trunk''*(I3 + m3*r3**2)" in names["equations"].text()
