"""Problems as YAML: a model by name or file, goals and conditions as tables."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISREG

from pydantic import ValidationError

from myodyne.errors import FileError, ModelError
from myodyne.files import load, load_external_forces, load_model
from myodyne.files.models.faults import described, model_error
from myodyne.files.models.yaml_reader import LARGEST_FILE, Row, Table, read_tree
from myodyne.optimise.problem import Problem

SUFFIXES = (".yaml", ".yml")


def problem_from_file(path: Path) -> Problem:
    """Return the problem that a YAML file describes.

    ``model`` is the name of a built-in model, or a file beside the problem's; ``data``, ``deviations``, ``guess`` and
    ``motion`` may be files of time series, ``external_forces`` OpenSim's file of external loads.
    """
    try:
        # A pipe or a device could keep the reader waiting for ever.
        if not S_ISREG(path.stat().st_mode):
            raise FileError(f"{path}: cannot be read: it is no regular file; give the path of a problem in YAML")
        if path.stat().st_size > LARGEST_FILE:
            raise FileError(f"{path}: is larger than {LARGEST_FILE / 1e6:.0f} MB, too large for a problem")
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None
    tree = read_tree(content, str(path))
    fields = _plain(tree)
    model = fields.get("model")
    if not isinstance(model, str):
        raise FileError(f"{path}: 'model' is missing: the name of a built-in model, or a .yaml or .osim file")
    beside = path.parent / model
    fields["model"] = load_model(beside if beside.suffix and beside.exists() else model)
    _load_files(fields, "guess", path)
    _load_files(fields, "motion", path)
    forces = fields.get("external_forces")
    if isinstance(forces, str):
        fields["external_forces"] = load_external_forces(path.parent / forces)
    goals = fields.get("goals")
    for goal in goals if isinstance(goals, list) else []:
        if isinstance(goal, dict):
            _load_files(goal, "data", path)
            _load_files(goal, "deviations", path)
    try:
        return Problem.model_validate(fields)
    except ValidationError as error:
        raise model_error(str(path), tree, *described(error, tree, Problem)) from None
    except ModelError as error:
        raise ModelError(f"{path}: {error}", error.problems) from None


def _load_files(fields: dict[str, object], name: str, path: Path) -> None:
    """Replace the name of a file of time series by its content."""
    file = fields.get(name)
    if isinstance(file, str):
        fields[name] = load(path.parent / file)


def _plain(table: Table) -> dict[str, object]:
    return {key: _plain_value(item) for key, item in table.items()}


def _plain_value(value: object) -> object:
    if isinstance(value, Table):
        return _plain(value)
    if isinstance(value, Row | list):
        return [_plain_value(item) for item in value]
    return value
