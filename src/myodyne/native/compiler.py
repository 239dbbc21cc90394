"""Finds a C compiler and builds shared objects with it."""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from myodyne.errors import MyodyneError

# No -ffast-math: its gains were erratic, and results must be the same on every machine.
# -fno-math-errno changes no value: without it a square root may set errno, which prevents vectorisation.
FLAGS = ("-std=gnu99", "-fPIC", "-march=native", "-fno-math-errno", "-fno-semantic-interposition")
# For code in lanes: on some processors gcc adds products up in narrow vectors without fused instructions, so that the
# numbers of a run would depend on how many runs are computed together. Other compilers ignore the option.
LANE_FLAGS = ("--param=avoid-fma-max-bits=0",)
# The remedy, for messages that no compiler was found.
HOW_TO_GET_ONE = "install gcc or clang, or `pip install ziglang`"
# Compilers that run at the same time; more would need the memory of larger machines.
COMPILERS = 2
# Above this many operations the optimiser of the compiler takes minutes for a few per cent.
LARGE_KERNEL = 20_000
# Above this many, even a little optimisation takes four times as long as none, and running the code is a small part of
# what it is for: second derivatives are followed by a factorisation that takes ten times as long.
HUGE_KERNEL = 100_000
# A disk with less free (bytes) than this is full.
_LITTLE = 1_000_000
# Optimisation of generated code, unless MYODYNE_OPTIMISATION asks for less.
_FULL = 2


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C, a string that changes when the compiler does, and how far it optimises."""

    command: tuple[str, ...]
    identity: str
    level: int = _FULL

    def shared_object(
        self, sources: Sequence[Path], target: Path, operations: int | None = None, options: Sequence[str] = ()
    ) -> None:
        """Compile generated C, straight-line code of so many operations, into one shared object.

        Several files are compiled side by side.
        """
        count = operations or 0
        most = _FULL if count < LARGE_KERNEL else 1 if count < HUGE_KERNEL else 0
        options = [f"-O{min(most, self.level)}", *FLAGS, *options]
        if len(sources) == 1:
            self._run([*options, "-shared", str(sources[0]), "-o", str(target), "-lm"], target)
            return
        from concurrent.futures import ThreadPoolExecutor

        def compiled(source: Path) -> Path:
            self._run([*options, "-c", str(source), "-o", str(source.with_suffix(".o"))], source.with_suffix(".o"))
            return source.with_suffix(".o")

        with ThreadPoolExecutor(COMPILERS) as pool:
            self.link(list(pool.map(compiled, sources)), target)

    def object_file(self, source: Path, target: Path, options: Sequence[str] = ()) -> None:
        """Compile a hand-written file, whose loops are vectorised at -O3 only."""
        self._run(["-O3", *FLAGS, *options, "-c", str(source), "-o", str(target)], target)

    def link(self, objects: Sequence[Path], target: Path) -> None:
        """Make a shared object of compiled files."""
        self._run([*FLAGS, "-shared", *map(str, objects), "-o", str(target), "-lm"], target)

    def _run(self, arguments: Sequence[str], target: Path) -> None:
        command = [*self.command, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 and _is_full(target.parent, done.stderr):
            raise OSError(errno.ENOSPC, "no space left for compiled code", str(target.parent))
        if done.returncode != 0 or not target.exists():
            trouble = "failed" if done.returncode != 0 else "wrote nothing"
            raise MyodyneError(
                f"the C compiler '{self.command[0]}' {trouble}; set MYODYNE_COMPILER=none to do without one.\n"
                + done.stderr[-2000:]
            )


def _is_full(folder: Path, said: str) -> bool:
    """Return whether a disk is full, by what a compiler said or by what is free."""
    try:
        return os.strerror(errno.ENOSPC) in said or shutil.disk_usage(folder).free < _LITTLE
    except OSError:
        return False


@cache
def find_compiler() -> Compiler | None:
    """Return the compiler to use, or None: ``MYODYNE_COMPILER``, else gcc, clang, cc, else the ziglang package.

    ``MYODYNE_COMPILER=none`` turns compilation off; any other value is the command to use. With
    ``MYODYNE_OPTIMISATION=1`` or ``0`` the compiler takes about half the time, and the code runs more slowly.
    """
    wanted = os.environ.get("MYODYNE_COMPILER", "").strip()
    if wanted.lower() == "none":
        return None
    for name in [wanted] if wanted else ["gcc", "clang", "cc"]:
        path = shutil.which(name)
        if path is not None:
            return _compiler((path,), Path(path))
    if wanted:
        raise MyodyneError(f"MYODYNE_COMPILER names '{wanted}', which is not a command on this machine")
    zig = importlib.util.find_spec("ziglang")
    if zig is not None and zig.origin is not None:
        return _compiler((sys.executable, "-m", "ziglang", "cc"), Path(zig.origin))
    warnings.warn(
        f"no C compiler found: equations run in the interpreter, about ten times slower; {HOW_TO_GET_ONE}",
        stacklevel=2,
    )
    return None


def _compiler(command: tuple[str, ...], path: Path) -> Compiler:
    level = os.environ.get("MYODYNE_OPTIMISATION", "").strip() or str(_FULL)
    if level not in ("0", "1", "2"):
        raise MyodyneError(f"MYODYNE_OPTIMISATION is 0, 1 or 2, not '{level}'")
    identity = _identity(path)
    return Compiler(command, identity if level == str(_FULL) else f"{identity}:O{level}", int(level))


def _identity(path: Path) -> str:
    """Return a string that changes when the compiler does; asking for its version would start a process."""
    real = path.resolve()
    status = real.stat()
    return f"{real}:{status.st_size}:{status.st_mtime_ns}"


@cache
def machine_identity() -> str:
    """Return a string that distinguishes machines for which ``-march=native`` generates different code."""
    information = [platform.system(), platform.machine(), platform.processor()]
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        lines = listing.read_text(errors="replace").splitlines()
        for key in ("model name", "flags", "Features"):
            information += [line for line in lines if line.startswith(key)][:1]
    return hashlib.sha256("\n".join(information).encode()).hexdigest()[:16]
