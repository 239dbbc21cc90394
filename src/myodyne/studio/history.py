"""Undo and redo without end: sessions are frozen, so that the past is a list."""

from __future__ import annotations

from dataclasses import dataclass

from myodyne.studio.edits import Edit, SetHandle, SetNumber, SetStart, apply
from myodyne.studio.session import Session


@dataclass(frozen=True)
class History:
    """The present session, those before it, and those that were undone.

    Examples
    --------
    >>> from myodyne.studio.edits import SetDuration
    >>> from myodyne.studio.session import opened
    >>> history = History(opened("jump")).after(SetDuration(0.2))
    >>> history.undone().redone().present == history.present
    True
    """

    present: Session
    past: tuple[Session, ...] = ()
    future: tuple[Session, ...] = ()
    # The edit that made the present: while a hand drags, its many edits are one step back.
    last: Edit | None = None

    def after(self, edit: Edit, *, dragging: bool = False) -> History:
        """Return the history with one more edit; one of a drag replaces the one before it."""
        session = apply(self.present, edit)
        if dragging and _same_target(edit, self.last) and self.past:
            return History(session, self.past, (), edit)
        return History(session, (*self.past, self.present), (), edit)

    def undone(self) -> History:
        """Return the history one step back; at the beginning, itself."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.present, *self.future))

    def redone(self) -> History:
        """Return the history with the last undone step done again; without one, itself."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.present), self.future[1:])


def _same_target(one: Edit, other: Edit | None) -> bool:
    if isinstance(one, SetHandle) and isinstance(other, SetHandle):
        return (one.control, one.number) == (other.control, other.number)
    if isinstance(one, SetStart | SetNumber) and type(one) is type(other):
        return one.name == getattr(other, "name", None)
    return False
