"""One user's work: the history of a session, its file, and the player; the server is a thin layer over it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from math import isfinite, pi
from pathlib import Path
from typing import Any

from myodyne.data import DataError
from myodyne.errors import FileError, MyodyneError
from myodyne.files.atomic import atomically
from myodyne.model.units import angles
from myodyne.model.values import numbers_of
from myodyne.studio.courses import fitted_courses, refusal
from myodyne.studio.drawing import Drawing, drawn_courses
from myodyne.studio.edits import SetCourses, edit_from
from myodyne.studio.exports import exported
from myodyne.studio.history import History
from myodyne.studio.player import Played, Player
from myodyne.studio.reference import Reference
from myodyne.studio.script import script_of
from myodyne.studio.session import Session
from myodyne.studio.showing import Beside, Message, pinned, scene_message
from myodyne.studio.stability import eigenvalues
from myodyne.studio.summary import summary_of
from myodyne.studio.ties import tie_rows

# Numbers of the model that are shown at once.
_FOUND = 20
# Handles of a course that is fitted to the present movement.
_COURSE_HANDLES = 6


class Desk:
    """The state of one studio. Every change is written to its file at once, so that a crash loses nothing.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> sent = []
    >>> desk = Desk(opened("jump"), sent.append)
    >>> desk.receive({"kind": "edit", "edit": {"kind": "SetDuration", "duration": 0.1}})
    >>> desk.player.wait()
    >>> desk.history.present.recipe.duration, sent[-1].data["kind"]
    (0.1, 'scene')
    >>> desk.close()
    """

    def __init__(
        self,
        session: Session,
        send: Callable[[Message], None],
        file: Path | None = None,
        reference: Reference | None = None,
    ) -> None:
        self.history = History(session)
        self.pinned: tuple[Beside, ...] = ()
        self._reference = reference
        self._ghost = () if reference is None else (reference.ghost(session.model),)
        self._file, self._send = file, send
        self._last: Played | None = None
        self._lock = threading.Lock()
        self._drawing = Drawing()
        self.player = Player(self._show)

    def close(self) -> None:
        """Stop the player."""
        self.player.close()

    def begin(self) -> None:
        """Send everything, to a page that has just been opened."""
        with self._lock:
            self._send(Message(self._session(whole=True)))
        self._simulate()

    def receive(self, data: Mapping[str, Any]) -> None:
        """Do what a page asks for; what cannot be done is answered with the reason."""
        try:
            self._do(data)
        except MyodyneError as error:
            self._send(Message({"kind": "refused", "reason": str(error)}))

    def _do(self, data: Mapping[str, Any]) -> None:
        match data.get("kind"):
            case "edit":
                dragging = data.get("dragging") is True
                self._change(self.history.after(edit_from(data.get("edit")), dragging=dragging))
            case "undo":
                self._change(self.history.undone())
            case "redo":
                self._change(self.history.redone())
            case "find":
                self._find(data.get("words"))
            case "follow":
                self._follow()
            case "eigenvalues":
                self._send(Message(eigenvalues(self._last, data.get("time"))))
            case "pin":
                self._pin()
            case "export":
                self._export(data)
            case other:
                raise DataError(f"the studio does not know the message {other!r:.40}")

    def _find(self, words: object) -> None:
        """Answer which numbers of the model have a name with these words."""
        if not isinstance(words, str):
            raise DataError("find: words are expected")
        wanted = words.lower().split()
        model = self.history.present.changed_model
        found = {
            name: value
            for name, value in numbers_of(model).items()
            if isfinite(value) and all(word in name.lower() for word in wanted)
        }
        shown = [{"name": name, "value": value, **_reach(value)} for name, value in list(found.items())[:_FOUND]]
        self._send(Message({"kind": "found", "words": words, "numbers": shown, "more": len(found) - len(shown)}))

    def _follow(self) -> None:
        """Give every coordinate a course near the present movement; from now on the forces follow."""
        session, last = self.history.present, self._last
        reason = refusal(session)
        if reason:
            raise DataError(f"the forces cannot follow the angles: {reason}")
        if last is None or last.run is None or len(last.run) < 2:
            raise DataError("there is no movement yet to begin from")
        courses = fitted_courses(session, last.run, _COURSE_HANDLES)
        edit = SetCourses({name: course.to_dict() for name, course in courses.items()})
        self._change(self.history.after(edit))

    def _change(self, history: History[Session]) -> None:
        self.history = history
        # The player works beside while the file is written, which takes as long as to simulate. The page hears of the
        # change when it is on the disk: what it has seen survives a crash.
        self._simulate()
        with self._lock:
            self._save()
            self._send(Message(self._session()))

    def _simulate(self) -> None:
        self._send(Message({"kind": "status", "status": "computing"}))
        self.player.play(self.history.present)

    def _show(self, played: Played) -> None:
        """Send a simulated movement: the scene, its summary, and why it failed if it did."""
        self._last = played
        status = f"failed: {played.failure}" if played.failure else "idle"
        if played.run is None or len(played.run) < 2:
            self._send(Message({"kind": "status", "status": status}))
            return
        model = played.session.changed_model
        facts, title = summary_of(played.run, model), self.history.present.name
        notes = list(played.run.report.notes)
        if self._reference is not None:
            distances, missing = self._reference.facts_or_note(played.run, model)
            facts, notes = (*facts, *distances), [*notes, *missing]
        data = scene_message(model, played.run, title, facts=facts, others=(*self.pinned, *self._ghost))
        block = data.pop("block")
        self._send(Message({"kind": "scene", "status": status, "notes": notes, **data}, block))

    def _pin(self) -> None:
        last = self._last
        if last is not None and last.run is not None and len(last.run) > 1:
            model = last.session.changed_model
            self.pinned = (pinned(last.run, model, summary_of(last.run, model)),)
        self._simulate()

    def _export(self, data: Mapping[str, Any]) -> None:
        last = self._last
        if last is None or last.run is None or len(last.run) < 2:
            raise DataError("there is no movement yet to export")
        self._send(Message(exported(last.run, self.history.present.name, data.get("ending"), data.get("request"))))

    def _session(self, *, whole: bool = False) -> dict[str, Any]:
        """Return what the page needs of the session: changed or all curves, start, numbers, the script."""
        session = self.history.present
        whole = whole or self._drawing.outdated(session)
        turning = angles(session.model)
        start = [_slider(session, name, name in turning) for name in session.model.moving]
        return {
            "kind": "session",
            "name": session.name,
            "from": session.recipe.from_time,
            "duration": session.recipe.duration,
            "whole": whole,
            "curves": self._drawing.curves(session, whole=whole),
            "courses": drawn_courses(session),
            "start": start,
            "ties": tie_rows(session),
            "gains": _gains(session),
            "numbers": dict(session.numbers),
            "muscles": {name: muscle.max_force for name, muscle in session.model.muscles.items()},
            "script": script_of(session, self._reference),
            "earlier": [part.from_time for part in session.earlier],
            "undo": len(self.history.past),
            "redo": len(self.history.future),
        }

    def _save(self) -> None:
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with atomically(self._file) as unfinished:
            unfinished.write_text(json.dumps(self.history.present.to_dict(), allow_nan=False), encoding="utf-8")


def _reach(value: float) -> dict[str, float]:
    """Return how far a number can be slid: half of it to twice; typed, it can be any."""
    if value == 0.0:
        return {"low": -1.0, "high": 1.0}
    low, high = sorted((0.5 * value, 2.0 * value))
    return {"low": low, "high": high}


def _gains(session: Session) -> list[dict[str, Any]]:
    """Return the gains of the control law with the reach of their sliders, half to twice."""
    if session.feedback is None:
        return []
    return [{"name": name, "value": value, **_reach(value)} for name, value in session.feedback.gains.items()]


def _slider(session: Session, name: str, turns: bool) -> dict[str, Any]:
    """Return a coordinate at the start and how far it can be slid: its own range, or half a turn, or a metre."""
    part = session.model.coordinates[name]
    value = session.start.get(name, part.default)
    low, high = part.range or ((-pi, pi) if turns else (-1.0, 1.0))
    limits = {"low": min(low, value), "high": max(high, value)}
    return {"name": name, "value": value, "unit": "rad" if turns else "m", **limits}


def recovered(file: Path) -> Session | None:
    """Return the session that a studio left in its file, None if there is none or it cannot be read."""
    if not file.is_file():
        return None
    try:
        return Session.from_dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, MyodyneError) as error:
        raise FileError(f"{file}: the saved session cannot be read ({error!s:.200}); start with --new") from None
