"""Checkpoints: the state of a solve in a file, from which it resumes."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any
from zipfile import BadZipFile, is_zipfile

import numpy as np

from myodyne.errors import FileError, ModelError
from myodyne.files.atomic import atomically
from myodyne.native.cache import cache_folder
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.schemes import plain_scheme, scheme_from_plain
from myodyne.optimise.storage.packing import holds_functions
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats

_FORMAT = 1
# Settings that a resumed solve needs.
_SETTINGS = ("tolerance", "most_iterations", "approach", "options", "audit", "changed", "stages")
# A problem of a million unknowns takes a tenth of this.
_LARGEST = 2_000_000_000


@dataclass
class Checkpoint:
    """What a solve needs to resume: the problem (None where it holds functions), mesh, iterate and settings."""

    problem: Problem | Phases | None
    scheme: Transcription
    meshes: tuple[Floats, ...]
    iterate: Iterate
    settings: dict[str, Any]


def default_checkpoint(problem: Problem | Phases) -> Path:
    """Return a new file in the user's cache folder."""
    # A name with a dot: the search of the cache for unused code skips it.
    folder = cache_folder() / ".checkpoints"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{problem.name}-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000:06d}.checkpoint"


def write_checkpoint(path: Path, program: Program, iterate: Iterate, settings: dict[str, Any]) -> None:
    """Write the state of a solve; the previous file stays intact until the new one is complete."""
    problem = program.problem
    words = {
        "format": _FORMAT,
        "kind": type(problem).__name__,
        "problem": None if holds_functions(problem) else problem.model_dump_json(),
        "scheme": plain_scheme(program.scheme),
        "settings": settings,
        "phases": len(program.phases),
    }
    arrays: dict[str, Any] = {f"mesh_{number}": phase.grid.mesh for number, phase in enumerate(program.phases)}
    with atomically(path) as unfinished, unfinished.open("wb") as file:
        np.savez(
            file,
            words=np.array(json.dumps(words)),
            unknowns=iterate.unknowns,
            lower=iterate.lower,
            upper=iterate.upper,
            rows=iterate.rows,
            **arrays,
        )


def read_checkpoint(path: Path | str) -> Checkpoint:
    """Return what a checkpoint holds; another or a truncated file raises an error that names it."""
    path = Path(path)
    try:
        # A pipe or a device could keep the reader waiting for ever.
        if not S_ISREG(path.stat().st_mode):
            raise FileError(f"{path}: cannot be read: it is no regular file; give the checkpoint of a solve")
        if path.stat().st_size > _LARGEST:
            raise FileError(f"{path}: a checkpoint has at most {_LARGEST:.0e} bytes")
        if path.is_file() and not is_zipfile(path):
            raise FileError(f"{path}: this is not a checkpoint of a solve, or it is damaged")
        with np.load(path, allow_pickle=False) as found:
            words = json.loads(str(found["words"]))
            iterate = Iterate(*(np.array(found[name], dtype=float) for name in ("unknowns", "lower", "upper", "rows")))
            meshes = tuple(np.array(found[f"mesh_{number}"], dtype=float) for number in range(int(words["phases"])))
        kind: Any = {"Problem": Problem, "Phases": Phases}[words["kind"]]
        text = words["problem"]
        problem = None if text is None else kind.model_validate_json(text)
        settings = {name: words["settings"][name] for name in _SETTINGS}
        return Checkpoint(problem, scheme_from_plain(words["scheme"]), meshes, iterate, settings)
    except FileNotFoundError:
        raise FileError(f"{path}: no such checkpoint") from None
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile, ModelError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: this is not a checkpoint of a solve, or it is damaged ({error})") from None
