"""Every guide has a picture, and every picture says what makes it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MAKERS = runpy.run_path(str(DOCS / "_site" / "pictures.py"), run_name="pictures")
SHOWN = re.compile(r"!\[(?P<says>[^\]]*)\]\((?P<file>[^)]+)\)")


@pytest.mark.parametrize("page", sorted((DOCS / "guide").glob("*.md")), ids=lambda page: page.stem)
def test_a_guide_has_a_picture_with_words_for_those_who_do_not_see_it(page: Path) -> None:
    shown = SHOWN.findall(page.read_text(encoding="utf-8"))
    assert shown
    assert all(says for says, _ in shown)
    assert all((page.parent / file).exists() for _, file in shown)


def test_every_picture_has_a_maker_and_a_page() -> None:
    kept = {file.name for file in (DOCS / "images").iterdir()}
    makers = MAKERS["OF_OTHERS"]
    assert kept == {*MAKERS["OF_THE_GALLERY"], *makers, *MAKERS["MADE_ONCE"]}
    assert not [maker for maker in makers.values() if not (ROOT / maker).exists()]
    scripts = {file.stem for file in (ROOT / "examples" / "gallery").rglob("*.py")}
    assert not [name for name in MAKERS["OF_THE_GALLERY"] if Path(name).stem not in scripts]
    pages = [ROOT / "README.md", *(page for page in DOCS.rglob("*.md") if page.parts[-2] != "gallery")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert not [name for name in kept if f"images/{name}" not in text]
