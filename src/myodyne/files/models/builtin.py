"""The models that come with the package."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from myodyne.errors import FileError, unknown_name

_SUFFIX = ".yaml"


def builtin_models() -> tuple[str, ...]:
    """Return the names of the built-in models, for `load_model`.

    Examples
    --------
    >>> isinstance(builtin_models(), tuple)
    True
    """
    return tuple(_found())


def builtin_file(name: str) -> Traversable:
    """Return the file of a built-in model."""
    found = _found()
    if name not in found:
        raise FileError(
            f"{unknown_name('built-in model', name, found)}. "
            "A model of your own is given by its path, which ends in .yaml"
        )
    return found[name]


def _found() -> dict[str, Traversable]:
    folder = _folder()
    if folder is None:
        return {}
    found = {entry.name.removesuffix(_SUFFIX): entry for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)}
    return dict(sorted(found.items()))


def _folder() -> Traversable | None:
    # In an installed package the models travel inside it; in a work tree they stand at its top.
    packaged = files("myodyne") / "models"
    if packaged.is_dir():
        return packaged
    repository = Path(__file__).resolve().parents[4]
    beside = repository / "models"
    return beside if beside.is_dir() and (repository / "pyproject.toml").is_file() else None
