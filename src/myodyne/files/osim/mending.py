"""Files that are not XML only because of their letters or comments, mended as OpenSim reads them."""

from __future__ import annotations

import re

_COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)


def mended_text(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return the file with letters as UTF-8 and without its comments, and what was wrong with it."""
    faults = []
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        faults.append(f"holds bytes that are not UTF-8 (first in line {line}); they are read as Latin-1")
        content = content.decode("latin-1").encode("utf-8")
        content = re.sub(rb"""^(<\?xml[^>]*encoding=)["'][^"']*["']""", rb'\1"UTF-8"', content.lstrip())
    broken = [comment for comment in _COMMENT.finditer(content) if b"--" in comment[1] or comment[1].endswith(b"-")]
    if broken:
        line = content.count(b"\n", 0, broken[0].start()) + 1
        faults.append(f"has comments that hold '--' (first in line {line}), which XML does not allow")
        content = _COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), content)
    return content, tuple(faults)
