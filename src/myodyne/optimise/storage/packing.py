"""What a solution has besides its movement, as plain data: the problem, the mesh and the iterate."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

import numpy as np

from myodyne.data import DataError
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.schemes import plain_scheme
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.types import Floats

ARRAYS = ("unknowns", "lower", "upper", "rows")


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
        "meshes": [packed(mesh) for mesh in meshes],
        **{name: packed(getattr(iterate, name)) for name in ARRAYS},
    }


def packed(numbers: Floats) -> str:
    """Return numbers as text that JSON can hold."""
    # Half as long as decimal digits, and exact.
    return base64.b64encode(np.asarray(numbers, dtype="<f8").tobytes()).decode("ascii")


def unpacked(name: str, text: object) -> Floats:
    """Return the numbers that `packed` wrote as a field of a solution."""
    try:
        numbers = np.frombuffer(base64.b64decode(str(text), validate=True), dtype="<f8").astype(float)
    except (ValueError, binascii.Error):
        raise DataError(f"solution.{name}: is not a list of packed numbers; is the file damaged?") from None
    if not isinstance(text, str) or not np.isfinite(numbers).all():
        raise DataError(f"solution.{name}: finite numbers are expected")
    return numbers
