"""A scene as one web page that needs only a browser: no network, no other file."""

from __future__ import annotations

import base64
import html
import json
import os
import zlib

from myodyne.data import DataError
from myodyne.files.atomic import atomically
from myodyne.view.assets import asset
from myodyne.view.packing import packed
from myodyne.view.scene import Scene

# Browsers still open this at once (bytes).
_MOST = 40_000_000

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline';
 style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>@STYLE@</style>
</head>
<body>
<main id="viewer" class="page"></main>
<script type="application/json" id="scene">@SCENE@</script>
<script type="text/plain" id="block">@BLOCK@</script>
<script>@CODE@</script>
</body>
</html>
"""


def page_of(scene: Scene) -> str:
    """Return the page of a scene as text."""
    header, block = packed(scene)
    if len(block) > _MOST:
        raise DataError(
            f"a page of {len(block) / 1e6:.0f} MB would be too large to open (at most {_MOST / 1e6:.0f} MB); "
            "show a part with run.slice, or fewer columns with run.select"
        )
    parts = {
        "TITLE": html.escape(scene.title or "movement"),
        "STYLE": asset("viewer.css"),
        "SCENE": embedded(header),
        # Deflated: a run of many muscles is a quarter smaller. Browsers undo it by themselves.
        "BLOCK": base64.b64encode(zlib.compress(block)).decode("ascii"),
        # Nothing in a script may look like its end.
        "CODE": asset("page.js").replace("</script", "<\\/script"),
    }
    # Split, not replaced: what is filled in must not be searched for place-holders.
    pieces = _PAGE.split("@")
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def write_page(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write the page of a scene."""
    with atomically(path) as unfinished:
        unfinished.write_text(page_of(scene), encoding="utf-8", newline="\n")


def embedded(data: object) -> str:
    r"""Return JSON that cannot end the script it stands in, whatever the names in it are.

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
