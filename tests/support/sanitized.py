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

FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"


def main() -> int:
    """Run pytest on the given files and return its exit code."""
    with tempfile.TemporaryDirectory() as name:
        compiler = Path(name, "sanitizing_gcc")
        compiler.write_text(f'#!/bin/sh\nexec gcc {FLAGS} "$@"\n')
        compiler.chmod(0o755)
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
        settings = {
            "MYODYNE_COMPILER": str(compiler),
            "MYODYNE_CACHE": str(Path(name, "cache")),
            "MYODYNE_OPTIMISATION": "1",
            # Python is not sanitized itself: the library must be there first, and its own leaks do not count.
            "LD_PRELOAD": library.stdout.strip(),
            "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *sys.argv[1:]]
        return subprocess.run(command, env={**os.environ, **settings}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
