"""A program: parses a ``.c3d`` file with ezc3d and writes what we need of it as ``.npz``.

ezc3d is written in C++ and breaks down on some damaged files, taking its process with it: so it has one of its own,
which `files/laboratory/c3d.py` starts. Nothing of myodyne is imported here, to start fast.

``python c3d_parser.py recording.c3d parsed.npz``
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Memory is limited, because a damaged count could ask for any amount: a sound file needs a few times its own size, and
# the libraries their share.
_MEMORY_FOR_LIBRARIES = 4 * 2**30
_MEMORY_PER_BYTE = 40


def main(source: str, target: str) -> None:
    """Parse one file and write points, residuals, channels, and the parameters as JSON."""
    _limit_memory(_MEMORY_FOR_LIBRARIES + _MEMORY_PER_BYTE * Path(source).stat().st_size)
    import ezc3d
    import numpy as np

    content = ezc3d.c3d(source)
    data = content["data"]
    groups = ("POINT", "ANALOG", "FORCE_PLATFORM")
    described = {
        "first_frame": int(content["header"]["points"]["first_frame"]),
        "parameters": {group: _plain(content["parameters"].get(group, {})) for group in groups},
    }
    np.savez(
        target,
        points=np.asarray(data["points"], dtype=float),
        residuals=np.asarray(data["meta_points"]["residuals"], dtype=float),
        analogs=np.asarray(data["analogs"], dtype=float),
        described=np.array(json.dumps(described)),
    )


def _plain(group: Mapping[str, Any]) -> dict[str, Any]:
    import numpy as np

    return {name: np.asarray(entry["value"]).tolist() for name, entry in group.items() if "value" in entry}


def _limit_memory(largest: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits.
        return
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (largest, largest))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
