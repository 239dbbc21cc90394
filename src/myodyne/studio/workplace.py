"""What all desks have in common: a history with its file, what stands beside the movement, and the messages."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from myodyne.data import DataError, Result, Trajectory
from myodyne.errors import FileError, MyodyneError
from myodyne.files.atomic import atomically
from myodyne.model import Model
from myodyne.studio.changes.history import History
from myodyne.studio.exports import exported
from myodyne.studio.reference import Reference
from myodyne.studio.session import Session
from myodyne.studio.showing import Beside, Message, pinned, scene_message
from myodyne.studio.summary import Fact
from myodyne.studio.tasks.task import Task

T = TypeVar("T", bound=Session | Task)
Send = Callable[[Message], None]


class Workplace(ABC, Generic[T]):
    """One user's work: what was changed, what is pinned or recorded beside it, and the file that keeps it."""

    def __init__(self, present: T, model: Model, send: Send, file: Path | None, reference: Reference | None) -> None:
        self.history = History(present)
        self.pinned: tuple[Beside, ...] = ()
        self._reference = reference
        self._ghost = () if reference is None else (reference.ghost(model),)
        self._file, self._send = file, send
        self._lock = threading.Lock()

    @abstractmethod
    def close(self) -> None:
        """End what is being computed."""

    @abstractmethod
    def begin(self) -> None:
        """Send everything, to a page that has just been opened."""

    def receive(self, data: Mapping[str, Any]) -> None:
        """Do what a page asks for; what cannot be done is answered with the reason."""
        try:
            self._do(data)
        except MyodyneError as error:
            self._refuse(str(error))

    def _do(self, data: Mapping[str, Any]) -> None:
        match data.get("kind"):
            case "undo":
                self._change(self.history.undone())
            case "redo":
                self._change(self.history.redone())
            case "pin":
                self._pin()
            case "export":
                run, name = self._movement("export"), self.history.present.name
                self._send(Message(exported(run, name, data.get("ending"), data.get("request"))))
            case other:
                raise DataError(f"the studio does not understand the message {other!r:.40} here")

    @abstractmethod
    def _change(self, history: History[T]) -> None:
        """Go on from another state: save it, and compute its movement."""

    @abstractmethod
    def _pin(self) -> None:
        """Keep the present movement beside the next ones."""

    @abstractmethod
    def _movement(self, purpose: str) -> Result:
        """Return the present movement; where there is none yet, say so, and that `purpose` needs one."""

    def _keep_beside(self, run: Result, model: Model, facts: Sequence[Fact]) -> None:
        self.pinned = (pinned(run, model, facts),)

    def _refuse(self, reason: str) -> None:
        self._send(Message({"kind": "refused", "reason": reason}))

    def _say(self, status: str) -> None:
        self._send(Message({"kind": "status", "status": status}))

    def _scene(
        self, movement: Trajectory, model: Model, facts: Sequence[Fact], status: str, notes: Sequence[str]
    ) -> None:
        """Send a movement, its summary and how far it is from the recording."""
        said = list(notes)
        if self._reference is not None:
            distances, missing = self._reference.facts_or_note(movement, model)
            facts, said = (*facts, *distances), [*said, *missing]
        beside = (*self.pinned, *self._ghost)
        data = scene_message(model, movement, self.history.present.name, facts=facts, others=beside)
        block = data.pop("block")
        self._send(Message({"kind": "scene", "status": status, "notes": said, **data}, block))

    def _steps(self) -> dict[str, int]:
        """Return how many steps can be undone and done again."""
        return {"undo": len(self.history.past), "redo": len(self.history.future)}

    def _write(self) -> None:
        """Write the present state to its file, so that a crash loses nothing."""
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with atomically(self._file) as unfinished:
            unfinished.write_text(self.history.present.to_text(), encoding="utf-8")


def saved_data(file: Path) -> dict[str, Any] | None:
    """Return what a desk left in its file as plain data, None if there is no file."""
    if not file.is_file():
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError("a table of fields is expected")
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None
    return data


def unreadable(file: Path, error: Exception) -> FileError:
    """Return the error for a saved session that cannot be read, with its remedy."""
    return FileError(f"{file}: the saved session cannot be read ({error!s:.200}); start with --new")
