"""The present movement as a file that a page downloads: films, pages and series of numbers."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from myodyne.data import DataError, Result
from myodyne.errors import listed

# What a page may ask for; pictures and scripts it makes itself.
ENDINGS = ("gif", "mp4", "html", "sto", "nc")
# A longer file would hold up the line to the page.
_MOST_BYTES = 60_000_000


def exported(run: Result, name: str, asked: object, request: object = "") -> dict[str, Any]:
    """Return the message that hands a page a file of the movement.

    Parameters
    ----------
    run
        The movement.
    name
        What the file is called, before its ending; characters that a file name cannot hold are replaced.
    asked
        The ending, one of `ENDINGS`: it comes from the page, so anything else is refused.
    request
        What the page calls its question, handed back so that other pages leave the answer alone.

    Examples
    --------
    >>> import myodyne as my
    >>> run = my.simulate(my.load_model("pendulum"), 0.1)
    >>> exported(run, "../swing", "sto")["name"]
    'swing.sto'
    """
    if asked not in ENDINGS:
        raise DataError(f"the studio exports {listed(ENDINGS)}, not {asked!r:.40}")
    # The file is written below a fresh folder under a name of our own: nothing that a page sends becomes a path.
    with TemporaryDirectory(prefix="myodyne-export-") as folder:
        file = Path(folder) / f"movement.{asked}"
        _write(run, file)
        content = file.read_bytes()
    if len(content) > _MOST_BYTES:
        raise DataError(f"the file would have {len(content) / 1e6:.0f} MB; use my.animate or my.save in a script")
    data = base64.b64encode(content).decode("ascii")
    return {"kind": "file", "name": f"{safe_name(name)}.{asked}", "data": data, "request": str(request)[:64]}


def safe_name(name: str) -> str:
    """Return a name that is a plain file name on every system.

    Examples
    --------
    >>> safe_name("../a b<c>"), safe_name("..")
    ('a_b_c', 'movement')
    """
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "movement"


def _write(run: Result, file: Path) -> None:
    if file.suffix in (".sto", ".nc"):
        from myodyne.files import save

        save(run, file)
        return
    from myodyne.plot import animate

    animate(run, file)
