"""Runs a script of OpenSim's in a process of its own: OpenSim and CasADi cannot share one."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def moco_answer(script: str, *arguments: object) -> dict[str, Any]:
    """Return what Moco reports about a solve: the line of JSON that a script beside this file prints.

    The variable MYODYNE_OPENSIM names the Python that has OpenSim, if it is another one.
    """
    python = os.environ.get("MYODYNE_OPENSIM")
    if python is None and importlib.util.find_spec("opensim") is None:
        raise ModuleNotFoundError("OpenSim is not installed", name="opensim")
    command = [python or sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
    if done.returncode:
        raise RuntimeError(f"{script} failed: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    if not found["success"]:
        raise RuntimeError(f"{script}: Moco did not solve its problem: {found['status']}")
    return found
