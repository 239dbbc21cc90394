"""The sections of the site, from the list of pages that ``docs/README.md`` is."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

_HEADING = re.compile(r"^(?:## (?P<section>.+)|(?P<group>[A-Z][\w ]+):)$")
_ITEM = re.compile(r"^- \[[^\]]+\]\((?P<page>[\w/]+)\.md\)")


def sections(text: str) -> dict[str, list[str]]:
    r"""Return the items of each section, in the order of the list.

    Examples
    --------
    >>> sections("## Theory\n\n- [Muscles](theory/muscles.md): states\n  and equations")
    {'Theory': ['- [Muscles](theory/muscles.md): states and equations']}
    """
    found: dict[str, list[str]] = {}
    current = "Start"
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            current = heading["section"] or heading["group"]
        elif _ITEM.match(line):
            found.setdefault(current, []).append(line)
        elif line.startswith("  ") and current in found:
            found[current][-1] += f" {line.strip()}"
    return found


def write_sections(folder: Path) -> list[str]:
    """Write a page for each section below the folder of the documentation, and return their names."""
    target = folder / "sections"
    target.mkdir(exist_ok=True)
    names = []
    for title, items in sections((folder / "README.md").read_text(encoding="utf-8")).items():
        pages = [f"/{match['page']}" for match in map(_ITEM.match, items) if match]
        listed = [item.replace("](", "](../", 1) for item in items]
        text = "\n".join([f"# {title}", "", *listed, _tree(pages)])
        names.append(f"sections/{title.lower().replace(' ', '_')}")
        path = folder / f"{names[-1]}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return names


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Add trees of contents to pages that are written without; Sphinx calls this for every page that it reads."""
    folder = Path(app.srcdir)
    if name == "index":
        source[0] += _tree([*write_sections(folder), "reference/index", "architecture", "protocol", "README"])
    if name == "decisions/README":
        source[0] += _tree(sorted(file.stem for file in (folder / "decisions").glob("0*.md")))


def _tree(pages: list[str]) -> str:
    return "\n".join(["", "", "```{toctree}", ":hidden:", "", *pages, "```", ""])
