"""Solutions as plain data: the problem, the mesh and the iterate, so that a saved one is as good as a fresh one."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from myodyne.data import DataError, Result
from myodyne.data.plain import Fields
from myodyne.errors import MyodyneError
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.problem import Phases, Problem, plain_scheme, scheme_from_plain
from myodyne.optimise.solution import Solution
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.types import Floats

_KINDS: dict[str, type[Problem] | type[Phases]] = {"Problem": Problem, "Phases": Phases}
_ARRAYS = ("unknowns", "lower", "upper", "rows")


def holds_functions(problem: Problem | Phases) -> bool:
    """Return whether goals or conditions are functions in Python, which no file can hold.

    Examples
    --------
    >>> import myodyne as my
    >>> holds_functions(my.load_problem("sliding_mass"))
    False
    """
    parts = problem.phases if isinstance(problem, Phases) else (problem,)
    return any(part.kind == "custom" for phase in parts for part in (*phase.goals, *phase.conditions))


def solution_data(
    problem: Problem | Phases, scheme: Transcription, meshes: tuple[Floats, ...], iterate: Iterate
) -> dict[str, Any]:
    """Return what a solution has besides its movement, as plain data that JSON can hold."""
    return {
        "kind": type(problem).__name__,
        "problem": json.loads(problem.model_dump_json()),
        "scheme": plain_scheme(scheme),
        "meshes": [_packed(mesh) for mesh in meshes],
        **{name: _packed(getattr(iterate, name)) for name in _ARRAYS},
    }


def restored(result: Result, data: object) -> Solution:
    """Return the solution that a file held as a result and the data of `solution_data`."""
    known = ("kind", "problem", "scheme", "meshes", *_ARRAYS)
    read = Fields("solution", data, known)
    assert isinstance(data, Mapping)
    kind = read.text("kind")
    if kind not in _KINDS:
        raise DataError(f"solution.kind: Problem or Phases is expected, not {kind!r:.60}")
    try:
        problem = _KINDS[kind].model_validate_json(json.dumps(data.get("problem")))
        scheme = scheme_from_plain(data.get("scheme"))
    except (MyodyneError, ValueError) as error:
        raise DataError(f"solution: its problem cannot be read: {error!s:.300}") from None
    meshes = tuple(_unpacked("meshes", mesh) for mesh in read.sequence("meshes"))
    iterate = Iterate(*(_unpacked(name, data.get(name)) for name in _ARRAYS))
    count = len(problem.phases) if isinstance(problem, Phases) else 1
    if len(meshes) != count or any(len(mesh) < 2 or not (np.diff(mesh) > 0).all() for mesh in meshes):
        raise DataError(f"solution.meshes: {count} lists of increasing numbers are expected, one for each phase")
    if not len(iterate.unknowns) == len(iterate.lower) == len(iterate.upper):
        raise DataError("solution: unknowns and the multipliers of their bounds differ in number")
    return Solution(result, problem, scheme, meshes, iterate)


def _packed(numbers: Floats) -> str:
    # Half as long as decimal digits, and exact.
    return base64.b64encode(np.asarray(numbers, dtype="<f8").tobytes()).decode("ascii")


def _unpacked(name: str, text: object) -> Floats:
    try:
        numbers = np.frombuffer(base64.b64decode(str(text), validate=True), dtype="<f8").astype(float)
    except (ValueError, binascii.Error):
        raise DataError(f"solution.{name}: is not a list of packed numbers; is the file damaged?") from None
    if not isinstance(text, str) or not np.isfinite(numbers).all():
        raise DataError(f"solution.{name}: finite numbers are expected")
    return numbers
