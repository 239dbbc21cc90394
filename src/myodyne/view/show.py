"""`show`: a model, a run, or several, in the viewer."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from myodyne.data import Trajectory
from myodyne.view.actors import Pose, Shown, scene_of
from myodyne.view.page import write_page

if TYPE_CHECKING:
    from myodyne.view.widget import Viewer


def show(
    shown: Shown | Sequence[Shown],
    motion: Trajectory | Pose | None = None,
    *,
    labels: Sequence[str] | None = None,
    geometry: str | os.PathLike[str] | None = None,
    speed: float = 1.0,
    beside: bool = False,
) -> Viewer | Path:
    """Show a body in the viewer: a widget in a notebook, elsewhere a page that opens in the browser.

    Parameters
    ----------
    shown
        A model, a run that carries its model, or several of them, drawn on top of each other.
    motion
        For one model: a pose by coordinate (rad, m), or a motion over time.
    labels
        What the legend calls them.
    geometry
        The folder of the files (``.vtp``, ``.obj``, ``.stl``) that an OpenSim model names for its bones.
    speed
        1 plays in true time, 0.25 four times slower.
    beside
        Whether several bodies stand beside each other instead.

    Returns
    -------
    The widget, or the path of the page.

    Examples
    --------
    >>> import myodyne as my
    >>> my.show(my.load_model("jumper"), {"knee": 0.4})  # doctest: +SKIP
    >>> run = my.simulate(my.load_model("double_pendulum"), 2.0)  # doctest: +SKIP
    >>> my.show([run, run], labels=["before", "after"])  # doctest: +SKIP
    """
    folder = None if geometry is None else os.fspath(geometry)
    scene = scene_of(shown, motion, labels=labels, geometry=folder, speed=speed, beside=beside)
    if in_notebook():
        from myodyne.view.widget import viewer_of

        return viewer_of(scene)
    path = Path(tempfile.mkdtemp(prefix="myodyne-")) / "view.html"
    write_page(scene, path)
    webbrowser.open(path.as_uri())
    return path


def in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")
