"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from myodyne.errors import FileError

# The end of the name of an unfinished file, and for how long (s) one is taken for still being written.
_LEFT = re.compile(r"[0-9a-f]{12}\.part")
_ABANDONED = 3600.0


@contextmanager
def atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to, and move what was written to ``path`` when the block ends without an error.

    A reader finds the old file or the new one, never a half; after an error the old file is untouched.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomically(Path(folder) / "a.txt") as unfinished:
    ...         _ = unfinished.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    # A link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"{path}: is a folder; give the name of a file in it")
    if not target.parent.is_dir():
        raise FileError(f"{path}: there is no folder '{target.parent}'; create it first")
    # In the same folder, because a file can be moved in one piece only within one disk.
    unfinished = target.with_name(f".{target.name[:80]}.{secrets.token_hex(6)}.part")
    _remove_abandoned(target)
    try:
        yield unfinished
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())
        unfinished.replace(target)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _remove_abandoned(target: Path) -> None:
    """Remove what a process that was killed left of the same file; younger ones may be another's, still writing."""
    begin = f".{target.name[:80]}."
    with suppress(OSError):
        for left in target.parent.iterdir():
            if left.name.startswith(begin) and _LEFT.fullmatch(left.name[len(begin) :]):
                with suppress(OSError):
                    if time.time() - left.stat().st_mtime > _ABANDONED:
                        left.unlink()
