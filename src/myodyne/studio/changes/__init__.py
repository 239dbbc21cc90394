"""What a user changes: edits, curves with handles, ties between coordinates, wanted courses; and the history of it."""
