"""Tutorials as notebooks: the same pages, with their Python as cells."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_CODE = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#)(?P<page>[\w./-]+)\.md(?P<rest>[^)]*)\)")
_PICTURE = re.compile(r"\]\(\.\./images/(?P<file>[\w.-]+)\)")
_SITE = "https://myodyne.readthedocs.io/en/latest"


def notebook_of(text: str) -> dict[str, Any]:
    r"""Return a page of Markdown as a notebook: text, and each block of Python as a cell.

    Examples
    --------
    >>> [cell["cell_type"] for cell in notebook_of("# Title\n\n```python\n1 + 1\n```\n\nThe end.\n")["cells"]]
    ['markdown', 'code', 'markdown']
    """
    cells = []
    for number, part in enumerate(_CODE.split(text)):
        source = part.strip()
        if not source:
            continue
        kind = "code" if number % 2 else "markdown"
        # Pages link to one another and to pictures; a notebook stands alone.
        source = source if number % 2 else _PICTURE.sub(rf"]({_SITE}/_images/\g<file>)", _LINK.sub(_absolute, source))
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": source}
        cells.append(cell | ({"execution_count": None, "outputs": []} if number % 2 else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _absolute(match: re.Match[str]) -> str:
    path = match["page"].removeprefix("../")
    folder = "" if match["page"].startswith("../") else "tutorials/"
    return f"]({_SITE}/{folder}{path}.html{match['rest']})"


def write_notebooks(folder: Path) -> None:
    """Write a notebook for each tutorial below the folder of the documentation."""
    target = folder / "notebooks"
    target.mkdir(exist_ok=True)
    for page in sorted((folder / "tutorials").glob("*.md")):
        text = json.dumps(notebook_of(page.read_text(encoding="utf-8")), indent=1, ensure_ascii=False)
        path = target / f"{page.stem}.ipynb"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def add_links(app: Sphinx, name: str, source: list[str]) -> None:
    """Offer the notebook below the title of a tutorial; Sphinx calls this for every page that it reads."""
    if name.startswith("tutorials/"):
        stem = name.partition("/")[2]
        title, _, rest = source[0].partition("\n")
        source[0] = f"{title}\n\n{{download}}`As a notebook <../notebooks/{stem}.ipynb>`\n{rest}"
