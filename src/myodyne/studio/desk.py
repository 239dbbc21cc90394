"""One user's work on a session: its history and the player; the server is a thin layer over it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, pi
from pathlib import Path
from typing import Any

from myodyne.data import DataError, Result
from myodyne.errors import MyodyneError
from myodyne.model.units import angles
from myodyne.model.values import numbers_of
from myodyne.studio.changes.courses import at_start, fitted_courses, refusal
from myodyne.studio.changes.edits import DragBody, Edit, SetCourses, SetCurve, edit_from
from myodyne.studio.changes.history import History
from myodyne.studio.changes.ties import arms_and_legs, tie_rows
from myodyne.studio.drawing import Drawing, drawn_courses
from myodyne.studio.feet import foot_message
from myodyne.studio.keeper import Keeper
from myodyne.studio.player import Played, Player
from myodyne.studio.reference import Reference
from myodyne.studio.script import script_of
from myodyne.studio.session import Session
from myodyne.studio.showing import Message
from myodyne.studio.stability import eigenvalues
from myodyne.studio.summary import summary_of
from myodyne.studio.uploads import uploaded_curve
from myodyne.studio.workplace import Send, Workplace, saved_data, unreadable

# Numbers of the model that are shown at once.
_FOUND = 20
# Handles of a course that is fitted to the present movement.
_COURSE_HANDLES = 6


class Desk(Workplace[Session]):
    """The state of one studio. Every change is written to its file at once, so that a crash loses nothing.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> sent = []
    >>> desk = Desk(opened("jump"), sent.append)
    >>> desk.receive({"kind": "edit", "edit": {"kind": "SetDuration", "duration": 0.1}})
    >>> desk.wait()
    >>> desk.history.present.recipe.duration, sorted({message.data["kind"] for message in sent})
    (0.1, ['scene', 'session', 'status'])
    >>> desk.close()
    """

    def __init__(
        self, session: Session, send: Send, file: Path | None = None, reference: Reference | None = None
    ) -> None:
        super().__init__(session, session.model, send, file, reference)
        self._last: Played | None = None
        self._drawing = Drawing()
        self.player = Player(self._show)
        self._keeper = Keeper(self._kept, self.player.wait)

    def close(self) -> None:
        """Stop the player, and save what is not saved yet."""
        self.player.close()
        self._keeper.close()

    def begin(self) -> None:
        """Send everything, to a page that has just been opened."""
        with self._lock:
            self._send(Message(self._session(whole=True)))
        self._simulate()

    def wait(self) -> None:
        """Wait until nothing is simulated, and everything is saved and sent."""
        self.player.wait()
        self._keeper.wait()

    def _do(self, data: Mapping[str, Any]) -> None:
        match data.get("kind"):
            case "edit":
                self._edit(edit_from(data.get("edit")), dragging=data.get("dragging") is True)
            case "find":
                self._find(data.get("words"))
            case "follow":
                self._change(self._followed("the forces cannot follow the angles"))
            case "foot":
                self._fit_foot(data)
            case "curve":
                self._upload(data)
            case "eigenvalues":
                self._send(Message(eigenvalues(self._last, data.get("time"))))
            case _:
                super()._do(data)

    def _edit(self, edit: Edit, *, dragging: bool) -> None:
        """Make a change; who drags the body after the start wants the forces to follow."""
        session, history = self.history.present, self.history
        if isinstance(edit, DragBody) and not session.courses and not at_start(session, edit.time):
            history = self._followed("the body can be dragged at the start alone")
        self._change(history.after(edit, dragging=dragging))

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

    def _followed(self, otherwise: str) -> History[Session]:
        """Return the history in which every coordinate has a course near the present movement, and forces follow."""
        session = self.history.present
        reason = refusal(session)
        if reason:
            raise DataError(f"{otherwise}: {reason}")
        courses = fitted_courses(session, self._movement("begin from"), _COURSE_HANDLES)
        edit = SetCourses({name: course.to_dict() for name, course in courses.items()})
        return self.history.after(edit)

    def _fit_foot(self, data: Mapping[str, Any]) -> None:
        """Lay an arc over the path of an ankle: of the recording where there is one, else of the movement."""
        model = self.history.present.changed_model
        motion = self._movement("fit") if self._reference is None else self._reference.motion
        self._send(Message(foot_message(model, motion, data)))

    def _upload(self, data: Mapping[str, Any]) -> None:
        """Give a control the curve of a file that the page sent."""
        control = data.get("control")
        curve = uploaded_curve(self.history.present, control, data.get("name"), data.get("text"))
        self._change(self.history.after(SetCurve(str(control), curve.to_dict())))

    def _change(self, history: History[Session]) -> None:
        self.history = history
        self._simulate()
        self._keeper.keep()

    def _kept(self) -> None:
        """Save the session, then show it: what a page has seen of it survives a crash."""
        with self._lock:
            try:
                self._write()
            except MyodyneError as error:
                self._refuse(f"the change is not saved: {error}")
            self._send(Message(self._session()))

    def _simulate(self) -> None:
        self._say("computing")
        self.player.play(self.history.present)

    def _show(self, played: Played) -> None:
        """Send a simulated movement: the scene, its summary, and why it failed if it did."""
        self._last = played
        status = f"failed: {played.failure}" if played.failure else "idle"
        if played.run is None or len(played.run) < 2:
            self._say(status)
            return
        model = played.session.changed_model
        self._scene(played.run, model, summary_of(played.run, model), status, played.run.report.notes)

    def _pin(self) -> None:
        run = self._movement("pin")
        assert self._last is not None
        model = self._last.session.changed_model
        self._keep_beside(run, model, summary_of(run, model))
        self._simulate()

    def _movement(self, purpose: str) -> Result:
        last = self._last
        if last is None or last.run is None or len(last.run) < 2:
            raise DataError(f"there is no movement yet to {purpose}; wait until the status is idle")
        return last.run

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
            "motors": list(session.motors),
            "unfollowed": refusal(session),
            "start": start,
            "ties": tie_rows(session),
            "arms": list(arms_and_legs(session.model)),
            "gains": _gains(session),
            "numbers": dict(session.numbers),
            "bodies": list(session.model.bodies),
            "muscles": {name: muscle.max_force for name, muscle in session.model.muscles.items()},
            "script": script_of(session, self._reference),
            "earlier": [part.from_time for part in session.earlier],
            **self._steps(),
        }


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
    """Return the session that a studio left in its file, None if there is none; one that cannot be read is an error."""
    data = saved_data(file)
    try:
        return None if data is None else Session.from_dict(data)
    except (ValueError, MyodyneError) as error:
        raise unreadable(file, error) from None
