"""The C libraries that come with the package: each compiled when it is first needed, and kept for next time."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from myodyne.errors import MyodyneError
from myodyne.native import cache as store
from myodyne.native.compiler import FLAGS, Compiler, machine_identity
from myodyne.progress import task

_HERE = Path(__file__).parent

# The libraries, each a folder of C files, with about how long it takes to compile (s).
_SECONDS = {"calls": 0.2, "march": 3.0, "wrapping": 6.0, "ldl": 4.0}
# Libraries whose headers another one includes.
_HEADERS = {"wrapping": ("march",)}


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
    def march(self) -> ctypes.CDLL:
        """Schemes that march kernels through time."""
        return load(library_file("march", self._compiler))

    @cached_property
    def wrapping(self) -> ctypes.CDLL:
        """Lengths of paths over surfaces."""
        return load(library_file("wrapping", self._compiler))


@cache
def runtime(compiler: Compiler) -> Runtime:
    """Return the C libraries for a compiler."""
    return Runtime(compiler)


def library_sources(name: str) -> list[Path]:
    """Return the C files of a library, headers included."""
    own = sorted((_HERE / name).rglob("*.[ch]"))
    return own + [file for other in _HEADERS.get(name, ()) for file in sorted((_HERE / other).rglob("*.h"))]


@cache
def library_file(name: str, compiler: Compiler) -> Path:
    """Return the shared object of a library, compiled once for this machine."""
    sources = library_sources(name)
    content = "\0".join(file.name + file.read_text() for file in sources)
    key = store.key_of(name, content, " ".join(FLAGS), compiler.identity, machine_identity())

    def make(target: Path) -> dict[str, Any]:
        with task(f"Compiling the {name} library (kept for next time)", seconds=_SECONDS[name]):
            compiler.library([file for file in sources if file.suffix == ".c"], target)
        return {}

    return (loadable(key) or store.build(key, make)).library


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
