"""What a page can open: movements, models and problems that come with myodyne, and sessions that were saved."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from myodyne.data import DataError
from myodyne.errors import FileError, unknown_name
from myodyne.files import builtin_models, load_model
from myodyne.native.cache import cache_folder
from myodyne.optimise import Solution, builtin_problems
from myodyne.optimise.builtin import summary_of
from myodyne.simulate.movements import builtin_movements, load_movement
from myodyne.studio.desk import recovered
from myodyne.studio.session import Session, opened, opened_model
from myodyne.studio.tasks.task import Task, opened_task

Opened = Session | tuple[Task, Solution | None]
# Saved sessions that are listed, the newest.
_LISTED = 40


class Library:
    """Lists what can be opened and opens it, by names alone: no path comes from a page.

    Examples
    --------
    >>> library = Library(None)
    >>> groups = {group["name"]: group for group in library.groups()}
    >>> [item["name"] for item in groups["Movements"]["items"]][:2]
    ['cycle', 'hop']
    >>> session, _ = library.open("Movements", "jump")
    >>> session.origin
    ('movement', 'jump')
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def groups(self) -> list[dict[str, Any]]:
        """Return what can be opened, as plain data: groups of items with a name and a line about each."""
        return [
            {"name": "Saved sessions", "items": [_saved(file) for file in self._files()]},
            *({"name": group, "items": [dict(item) for item in items]} for group, items in _builtin().items()),
        ]

    def open(self, group: object, name: object) -> tuple[Opened, Path | None]:
        """Return what a page asked for, and the file that keeps its changes; built-in ones begin anew."""
        if group == "Saved sessions":
            files = {file.stem: file for file in self._files()}
            return _from_file(files[str(_known("saved session", name, files))])
        builtin = _builtin()
        items = builtin[str(_known("group", group, builtin))]
        chosen = str(_known("name", name, [item["name"] for item in items]))
        file = _unused(self.file_of(chosen))
        if group == "Problems":
            return opened_task(chosen), file
        return (opened_model(chosen) if group == "Models" else opened(chosen)), file

    def file_of(self, what: str) -> Path | None:
        """Return the file that keeps the changes of a movement, model, result or problem."""
        if self._folder is None:
            return None
        place = str(Path(what).resolve()) if Path(what).suffix else what
        return self._folder / f"{Path(what).stem}-{hashlib.sha256(place.encode()).hexdigest()[:12]}.json"

    def _files(self) -> list[Path]:
        if self._folder is None or not self._folder.is_dir():
            return []
        files = [file for file in self._folder.glob("*.json") if file.is_file()]
        return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)[:_LISTED]


def sessions_folder() -> Path:
    """Return the folder of saved sessions: ``MYODYNE_SESSIONS``, else one in the user's cache folder."""
    named = os.environ.get("MYODYNE_SESSIONS")
    return Path(named) if named else cache_folder() / "studio"


def _unused(file: Path | None) -> Path | None:
    """Return a file of a like name that does not exist: beginning anew leaves what was saved alone."""
    if file is None:
        return None
    names = (file.with_stem(f"{file.stem}-{number}") if number > 1 else file for number in count(1))
    return next(name for name in names if not name.exists())


def forget(file: Path) -> None:
    """Remove a saved session and its optimum."""
    for old in (file, file.with_suffix(".nc")):
        old.unlink(missing_ok=True)


@lru_cache(maxsize=1)
def _builtin() -> Mapping[str, tuple[Mapping[str, str], ...]]:
    return {
        "Movements": tuple({"name": name, "about": load_movement(name).summary} for name in builtin_movements()),
        "Models": tuple({"name": name, "about": _about(name)} for name in builtin_models()),
        "Problems": tuple({"name": name, "about": summary_of(name)} for name in builtin_problems()),
    }


def _about(name: str) -> str:
    model = load_model(name)
    parts = ((len(model.bodies), "bodies"), (len(model.moving), "coordinates"), (len(model.controls), "controls"))
    return ", ".join(f"{number} {what}" for number, what in parts)


def _saved(file: Path) -> dict[str, Any]:
    """Return the line of a saved session; one that cannot be read says so and stays."""
    about = {"name": file.stem, "saved": file.stat().st_mtime}
    try:
        kind, name = json.loads(file.read_text(encoding="utf-8"))["origin"]
    except (OSError, ValueError, KeyError, TypeError):
        return {**about, "label": file.stem, "about": "cannot be read"}
    return {**about, "label": Path(str(name)).stem, "about": f"{kind} {name}"}


def _from_file(file: Path) -> tuple[Opened, Path]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        data = None
    if isinstance(data, Mapping) and data.get("origin", [""])[0] in ("problem", "solution"):
        # A task finds its changes and its optimum in the file.
        return opened_task(str(data["origin"][1])), file
    found = recovered(file)
    if found is None:
        raise FileError(f"{file}: the saved session is gone")
    return found, file


def _known(what: str, name: object, known: Any) -> object:  # noqa: ANN401 - names in a table or a list
    if name not in list(known):
        raise DataError(unknown_name(what, str(name)[:60], list(known)))
    return name
