"""Models from files, and into files."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from myodyne.errors import FileError, ModelError
from myodyne.files.atomic import atomically
from myodyne.files.models.builtin import builtin_file, builtin_models
from myodyne.files.models.das3 import das3_model
from myodyne.files.models.faults import described, located_in, model_error
from myodyne.files.models.grammar import ModelEntry
from myodyne.files.models.write import model_text
from myodyne.files.models.yaml_reader import LARGEST_FILE, Table, located, read_tree
from myodyne.model import Model
from myodyne.model.surfaces import Wrapping

_SUFFIXES = (".yaml", ".yml")
_OSIM = ".osim"
# Ten times a skeleton of all bones; keeps the checks between all parts short.
_MOST_PARTS = 2000


def load_model(source: str | os.PathLike[str], *, wrapping: Wrapping | None = None) -> Model:
    """Return a model by the name of a built-in, or from a file.

    Parameters
    ----------
    source
        The name of a built-in model (see `builtin_models`), or the path of a ``.yaml`` file. An ``.osim`` file is
        an OpenSim model, whose ``audit`` reports what became of its elements; a ``.json`` file is taken as an
        export of the Dynamic Arm Simulator (DAS3).
    wrapping
        How paths run over surfaces, if not as the file says: "opensim" (what OpenSim's own files mean) or "shortest".

    Raises
    ------
    FileError
        If there is no such model or file, or it is not YAML (JSON) as a model file holds it.
    ModelError
        If the content is not a possible model; the message names line and field of each fault.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rod.yaml")
    ...     _ = path.write_text('''
    ... name: rod
    ... bodies:
    ...   rod: {mass: 1.0, centre_of_mass: [0, -0.5, 0], inertia: 0.083}
    ... joints:
    ...   pivot: {parent: ground, child: rod, pin: {coordinate: angle}}
    ... ''')
    ...     list(load_model(path).coordinates)
    ['angle']
    """
    model = _loaded(source)
    return model if wrapping is None else model.with_values({"wrapping": wrapping})


def _loaded(source: str | os.PathLike[str]) -> Model:
    if not isinstance(source, str | os.PathLike):
        raise FileError(f"load_model takes the name of a built-in model or the path of a file, not {source!r:.60}")
    if isinstance(source, str) and source in builtin_models():
        file = builtin_file(source)
        return model_from(file.read_bytes(), file.name)
    path = Path(source)
    suffix = path.suffix.lower()
    if suffix == _OSIM:
        # Only those who own such models wait for the reader to be imported.
        from myodyne.files.osim import read_osim
        from myodyne.files.osim.document import LARGEST_FILE as LARGEST_OSIM

        return read_osim(_content(path, LARGEST_OSIM), str(path))
    if suffix in _SUFFIXES:
        return model_from(_content(path), str(path))
    if suffix == ".json":
        return das3_model(_content(path), str(path))
    if isinstance(source, str) and not suffix and path.name == source and not (source and _exists(path)):
        builtin_file(source)  # raises, with the nearest names
    if _exists(path) and path.is_dir():
        raise FileError(f"{path}: is a folder; give the path of a .yaml file in it")
    raise FileError(f"{path}: a model file ends in .yaml, .yml or .osim, not in '{path.suffix}'")


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model as YAML that reads back to an equal model, or as an OpenSim file.

    The file appears whole or not at all.

    Parameters
    ----------
    model
        The model.
    path
        Where to write: to ``.yaml`` or ``.yml``, or to ``.osim`` in the format of OpenSim 4, which holds neither
        ``stabilisation`` nor ``free_values``. A file that is there is replaced.

    Raises
    ------
    FileError
        If the file cannot be written, or parts of the model have no counterpart in OpenSim; the message names them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Model(name="nothing"), pathlib.Path(folder, "nothing.yaml"))
    ...     load_model(pathlib.Path(folder, "nothing.yaml")).name
    'nothing'
    """
    if not isinstance(model, Model):
        raise FileError(f"save_model takes a model and then a path, not {model!r:.60}")
    if not isinstance(path, str | os.PathLike):
        raise FileError(f"save_model takes a model and then a path, not {path!r:.60}")
    path = Path(path)
    if path.suffix.lower() == _OSIM:
        content = _readable_osim(model, path)
    elif path.suffix.lower() in _SUFFIXES:
        content = _readable(model, path)
    else:
        raise FileError(
            f"{path}: a model is written to a file that ends in .yaml, .yml or .osim, not in '{path.suffix}'"
        )
    with atomically(path) as unfinished:
        unfinished.write_bytes(content)


def _readable(model: Model, path: Path) -> bytes:
    """Return the text of a model, read once more: a file that does not read back would be a loss found too late."""
    try:
        content = model_text(model).encode()
        again = model_from(content, "its text")
    except (FileError, ModelError) as error:
        raise FileError(f"{path}: the model cannot be written so that it reads back: {error}") from None
    if again != model or again.hash != model.hash:
        raise FileError(f"{path}: the model reads back changed and was not written; please report this")
    return content


def _readable_osim(model: Model, path: Path) -> bytes:
    """Return the content of an OpenSim file, read once more."""
    from myodyne.files.osim import read_osim
    from myodyne.files.osim_writer import osim_text, what_is_lost

    try:
        content = osim_text(model)
    except FileError as error:
        raise FileError(f"{path}: {error}") from None
    try:
        lost = what_is_lost(model, read_osim(content, "its text"))
    except (FileError, ModelError) as error:
        raise FileError(f"{path}: the model cannot be written so that it reads back: {error}") from None
    if lost:
        raise FileError(
            f"{path}: the model would lose parts and was not written; please report this:\n  " + "\n  ".join(lost[:10])
        )
    return content


def model_from(content: bytes, file: str) -> Model:
    """Return the model that the bytes of a YAML file describe; ``file`` names it in messages."""
    tree = read_tree(content, file)
    for field, table in tree.items():
        if isinstance(table, Table) and len(table) > _MOST_PARTS:
            message = f"holds {len(table)} parts, and at most {_MOST_PARTS} are read"
            raise FileError(located(file, tree.lines[field], (field,), message))
    try:
        entry: Any = ModelEntry.model_validate(tree)
    except ValidationError as error:
        raise model_error(file, tree, *described(error, tree)) from None
    fields = {name: getattr(entry, name) for name in type(entry).model_fields}
    fields["joints"] = {name: joint.joint() for name, joint in entry.joints.items()}
    try:
        return Model(**fields)
    except ModelError as error:
        problems, more = located_in(tree, "\n".join(message for _, message in error.problems))
        raise model_error(file, tree, problems, more) from None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _content(path: Path, largest: int = LARGEST_FILE) -> bytes:
    try:
        mode = path.stat().st_mode
        # A pipe or a device could keep the reader waiting for ever.
        if stat.S_ISREG(mode):
            with path.open("rb") as stream:
                return stream.read(largest + 1)
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise FileError(f"{str(path)!r}: is not a possible path: {error}") from None
    if stat.S_ISDIR(mode):
        raise FileError(f"{path}: is a folder; give the path of a .yaml file in it")
    raise FileError(f"{path}: is not a regular file")
