"""Run tests with all C code compiled for AddressSanitizer and UndefinedBehaviorSanitizer, in a cache of its own.

    python -m tests.support.sanitized tests/numerics/test_marches.py tests/paths tests/equations/test_exact_paths.py

Needs gcc with its sanitizers. What they find ends the run with their report.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

# CasADi loads its plugins with RTLD_DEEPBIND, which sanitizers refuse.
PLAIN_DLOPEN = """
#define _GNU_SOURCE
#include <dlfcn.h>
void *dlopen(const char *file, int flags) {
    void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
    return next(file, flags & ~RTLD_DEEPBIND);
}
"""
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"


def main() -> int:
    """Run pytest on the given files and return its exit code."""
    with tempfile.TemporaryDirectory() as name:
        compiler = Path(name, "sanitizing_gcc")
        compiler.write_text(f'#!/bin/sh\nexec gcc {FLAGS} "$@"\n')
        compiler.chmod(0o755)
        source, shim = Path(name, "dlopen.c"), Path(name, "dlopen.so")
        source.write_text(PLAIN_DLOPEN)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(shim), str(source), "-ldl"], check=True)
        preloaded = [str(shim), *(_library_file(name) for name in ("libasan.so", "libstdc++.so"))]
        settings = {
            "MYODYNE_COMPILER": str(compiler),
            "MYODYNE_CACHE": str(Path(name, "cache")),
            "MYODYNE_OPTIMISATION": "1",
            # Python is not sanitized itself: the library must be there first, and its own leaks do not count. With the
            # library of C++ beside it, exceptions inside other packages (matplotlib) find their way.
            "LD_PRELOAD": " ".join(preloaded),
            "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-s", "-p", "no:cacheprovider", *sys.argv[1:]]
        return subprocess.run(command, env={**os.environ, **settings}, check=False).returncode


def _library_file(name: str) -> str:
    """Return where gcc has a library."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
