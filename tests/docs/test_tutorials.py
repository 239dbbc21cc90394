"""Tutorials run as pages and as notebooks; pages about the five works run as pages."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from support.pages import blocks, follow

DOCS = Path(__file__).parents[2] / "docs"
WORKS = sorted(page.stem for page in (DOCS / "works").glob("*_*.md"))
TUTORIALS = sorted(page.stem for page in (DOCS / "tutorials").glob("*.md"))
# Tutorials that each run follows; the long run follows all.
SHORT = ("classroom",)
notebook_of = runpy.run_path(str(DOCS / "_site" / "notebooks.py"))["notebook_of"]


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[] if page in SHORT else [pytest.mark.long]) for page in TUTORIALS]
)
def test_the_tutorial_does_what_it_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if page == "recording_to_forces":
        pytest.importorskip("ezc3d", reason="the extra c3d is not installed")
    _, checked = follow(DOCS / "tutorials" / f"{page}.md")
    assert checked >= 2


@pytest.mark.parametrize("page", TUTORIALS)
def test_its_notebook_is_valid_and_has_its_code(page: str) -> None:
    nbformat = pytest.importorskip("nbformat", reason="notebooks need nbformat, which comes with the test extra")
    file = DOCS / "tutorials" / f"{page}.md"
    notebook = nbformat.from_dict(notebook_of(file.read_text(encoding="utf-8")))
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code == [block.strip() for block in blocks(file)]
    assert not [cell for cell in notebook.cells if ".md)" in cell.source or "](../" in cell.source]


@pytest.mark.long
@pytest.mark.parametrize("page", TUTORIALS)
def test_its_notebook_runs(page: str, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="notebooks need nbformat, which comes with the test extra")
    client = pytest.importorskip("nbclient", reason="notebooks need nbclient, which comes with the test extra")
    text = (DOCS / "tutorials" / f"{page}.md").read_text(encoding="utf-8")
    notebook = nbformat.from_dict(notebook_of(text))
    client.NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.long
@pytest.mark.parametrize("page", WORKS)
def test_the_page_of_a_work_does_what_it_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = DOCS / "works" / f"{page}.md"
    _, checked = follow(file)
    assert checked >= 1
    text = file.read_text(encoding="utf-8")
    for part in ("**Question.**", "| | printed | ours |", "**Differences.**"):
        assert part in text or (part.startswith("|") and "ours" in text)


def test_every_work_has_pages() -> None:
    for work in ("casius", "ehsani", "bogert", "winter", "selbie"):
        assert len([page for page in WORKS if page.startswith(work)]) >= 2


def test_errors_read_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, checked = follow(DOCS / "errors_and_statuses.md")
    assert checked == 2
