"""The viewer in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from myodyne.errors import FileError
from myodyne.view.assets import asset
from myodyne.view.packing import packed
from myodyne.view.scene import Scene

if TYPE_CHECKING:
    Viewer = Any


def viewer_of(scene: Scene) -> Viewer:
    """Return the widget that shows a scene."""
    try:
        import anywidget
        import traitlets
    except ImportError as missing:
        raise FileError(
            "the viewer in a notebook needs anywidget: python -m pip install 'myodyne[notebook]'; "
            "my.animate(run, 'run.html') writes a page without it"
        ) from missing
    header, block = packed(scene)

    # Defined here because its base is imported here.
    class SceneWidget(anywidget.AnyWidget):  # type: ignore[misc, no-any-unimported, unused-ignore]
        _esm = asset("widget.js")
        _css = asset("viewer.css")
        header = traitlets.Dict().tag(sync=True)
        block = traitlets.Bytes().tag(sync=True)

    return SceneWidget(header=header, block=block)
