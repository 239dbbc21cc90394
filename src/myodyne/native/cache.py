"""Compiled code on disk: found again by the next process, rebuilt when damaged, bounded in size."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST_CACHE = 2_000_000_000  # bytes
_LIBRARY, _META = "code.so", "meta.json"
# Least time (s) between two scans of the cache for entries to drop.
_BETWEEN_TRIMS = 300.0
# A workshop in which nothing was written for so long (s), and whose process is gone, is abandoned.
_ABANDONED = 1800.0


@dataclass(frozen=True)
class Entry:
    """A shared object and its metadata."""

    library: Path
    meta: dict[str, Any]


def cache_folder() -> Path:
    """Return the folder of compiled code, created if needed: ``MYODYNE_CACHE``, else the user's cache folder."""
    if _full:
        return _temporary_folder()
    named = os.environ.get("MYODYNE_CACHE")
    if named:
        folder = Path(named)
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "myodyne" / "cache"
    elif sys.platform == "darwin":
        folder = Path("~/Library/Caches/myodyne").expanduser()
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "myodyne"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(folder) and os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return _temporary_folder()


def _is_private(folder: Path) -> bool:
    """Return whether no other user can write code into the folder; loading code means running it."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    if status.st_uid == os.getuid() and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        folder.chmod(0o700)
        status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


_temporary: list[tempfile.TemporaryDirectory[str]] = []
# Whether the disk of the cache was found full by this process, and which folders it has tidied.
_full: list[bool] = []
_tidied: set[Path] = set()


def _temporary_folder() -> Path:
    if not _temporary:
        _temporary.append(tempfile.TemporaryDirectory(prefix="myodyne-"))
    return Path(_temporary[0].name)


def key_of(*parts: str) -> str:
    """Return the key of an entry from everything its code depends on."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


def _is_own(path: Path) -> bool:
    """Return whether this user owns the file: others may have left theirs before the folder was made private."""
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()


def fingerprint(code: bytes, meta: Mapping[str, Any]) -> str:
    """Return a checksum of code and metadata: wrong sizes would do as much harm as wrong code."""
    known = {name: value for name, value in meta.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode() + b"\0" + code).hexdigest()


def find(key: str) -> Entry | None:
    """Return an intact entry of this user, else None."""
    folder = cache_folder() / key
    try:
        if not all(map(_is_own, (folder, folder / _META, folder / _LIBRARY))):
            return None
        meta = json.loads((folder / _META).read_text())
        code = (folder / _LIBRARY).read_bytes()
    except (OSError, ValueError):
        return None
    if not isinstance(meta, dict) or meta.get("sha256") != fingerprint(code, meta):
        return None
    with contextlib.suppress(OSError):
        os.utime(folder)  # the least recently used entries are dropped first
    return Entry(folder / _LIBRARY, meta)


def build(key: str, make: Callable[[Path], dict[str, Any]]) -> Entry:
    """Return the entry, made in a temporary folder and moved into place as a whole.

    ``make`` receives the path for the shared object and returns its metadata. If another process was faster, its
    entry is used: both are the same.
    """
    root = cache_folder()
    try:
        return _built(root, key, make)
    except OSError as error:
        # Another thread may have found the disk full meanwhile: what counts is where this one tried.
        if error.errno not in (errno.ENOSPC, errno.EDQUOT) or root == _temporary_folder():
            raise
        # A full disk: what this process compiles is kept in the system's temporary folder, and lost with it.
        _full.append(True)
        return _built(cache_folder(), key, make)


def _built(root: Path, key: str, make: Callable[[Path], dict[str, Any]]) -> Entry:
    _clean_once(root)
    workshop = Path(tempfile.mkdtemp(prefix=f".{key[:8]}-{os.getpid()}-", dir=root))
    try:
        library = workshop / _LIBRARY
        meta = make(library)
        meta["sha256"] = fingerprint(library.read_bytes(), meta)
        for leftover in workshop.iterdir():
            if leftover.name != _LIBRARY:
                leftover.unlink()
        (workshop / _META).write_text(json.dumps(meta))
        for _ in range(5):
            try:
                workshop.rename(root / key)
                break
            except OSError:
                ready = find(key)
                if ready is not None:
                    return ready
                _discard(root / key)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    _trim_now_and_then(root)
    ready = find(key)
    if ready is None:
        raise OSError(f"compiled code could not be stored in '{root}'; set MYODYNE_CACHE to a writable folder")
    return ready


def remember(key: str, data: Mapping[str, Any]) -> None:
    """Store plain data that took long to compute, as an entry without code."""

    def make(library: Path) -> dict[str, Any]:
        library.write_bytes(b"")
        return {"data": dict(data)}

    build(key, make)


def recall(key: str) -> dict[str, Any] | None:
    """Return stored data, None if there is no intact entry."""
    entry = find(key)
    return None if entry is None else entry.meta["data"]


def discard(key: str) -> None:
    """Remove an entry that is unusable."""
    _discard(cache_folder() / key)


def _discard(folder: Path) -> None:
    """Rename an entry before removing it, so that no other process finds half of it."""
    aside = folder.with_name(f".{folder.name[:8]}-{os.getpid()}-{time.monotonic_ns()}")
    with contextlib.suppress(OSError):
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


def entries(root: Path | None = None) -> Iterator[tuple[Path, int, float]]:
    """Yield folder, size (bytes) and time of last use of every entry."""
    for folder in (root or cache_folder()).iterdir():
        with contextlib.suppress(OSError):
            if folder.is_dir() and not folder.name.startswith("."):
                yield folder, sum(f.stat().st_size for f in folder.iterdir()), folder.stat().st_mtime


def _trim_now_and_then(root: Path) -> None:
    """Trim the cache unless that was done lately: scanning thousands of entries takes longer than compiling."""
    stamp = root / ".trimmed"
    with contextlib.suppress(OSError):
        if time.time() - stamp.stat().st_mtime < _BETWEEN_TRIMS:
            return
    with contextlib.suppress(OSError):
        stamp.touch()
    trim(root)


def trim(root: Path | None = None, largest: int = LARGEST_CACHE) -> None:
    """Drop the least recently used entries until the cache is small enough, and temporary folders left by crashes."""
    root = root or cache_folder()
    present = sorted(entries(root), key=lambda entry: entry[2])
    total = sum(size for _, size, _ in present)
    for folder, size, _ in present:
        if total <= largest:
            break
        _discard(folder)
        total -= size
    yesterday = time.time() - 86_400
    for folder in root.glob(".*-*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime < yesterday:
                shutil.rmtree(folder, ignore_errors=True)


def _clean_once(root: Path) -> None:
    """Remove the workshops of processes that were killed, once in each process."""
    if root in _tidied or not hasattr(os, "getuid"):
        return
    _tidied.add(root)
    for folder in root.glob(".*-*-*"):
        owner = folder.name.split("-")[1]
        with contextlib.suppress(OSError):
            # Processes of another machine that shares the folder cannot be seen: theirs are left while they are young.
            old = time.time() - folder.stat().st_mtime > _ABANDONED
            if old and owner.isdigit() and not _is_alive(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def clear() -> tuple[int, int]:
    """Remove everything; return the number of entries and bytes removed."""
    present = list(entries())
    for folder, _, _ in present:
        _discard(folder)
    return len(present), sum(size for _, size, _ in present)
