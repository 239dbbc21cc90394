"""The reference: a page for each part of the package, with every public name, where it is used and what returns it."""

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
# Folders whose pages show how names are used.
_FOLDERS = ("guide", "tutorials", "theory", "works")
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
    pages = {
        path: path.read_text(encoding="utf-8") for part in _FOLDERS for path in sorted((folder / part).glob("*.md"))
    }
    mentioned = _mentioned([name for names in parts.values() for name in names])
    places = {name: part for part, names in parts.items() for name in names}
    target = folder / "reference"
    target.mkdir(exist_ok=True)
    ordered = [part for part in _TITLES if part in parts]
    _write(target / "index.md", _index(ordered, parts))
    for part in ordered:
        entries = [
            "\n".join([_entry(name), _used(name, pages), _linked(mentioned[name], places)])
            for name in sorted(parts[part], key=str.lower)
        ]
        _write(target / f"{part}.md", "\n".join([f"# {_TITLES[part]}", "", *entries]))


def _index(ordered: Iterable[str], parts: Mapping[str, list[str]]) -> str:
    lines = ["# Reference", "", "All names are those of `import myodyne as my`.", ""]
    for part in ordered:
        names = ", ".join(f"`{name}`" for name in sorted(parts[part], key=str.lower))
        lines += [f"- [{_TITLES[part]}]({part}.md): {names}"]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *ordered, "```", ""])


def _entry(name: str) -> str:
    thing = getattr(myodyne, name)
    lines = [f"## {name}", "", "```{eval-rst}"]
    if inspect.ismodule(thing):
        lines += [f".. automodule:: {thing.__name__}"]
    elif inspect.isclass(thing):
        lines += [
            f".. autoclass:: myodyne.{name}",
            "   :members:",
            # What models of data inherit and nobody calls.
            "   :exclude-members: model_config, model_post_init",
        ]
    else:
        lines += [f".. autofunction:: myodyne.{name}"]
    return "\n".join([*lines, "```", ""])


def _used(name: str, pages: Mapping[Path, str]) -> str:
    """Return links to the pages that call a name or write it as code."""
    written = re.compile(rf"\bmy\.{name}\b|`{name}[(`]")
    links = [
        f"[{_title(text)}](../{path.parent.name}/{path.name})" for path, text in pages.items() if written.search(text)
    ]
    return f"Used in: {', '.join(links)}.\n" if links else ""


def _linked(others: Iterable[str], places: Mapping[str, str]) -> str:
    """Return links to names whose results or parts are of a kind."""
    links = [f"[{other}]({places[other]}.md#{other.lower()})" for other in others]
    return f"Returned by or part of: {', '.join(links)}.\n" if links else ""


def _mentioned(names: Iterable[str]) -> dict[str, list[str]]:
    """Return, for each name, the others whose results, fields or properties are of that kind."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for other in sorted(found, key=str.lower):
        words = set(re.findall(r"\w+", " ".join(_results(getattr(myodyne, other)))))
        for name in words & set(found) - {other}:
            if inspect.isclass(getattr(myodyne, name)):
                found[name].append(other)
    return found


def _results(thing: object) -> list[str]:
    """Return the annotations of what a function returns, or of the fields, properties and methods of a class."""
    if inspect.isfunction(thing):
        return [str(thing.__annotations__.get("return", ""))]
    if not inspect.isclass(thing):
        return []
    members = [
        getattr(member, "fget", None) or getattr(member, "func", None) or member for member in vars(thing).values()
    ]
    called = [str(member.__annotations__.get("return", "")) for member in members if inspect.isfunction(member)]
    return [*called, *map(str, inspect.get_annotations(thing).values())]


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").replace("`", "")


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
