"""A figure that notebooks show on their own: without a magic command, and once."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure that pyplot does not know, so only what a cell returns or displays is shown."""

    def _repr_png_(self) -> bytes:
        # Notebooks ask an object for its picture; where matplotlib's own display is active, that one is used instead.
        picture = BytesIO()
        self.savefig(picture, format="png", facecolor=self.get_facecolor())
        return picture.getvalue()
