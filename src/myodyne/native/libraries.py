"""The C libraries that come with the package: each compiled when it is first needed, and kept for next time.

A file that several libraries share is compiled once. The schemes that march are libraries of their own, so that a
simulation waits for the scheme that it uses and for no other.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from myodyne.errors import MyodyneError
from myodyne.native import cache as store
from myodyne.native.compiler import FLAGS, LANE_FLAGS, Compiler, machine_identity
from myodyne.progress import task

_HERE = Path(__file__).parent

# What all marches share, and the body with muscles that implicit ones eliminate.
_STEPS = ("march/steps.c", "march/signals.c")
_SHARED = ("march/body.c", "march/elimination.c", "march/fibre_rates.c", "march/loop.c")
_BODY = (*_SHARED, "march/crossings.c", "march/dense.c", "march/rates.c")
# Several runs at once: a body in vectors, and its schemes.
_TOGETHER = ("march/together", *_SHARED, "march/stages.c", "march/signals.c")
# The C files of each library, a folder standing for all of its own.
_FILES = {
    "calls": ("calls",),
    "explicit": ("march/explicit.c", *_STEPS),
    "together": _TOGETHER,
    "body": (*_BODY, *_STEPS),
    "linear": ("march/rosenbrock.c", "march/stages.c", *_BODY, *_STEPS),
    "implicit": ("march/implicit.c", "march/stage.c", "march/newton.c", *_BODY, *_STEPS),
    "wrapping": ("wrapping",),
    "ldl": ("ldl",),
}
# Runs that may be computed together: march/numbers.h chooses by the processor, unless MYODYNE_LANES is one of these.
_WIDTHS = (4, 8)
MOST_LANES = max(_WIDTHS)
# Folders whose headers another one includes.
_HEADERS = {"wrapping": ("march",)}
LIBRARIES = tuple(_FILES)
# Compiling takes about this long (s) for each byte of a file.
_SECONDS_PER_BYTE = 2.5e-5


class Runtime:
    """The C libraries for one compiler, each made when it is first asked for."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler

    @cached_property
    def call(self) -> Callable[[int], int]:
        """Call a kernel once; a call takes a microsecond, so it keeps the interpreter's lock."""
        function: Callable[[int], int] = ctypes.PyDLL(str(library_file("calls", self._compiler))).myodyne_call
        function.argtypes = (ctypes.c_void_p,)  # type: ignore[attr-defined]
        return function

    @cached_property
    def rows(self) -> Callable[..., int]:
        """Call a kernel over many rows, without the interpreter's lock."""
        function = load(library_file("calls", self._compiler)).myodyne_rows
        pointer, count = ctypes.c_void_p, ctypes.c_int
        function.argtypes = (pointer, ctypes.c_long, count, pointer, count, pointer)
        return function

    @cached_property
    def explicit(self) -> ctypes.CDLL:
        """March by explicit schemes."""
        return self._loaded("explicit")

    @cached_property
    def implicit(self) -> ctypes.CDLL:
        """March by diagonally implicit schemes."""
        return self._loaded("implicit")

    @cached_property
    def linear(self) -> ctypes.CDLL:
        """March by linearly implicit schemes."""
        return self._loaded("linear")

    @cached_property
    def together(self) -> ctypes.CDLL:
        """March several runs at once."""
        return self._loaded("together")

    @cached_property
    def lanes(self) -> int:
        """How many runs are computed together."""
        return int(self.together.march_width())

    @cached_property
    def body(self) -> ctypes.CDLL:
        """A body with its muscles: its memory, and its rates of change."""
        return self._loaded("body")

    @cached_property
    def wrapping(self) -> ctypes.CDLL:
        """Lengths of paths over surfaces."""
        return self._loaded("wrapping")

    def _loaded(self, name: str) -> ctypes.CDLL:
        return load(library_file(name, self._compiler))


# Libraries that `library_file` has found in this process, and keeps.
_FOUND: set[tuple[str, Compiler]] = set()


@cache
def runtime(compiler: Compiler) -> Runtime:
    """Return the C libraries for a compiler."""
    return Runtime(compiler)


def library_sources(name: str) -> list[Path]:
    """Return the C files of a library, headers included."""
    sources = [file for place in _FILES[name] for file in _c_files(_HERE / place)]
    folders = dict.fromkeys(_folder(file) for file in sources)
    return sources + [header for folder in folders for header in _headers(folder)]


def _c_files(place: Path) -> list[Path]:
    return [place] if place.suffix == ".c" else sorted(place.rglob("*.c"))


def _folder(file: Path) -> str:
    return file.relative_to(_HERE).parts[0]


@cache
def _headers(folder: str) -> tuple[Path, ...]:
    return tuple(h for other in (folder, *_HEADERS.get(folder, ())) for h in sorted((_HERE / other).rglob("*.h")))


@cache
def library_file(name: str, compiler: Compiler) -> Path:
    """Return the shared object of a library, compiled once for this machine."""
    key = _library_key(name, compiler)
    ready = loadable(key)
    if ready is None:
        jobs = unbuilt_objects(name, compiler)
        with task(f"Compiling the {name} library (kept for next time)", seconds=seconds_of(jobs)):
            ready = store.build(key, lambda target: _linked(name, compiler, jobs, target))
    _FOUND.add((name, compiler))
    return ready.library


def _linked(name: str, compiler: Compiler, jobs: Sequence[ObjectJob], target: Path) -> dict[str, Any]:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(ObjectJob.run, jobs))
    sources = [file for file in library_sources(name) if file.suffix == ".c"]
    compiler.link([ObjectJob(file, compiler, _defined(name)).run().library for file in sources], target)
    return {}


@dataclass(frozen=True)
class ObjectJob:
    """A C file to compile, kept for all libraries that hold it."""

    source: Path
    compiler: Compiler
    options: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        """Name the object in the cache."""
        kind = " ".join(["object", *self.options])
        return _key(kind, (self.source, *_headers(_folder(self.source))), self.compiler)

    def run(self) -> store.Entry:
        """Return the object, from the cache if it is there."""
        return store.find(self.key) or store.build(self.key, self._make)

    def _make(self, target: Path) -> dict[str, Any]:
        self.compiler.object_file(self.source, target, self.options)
        return {}


def unbuilt_objects(name: str, compiler: Compiler) -> list[ObjectJob]:
    """Return what is to compile before a library can be linked, the largest files, which take longest, first."""
    # Reading and hashing its sources would be a quarter of a short simulation.
    if (name, compiler) in _FOUND:
        return []
    if store.find(_library_key(name, compiler)) is not None:
        return []
    sources = [file for file in library_sources(name) if file.suffix == ".c"]
    jobs = [ObjectJob(file, compiler, _defined(name)) for file in sources]
    return sorted((job for job in jobs if store.find(job.key) is None), key=lambda job: -job.source.stat().st_size)


def seconds_of(jobs: Sequence[ObjectJob]) -> float:
    """Return about how long it takes to compile some files side by side (s)."""
    return sum(job.source.stat().st_size for job in jobs) * _SECONDS_PER_BYTE / (os.cpu_count() or 1)


def _library_key(name: str, compiler: Compiler) -> str:
    return _key(" ".join([name, *_defined(name)]), library_sources(name), compiler)


def _defined(name: str) -> tuple[str, ...]:
    """Return what a library is compiled with beside the usual options."""
    if name != "together":
        return ()
    width = os.environ.get("MYODYNE_LANES", "").strip()
    if width not in ("", *map(str, _WIDTHS)):
        raise MyodyneError(f"MYODYNE_LANES is {' or '.join(map(str, _WIDTHS))}, not '{width}'")
    return ("-DMARCH_TOGETHER", *LANE_FLAGS, *([f"-DMARCH_WIDTH={width}"] if width else []))


def _key(kind: str, files: Sequence[Path], compiler: Compiler) -> str:
    content = "\0".join(file.name + file.read_text() for file in files)
    return store.key_of(kind, content, " ".join(FLAGS), compiler.identity, machine_identity())


def loadable(key: str) -> store.Entry | None:
    """Return a cached entry whose code loads; one that does not is dropped."""
    entry = store.find(key)
    if entry is not None:
        try:
            ctypes.CDLL(str(entry.library))
        except OSError:
            store.discard(key)
            return None
    return entry


def load(file: Path) -> ctypes.CDLL:
    """Return a shared object, loaded."""
    try:
        return ctypes.CDLL(str(file))
    except OSError as error:
        raise MyodyneError(
            f"compiled code could not be loaded ({error}); set MYODYNE_CACHE to a folder from which code may run, "
            "or MYODYNE_COMPILER=none"
        ) from error
