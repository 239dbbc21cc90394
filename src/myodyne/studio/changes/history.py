"""Undo and redo without end: sessions are frozen, so that the past is a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from myodyne.studio.changes.edits import DragBody, Edit, SetCourseHandle, SetGain, SetHandle, SetNumber, SetStart, apply
from myodyne.studio.session import Session
from myodyne.studio.tasks.task import Task, TaskEdit

T = TypeVar("T", bound=Session | Task)


@dataclass(frozen=True)
class History(Generic[T]):
    """The present session, those before it, and those that were undone.

    Examples
    --------
    >>> from myodyne.studio.changes.edits import SetDuration
    >>> from myodyne.studio.session import opened
    >>> history = History(opened("jump")).after(SetDuration(0.2))
    >>> history.undone().redone().present == history.present
    True
    """

    present: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()
    # The edit that made the present: while a hand drags, its many edits are one step back.
    last: Edit | TaskEdit | None = None

    def after(self: History[Session], edit: Edit, *, dragging: bool = False) -> History[Session]:
        """Return the history with one more edit; one of a drag replaces the one before it."""
        return self.moved(apply(self.present, edit), edit, dragging=dragging)

    def moved(self, present: T, edit: Edit | TaskEdit, *, dragging: bool = False) -> History[T]:
        """Return the history with what an edit made of the present."""
        if dragging and _same_target(edit, self.last) and self.past:
            return History(present, self.past, (), edit)
        return History(present, (*self.past, self.present), (), edit)

    def undone(self) -> History[T]:
        """Return the history one step back; at the beginning, itself."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.present, *self.future))

    def redone(self) -> History[T]:
        """Return the history with the last undone step done again; without one, itself."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.present), self.future[1:])


def _same_target(one: Edit | TaskEdit, other: Edit | TaskEdit | None) -> bool:
    if isinstance(one, SetHandle) and isinstance(other, SetHandle):
        return (one.control, one.number) == (other.control, other.number)
    if isinstance(one, SetCourseHandle) and isinstance(other, SetCourseHandle):
        return (one.coordinate, one.number) == (other.coordinate, other.number)
    if isinstance(one, DragBody) and isinstance(other, DragBody):
        return (one.body, one.time) == (other.body, other.time)
    if isinstance(one, SetStart | SetNumber | SetGain) and type(one) is type(other):
        return one.name == getattr(other, "name", None)
    return False
