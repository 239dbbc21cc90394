"""Start-up: import, first simulation from the cache, compile time and cold start of each built-in model."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from timing import below, figure

import myodyne as my

_IMPORT = "import time; t = time.perf_counter(); import myodyne; print(time.perf_counter() - t)"
_FIRST = """
import time; t = time.perf_counter()
import myodyne as my
my.simulate(my.load_model({model!r}), duration=0.02)
print(time.perf_counter() - t)
"""
_COMPILE = """
import time
import myodyne as my
eq = my.equations_of(my.load_model({model!r}), compiled=True)
t = time.perf_counter()
for kernel in ("derivative", "outputs", "inverse_dynamics", "mass_matrix", "balance", "jacobians"):
    eq.kernel(kernel)
print(time.perf_counter() - t)
"""


def _measured(script: str, cache: str | None = None) -> float:
    environment = dict(os.environ) | ({"MYODYNE_CACHE": cache} if cache else {})
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


def run() -> list[dict[str, Any]]:
    rows = [
        below("import myodyne", min(_measured(_IMPORT) for _ in range(5)), "s", 0.5),
    ]
    with tempfile.TemporaryDirectory() as warm:
        script = _FIRST.format(model="double_pendulum")
        _measured(script, warm)
        cached = min(_measured(script, warm) for _ in range(5))
        rows.append(below("first simulation from the cache, imports included", cached, "s", 1.2))
    for model in my.builtin_models():
        with tempfile.TemporaryDirectory() as cold:
            spent = _measured(_FIRST.format(model=model), cold)
            rows.append(figure(f"cold start: first simulation of {model}, empty cache", spent, "s"))
        with tempfile.TemporaryDirectory() as cold:
            spent = _measured(_COMPILE.format(model=model), cold)
            rows.append(figure(f"compile the six main kernels of {model}", spent, "s"))
    return rows
