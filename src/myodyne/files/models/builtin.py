"""The models that come with the package."""

from __future__ import annotations

from importlib.resources.abc import Traversable

from myodyne.errors import FileError, unknown_name
from myodyne.files.shipped import shipped_files

_FOLDER, _SUFFIX = "models", ".yaml"


def builtin_models() -> tuple[str, ...]:
    """Return the names of the built-in models, for `load_model`.

    Examples
    --------
    >>> isinstance(builtin_models(), tuple)
    True
    """
    return tuple(shipped_files(_FOLDER, _SUFFIX))


def builtin_file(name: str) -> Traversable:
    """Return the file of a built-in model."""
    found = shipped_files(_FOLDER, _SUFFIX)
    if name not in found:
        advice = "A model of your own is given by its path, which ends in .yaml or .osim"
        raise FileError(unknown_name("built-in model", name, found, advice))
    return found[name]
