"""The gallery: pages by theme, made from scripts of ``examples`` that run when the site is built with ``-t gallery``.

A script runs in a folder of its own; what it prints and draws is kept there with a stamp, and used again as long as the
script stays the same.
"""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx

# Folders of examples/gallery by title, with the longer examples beside the folder that belong to the theme and draw.
THEMES = {
    "mechanisms": ("Mechanisms", ("closed_loop",)),
    "jumping": ("Jumping and hopping", ("hopper", "two_legged_hopper", "force_reflex", "what_if_stronger")),
    "cycling": ("Cycling", ("what_if_insertion",)),
    "walking": ("Walking", ("passive_walker", "mcgeer_walker")),
    "running": ("Running", ("first_simulation",)),
    "arm_and_shoulder": ("Arm and shoulder", ("coupled_arms", "shoulder")),
    "muscles": ("Muscles", ("muscle_curves", "tendon_transfer")),
    "estimation": ("Estimation", ("shared_reactions",)),
    "real_time": ("Real time and control", ("posture",)),
    "design": ("Design", ()),
    "studies": ("Studies", ()),
    "derivations": ("Derivations", ()),
}
_PICTURES = (".png", ".gif")
_SECONDS = 600


@dataclass(frozen=True)
class Example:
    """A script of the gallery: its theme, its file, its title and what its docstring says."""

    theme: str
    file: Path
    title: str
    text: str

    @property
    def name(self) -> str:
        """The name of the script, which its picture has too."""
        return self.file.stem

    @property
    def stamp(self) -> str:
        """What changes with the script."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


def examples(root: Path) -> list[Example]:
    """Return the examples of all themes, in the order of the pages."""
    found = []
    for theme, (_, longer) in THEMES.items():
        short = sorted((root / "examples" / "gallery" / theme).glob("*.py"))
        for file in [*short, *(root / "examples" / f"{name}.py" for name in longer)]:
            said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            title, _, text = said.partition("\n")
            # Longer examples say on the first line how they are run.
            found.append(Example(theme, file, title.removesuffix("Run it with").strip().rstrip("."), text.strip()))
    return found


def kept(folder: Path, example: Example) -> Path:
    """Return where the pictures and the output of an example are kept."""
    return folder / "gallery" / "made" / example.theme / example.name


def made(folder: Path, example: Example) -> bool:
    """Return whether an example has been run as it is."""
    stamp = kept(folder, example) / "stamp.txt"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == example.stamp


def make(folder: Path, example: Example) -> None:
    """Run an example, unless it has been run as it is; an example that fails or draws nothing raises an error."""
    if made(folder, example):
        return
    target = kept(folder, example)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:no C compiler found", str(example.file)],
        cwd=target,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
        env=os.environ | {"MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8"},
    )
    if done.returncode:
        raise RuntimeError(f"{example.file.name} failed:\n{done.stderr}")
    if not pictures(folder, example):
        raise RuntimeError(f"{example.file.name} draws nothing")
    for file in target.iterdir():
        if file.suffix not in _PICTURES:
            file.unlink()
    (target / "printed.txt").write_text(done.stdout, encoding="utf-8")
    (target / "stamp.txt").write_text(example.stamp, encoding="utf-8")


def pictures(folder: Path, example: Example) -> list[Path]:
    """Return the pictures that an example has drawn."""
    return sorted(file for file in kept(folder, example).glob("*") if file.suffix in _PICTURES)


def write_gallery(app: Sphinx) -> None:
    """Run what is asked for and write a page for each theme; Sphinx calls this before it reads pages."""
    folder = Path(app.srcdir)
    found = examples(folder.parent)
    if app.tags.has("gallery") or os.environ.get("READTHEDOCS"):
        for example in found:
            make(folder, example)
    target = folder / "gallery"
    target.mkdir(exist_ok=True)
    for theme, (title, _) in THEMES.items():
        own = [_section(folder, example) for example in found if example.theme == theme]
        _write(target / f"{theme}.md", "\n".join([f"# {title}", "", *own]))


def add_themes(app: Sphinx, name: str, source: list[str]) -> None:
    """Add the themes, with a picture of each, to the page of the gallery."""
    if name != "gallery":
        return
    folder = Path(app.srcdir)
    found = examples(folder.parent)
    lines = ["", f"There are {len(found)} examples.", ""]
    for theme, (title, _) in THEMES.items():
        own = [example for example in found if example.theme == theme]
        lines += [f"## {title}", "", *_row(folder, own), ""]
    trees = "\n".join(["```{toctree}", ":hidden:", "", *(f"gallery/{theme}" for theme in THEMES), "```", ""])
    source[0] += "\n".join([*lines, trees])


def _row(folder: Path, own: Iterable[Example]) -> list[str]:
    """Return pictures in a grid, each with its title, and a list of the examples that have not been run."""
    tiles, others = [], []
    for example in own:
        shown = pictures(folder, example) if made(folder, example) else []
        if shown:
            tiles += [
                f"   .. figure:: {shown[0].relative_to(folder).as_posix()}",
                f"      :alt: {example.title}",
                f"      :target: gallery/{example.theme}.html#{_anchor(example)}",
                "",
                f"      {example.title}",
                "",
            ]
        else:
            others += [f"- [{example.title}](#{_anchor(example)})"]
    grid = ["```{eval-rst}", ".. container:: gallery", "", *tiles, "```", ""] if tiles else []
    return [*grid, *others]


def _anchor(example: Example) -> str:
    return "example-" + example.name.replace("_", "-")


def _section(folder: Path, example: Example) -> str:
    place = example.file.relative_to(folder.parent).as_posix()
    lines = [f"({_anchor(example)})=", f"## {example.title}", "", example.text, ""]
    if made(folder, example):
        for picture in pictures(folder, example):
            lines += [f"![{example.title}]({picture.relative_to(folder / 'gallery').as_posix()})", ""]
        said = (kept(folder, example) / "printed.txt").read_text(encoding="utf-8").rstrip()
        lines += ["```text", said, "```", ""]
    else:
        lines += ["*The picture is made when the site is built with* `-t gallery`.", ""]
    code = example.file.read_text(encoding="utf-8").partition('"""\n')[2].partition('"""\n')[2].strip()
    lines += [f"`python {place}`", "", "```py", code, "```", ""]
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
