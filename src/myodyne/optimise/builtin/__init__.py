"""Problems that come with myodyne, by name."""

from __future__ import annotations

import importlib
from pathlib import Path

from myodyne.errors import FileError, ModelError, unknown_name
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.storage.problem_files import SUFFIXES, problem_from_file

# Which module makes each problem, in a function of the problem's name; those marked need a folder of data.
_HOMES = {
    "sliding_mass": "closed_form",
    "gait2d_tracking": "gait2d",
    "gait2d_predictive": "predicted",
    "gait2d_running": "predicted",
    "gait3d_predictive": "gait3d",
    "gait2d_imu_estimation": "estimation",
    "gait2d_standing": "standing",
    "jump_height": "jump",
    "sprint_cycling": "cycling",
    "ski_landing_estimation": "ski_landing",
    "gait2d_prosthesis": "prosthesis",
    "gait2d_prosthesis_design": "prosthesis",
    "moco_walk2d_tracking": "moco_walk2d",
    "moco_inverse3d": "moco_inverse3d",
    "moco_tracking3d": "moco_tracking3d",
}
_FROM_DATA = frozenset({"moco_walk2d_tracking", "moco_inverse3d", "moco_tracking3d"})


def builtin_problems() -> tuple[str, ...]:
    """Return the names of the problems that come with myodyne.

    Examples
    --------
    >>> import myodyne as my
    >>> "sliding_mass" in my.builtin_problems()
    True
    """
    return tuple(sorted(_HOMES))


def load_problem(name: str | Path, data: str | Path | None = None) -> Problem | Phases:
    """Return a problem that comes with myodyne, by its name, or from a YAML file.

    Parameters
    ----------
    name
        The name of a built-in problem, or the path of a ``.yaml`` file.
    data
        The folder of the data that some of them need and myodyne does not carry.

    Examples
    --------
    >>> import myodyne as my
    >>> my.load_problem("sliding_mass").goals[0].name
    'final_time'
    """
    if not isinstance(name, str | Path):
        raise ModelError(f"a problem is given by its name or file, not by {name!r:.60}")
    if Path(name).suffix.lower() in SUFFIXES:
        return problem_from_file(Path(name))
    name = str(name)
    if name not in _HOMES:
        raise ModelError(unknown_name("problem", name, builtin_problems()))
    module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    make = getattr(module, name)
    if name not in _FROM_DATA:
        made: Problem | Phases = make()
        return made
    if data is None:
        raise ModelError(
            f"'{name}' needs data that myodyne does not include: give their folder, my.load_problem('{name}', "
            f"data='...')"
        )
    folder = Path(data)
    if not folder.is_dir():
        raise FileError(f"{folder}: there is no such folder of data for '{name}'")
    found: Problem | Phases = make(folder)
    return found


def summary_of(name: str) -> str:
    """Return in a sentence what a built-in problem seeks.

    Examples
    --------
    >>> summary_of("sliding_mass")
    'A mass of 2 kg goes 1 m from rest to rest in the shortest time under at most 50 N: in 0.4 s.'
    """
    module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    return (getattr(module, name).__doc__ or "").strip().splitlines()[0]
