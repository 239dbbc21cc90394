"""Solutions from files: with problem, mesh and iterate a saved one is as good as a fresh one."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from myodyne.data import DataError, Result
from myodyne.data.plain import Fields
from myodyne.errors import MyodyneError
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.schemes import scheme_from_plain
from myodyne.optimise.solution import Solution
from myodyne.optimise.storage.packing import ARRAYS, unpacked
from myodyne.optimise.transcription.iterate import Iterate

_KINDS: dict[str, type[Problem] | type[Phases]] = {"Problem": Problem, "Phases": Phases}


def restored(result: Result, data: object) -> Solution:
    """Return the solution that a file held as a result and the data of `packing.solution_data`."""
    known = ("kind", "problem", "scheme", "meshes", *ARRAYS)
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
    meshes = tuple(unpacked("meshes", mesh) for mesh in read.sequence("meshes"))
    iterate = Iterate(*(unpacked(name, data.get(name)) for name in ARRAYS))
    count = len(problem.phases) if isinstance(problem, Phases) else 1
    if len(meshes) != count or any(len(mesh) < 2 or not (np.diff(mesh) > 0).all() for mesh in meshes):
        raise DataError(f"solution.meshes: {count} lists of increasing numbers are expected, one for each phase")
    if not len(iterate.unknowns) == len(iterate.lower) == len(iterate.upper):
        raise DataError("solution: unknowns and the multipliers of their bounds differ in number")
    return Solution(result, problem, scheme, meshes, iterate)
