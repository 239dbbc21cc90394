"""Fingerprints of source code: cached results are found only by the code that made them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

# Imports at any depth: those inside functions take part like those at the top. Too many do no harm.
_IMPORT = re.compile(
    r"^[ ]*(?:from[ ]+(?P<package>myodyne[\w.]*)[ ]+import[ ]+(?:\((?P<block>[^)]*)\)|(?P<line>[^\n]*))"
    r"|import[ ]+(?P<module>myodyne[\w.]*))",
    re.MULTILINE,
)


@cache
def source_fingerprint(*modules: str) -> str:
    """Return a fingerprint of the given modules and of all modules of the package that they import, near and far.

    It depends on the content of the files alone, not on the folders they lie in.

    Examples
    --------
    >>> source_fingerprint("myodyne.errors") == source_fingerprint("myodyne.errors", "myodyne.errors")
    True
    """
    return fingerprint_of(imported_files(*modules).values())


def fingerprint_of(files: Iterable[Path]) -> str:
    """Return a fingerprint of the contents of files, whatever their names and order."""
    digests = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def imported_files(*modules: str) -> dict[str, Path]:
    """Return the files of modules and of all that they import from the package, by module name."""
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        file = _file_of(name)
        if file is None:
            continue
        found[name] = file
        waiting += _imports(file.read_text(encoding="utf-8"))
    return found


def _imports(text: str) -> list[str]:
    names = []
    for match in _IMPORT.finditer(text):
        if match["module"]:
            names.append(match["module"])
            continue
        package = match["package"]
        listed = re.sub(r"#[^\n]*", "", match["block"] or match["line"])
        for part in filter(str.strip, listed.split(",")):
            module = f"{package}.{part.split()[0]}"
            names.append(package if _file_of(module) is None else module)
    return [name for name in names if name != "myodyne"]


@cache
def _root() -> Path:
    spec = find_spec("myodyne")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _file_of(name: str) -> Path | None:
    place = _root().joinpath(*name.split(".")[1:])
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None
