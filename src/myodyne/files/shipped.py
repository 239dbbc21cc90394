"""Folders that travel with the package."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def shipped_files(folder: str, suffix: str) -> dict[str, Traversable]:
    """Return the files of a folder by their names without the ending, in alphabetical order.

    Examples
    --------
    >>> "pendulum" in shipped_files("models", ".yaml")
    True
    """
    home = _home(folder)
    if home is None:
        return {}
    found = {entry.name.removesuffix(suffix): entry for entry in home.iterdir() if entry.name.endswith(suffix)}
    return dict(sorted(found.items()))


def _home(folder: str) -> Traversable | None:
    # In an installed package the folders travel inside it; in a work tree they stand at its top.
    packaged = files("myodyne") / folder
    if packaged.is_dir():
        return packaged
    repository = Path(__file__).resolve().parents[3]
    beside = repository / folder
    return beside if beside.is_dir() and (repository / "pyproject.toml").is_file() else None
