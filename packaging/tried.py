"""Tries an installed myodyne as a new user would: the README's code and tutorials.

Run ``python packaging/tried.py`` with an environment that has the wheel alone, in an empty folder. It prints a line for
each page. Pages are read from the clone that this file belongs to; the code comes from the environment.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import myodyne

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "docs/tutorials/first_ten_minutes.md",
    "docs/tutorials/recording_to_forces.md",
    "docs/tutorials/classroom.md",
)


def main() -> None:
    """Run the Python of each page from top to bottom."""
    home = Path(myodyne.__file__).parent
    if ROOT in home.parents:
        sys.exit(f"myodyne comes from the clone ({home}), not from a wheel")
    print(f"Python {sys.version.split()[0]}, myodyne {myodyne.__version__}")
    for page in PAGES:
        begun = time.perf_counter()
        names: dict[str, object] = {}
        for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL):
            exec(compile(block, page, "exec"), names)
        print(f"{page}: {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
