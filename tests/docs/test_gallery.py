"""The gallery: enough examples of every theme, each with a picture; every script runs."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# The functions of the site that find and run examples; they import Sphinx.
pytest.importorskip("sphinx", reason="the site needs Sphinx, which comes with the test extra")
GALLERY = runpy.run_path(str(DOCS / "_site" / "gallery.py"), run_name="gallery")
EXAMPLES = GALLERY["examples"](ROOT)


def test_there_are_enough_of_every_theme() -> None:
    assert len(EXAMPLES) >= 40
    by_theme = {theme: [example for example in EXAMPLES if example.theme == theme] for theme in GALLERY["THEMES"]}
    assert all(len(own) >= 2 for own in by_theme.values())
    assert len({example.name for example in EXAMPLES}) == len(EXAMPLES)


def test_every_script_is_in_the_gallery() -> None:
    scripts = set((ROOT / "examples" / "gallery").rglob("*.py"))
    assert scripts <= {example.file for example in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_it_has_a_title_and_draws_its_picture(example: Any) -> None:
    text = example.file.read_text(encoding="utf-8")
    assert example.title
    assert example.text
    assert ".png" in text or ".gif" in text
    if "gallery" in example.file.parts:
        assert f'"{example.name}.png"' in text or f'"{example.name}.gif"' in text
        assert len(text.splitlines()) <= 70


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_it_runs(example: Any) -> None:
    """What it leaves is kept for the site, so that the site with all pictures builds at once after these tests."""
    GALLERY["make"](DOCS, example)
    pictures = GALLERY["pictures"](DOCS, example)
    assert pictures
    assert all(picture.stat().st_size > 2000 for picture in pictures)
    assert (GALLERY["kept"](DOCS, example) / "printed.txt").stat().st_size > 0
