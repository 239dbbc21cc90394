"""What makes a study the one it is: fingerprints of its parts, by which a table on disk is recognised."""

from __future__ import annotations

import hashlib
import inspect
import json
import textwrap
from collections.abc import Callable, Mapping
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from myodyne.data import Trajectory
from myodyne.simulate.signals import Signal
from myodyne.study.controls import ControlFamily
from myodyne.study.ranges import description
from myodyne.study.sampling import Rows

if TYPE_CHECKING:
    from myodyne.optimise import Problem
    from myodyne.study.study import Study


def parts_of(study: Study) -> dict[str, str]:
    """Return a fingerprint of each part of a study; those of two studies with equal rows are equal."""
    problem = {} if study.problem is None else {"problem": _digest(_problem(study.problem))}
    return {
        "model": study.subject_hash,
        "vary": _digest(_vary(study)),
        "measure": _digest({name: _measure(one) for name, one in study.measures.items()}),
        "simulation": _digest(_simulation(study)),
        **problem,
    }


def fingerprint(study: Study) -> str:
    """Return the fingerprint of a study."""
    return _digest(parts_of(study))


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _vary(study: Study) -> object:
    vary = study.vary
    if isinstance(vary, Rows):
        table = np.ascontiguousarray(vary.values, dtype="<f8")
        return [*vary.names, hashlib.sha256(table.tobytes()).hexdigest(), list(table.shape)]
    return {name: description(one) for name, one in vary.items()}


def _simulation(study: Study) -> dict[str, object]:
    start = study.start
    if isinstance(start, Trajectory):
        start = start.final
    return {
        "duration": study.duration,
        "start": None if start is None else {name: float(value) for name, value in start.items()},
        "controls": _controls(study.controls),
        "scheme": repr(study.scheme),
        "until": repr(study.until),
        "every": study.every,
    }


def _problem(problem: Problem) -> object:
    """Return a problem as plain data, functions among its terms as text."""
    functions = [
        _measure(one)
        for part in (*problem.goals, *problem.conditions)
        for name in type(part).model_fields
        if callable(one := getattr(part, name))
    ]
    return [problem.model_dump(mode="json", exclude={"model"}), functions]


def _controls(controls: object) -> object:
    if isinstance(controls, ControlFamily):
        return controls.to_dict()
    if not isinstance(controls, Mapping):
        return None
    return {name: one.to_dict() if isinstance(one, Signal) else float(one) for name, one in controls.items()}


def _measure(measure: str | Callable[..., Any]) -> object:
    """Return a measure as text: the source of a function, and the values that it takes from around it."""
    if isinstance(measure, str):
        return measure
    function = inspect.unwrap(measure)
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        text = _code(code) if code is not None else repr(type(function))
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    defaults = getattr(function, "__defaults__", None) or ()
    return [text, [_plain(value) for value in (*cells, *defaults)]]


def _code(code: CodeType) -> str:
    inner = [_code(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {inner}"


def _plain(value: object) -> str:
    # Addresses in the memory change from run to run.
    text = repr(value)
    return type(value).__qualname__ if " at 0x" in text else text
