"""The reference: a page for each part of the package, with every public name and the pages that use it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import myodyne

# Titles of the parts, by the module that the list of public names takes them from; others go with their package.
_TITLES = {
    "model": "Models",
    "files": "Files",
    "library": "Built-in models and data",
    "simulate": "Simulation",
    "numerics": "Schemes",
    "equations": "Equations",
    "formulations": "Derivations",
    "data": "Data and results",
    "analyse": "Analysis",
    "paths": "Paths",
    "optimise": "Optimal control",
    "study": "Studies and search",
    "plot": "Figures and animations",
    "view": "Viewing",
    "errors": "Errors",
}
# What models of data inherit and nobody calls.
_OF_PYDANTIC = "model_config, model_post_init"
_IMPORT = re.compile(r"^from \.(?P<package>\w+)[\w.]* import (?:\((?P<block>[^)]*)\)|(?P<line>[^\n]*))", re.MULTILINE)


def names_by_part(stub: str) -> dict[str, list[str]]:
    """Return the public names of each part, as the list of public names has them.

    Examples
    --------
    >>> names_by_part("from .view import show as show")
    {'view': ['show']}
    """
    found: dict[str, list[str]] = {}
    for match in _IMPORT.finditer(stub):
        text = match["block"] or match["line"]
        names = [part.split(" as ")[-1].strip() for part in text.split(",") if part.strip()]
        found.setdefault(match["package"], []).extend(names)
    return found


def write_pages(folder: Path) -> None:
    """Write the pages of the reference below the folder of the documentation; unchanged ones are left alone."""
    stub = Path(myodyne.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    parts = names_by_part(stub)
    unknown = [part for part in parts if part not in _TITLES]
    if unknown:
        raise LookupError(f"parts without a title in the reference: {unknown}")
    pages = {path: path.read_text(encoding="utf-8") for path in sorted((folder / "guide").glob("*.md"))}
    target = folder / "reference"
    target.mkdir(exist_ok=True)
    ordered = [part for part in _TITLES if part in parts]
    _write(target / "index.md", _index(ordered, parts))
    for part in ordered:
        entries = [_entry(name, pages) for name in sorted(parts[part], key=str.lower)]
        _write(target / f"{part}.md", "\n".join([f"# {_TITLES[part]}", "", *entries]))


def _index(ordered: Iterable[str], parts: Mapping[str, list[str]]) -> str:
    lines = ["# Reference", "", "All names are those of `import myodyne as my`.", ""]
    for part in ordered:
        names = ", ".join(f"`{name}`" for name in sorted(parts[part], key=str.lower))
        lines += [f"- [{_TITLES[part]}]({part}.md): {names}"]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *ordered, "```", ""])


def _entry(name: str, pages: Mapping[Path, str]) -> str:
    thing = getattr(myodyne, name)
    lines = [f"## {name}", "", "```{eval-rst}"]
    if inspect.ismodule(thing):
        lines += [f".. automodule:: {thing.__name__}"]
    elif inspect.isclass(thing):
        lines += [
            f".. autoclass:: myodyne.{name}",
            "   :members:",
            "   :exclude-members: model_config, model_post_init",
        ]
    else:
        lines += [f".. autofunction:: myodyne.{name}"]
    used = [path.stem for path, text in pages.items() if re.search(rf"\bmy\.{name}\b", text)]
    links = ", ".join(f"[{_title(pages, stem)}](../guide/{stem}.md)" for stem in used)
    return "\n".join([*lines, "```", "", *([f"Used in: {links}.", ""] if used else [])])


def _title(pages: Mapping[Path, str], stem: str) -> str:
    text = next(text for path, text in pages.items() if path.stem == stem)
    return text.partition("\n")[0].removeprefix("# ").replace("`", "")


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
