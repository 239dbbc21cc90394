"""Data beside the project: without them a test is skipped, and where ``CI`` is set it runs and fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def needs(path: Path, reason: str) -> pytest.MarkDecorator:
    """Return the mark of a test that reads a file or folder beside the project."""
    return pytest.mark.skipif(not path.exists() and not os.environ.get("CI"), reason=reason)
