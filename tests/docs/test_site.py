"""The documentation becomes a site without a warning: every public name, every link, within its size."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import myodyne as my

ROOT = Path(__file__).parents[2]


def built(target: Path, *options: str) -> Path:
    """Return the folder of the site, built with warnings as errors."""
    pytest.importorskip("sphinx", reason="the site needs Sphinx, which comes with the test extra")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", *options, "-d", str(target / "doctrees")]
    done = subprocess.run(
        [*command, str(ROOT / "docs"), str(target / "html")], capture_output=True, text=True, check=False, timeout=3000
    )
    assert done.returncode == 0, done.stderr
    return target / "html"


class Links(HTMLParser):
    """What a page links to and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id" and value:
                self.anchors.add(value)
            if value and (key, tag) in {("href", "a"), ("src", "img")}:
                self.targets.add(value)


def missing_names(site: Path) -> set[str]:
    """Return public names that have no heading in the reference."""
    pages = "".join(page.read_text(encoding="utf-8") for page in (site / "reference").glob("*.html"))
    return set(my.__all__) - set(re.findall(r"<h2>(\w+)<", pages)) - {"__version__"}


def unlinked_names(site: Path) -> list[str]:
    """Return names of the reference without a page that uses them and without another name that returns them."""
    pages = "".join(page.read_text(encoding="utf-8") for page in (site / "reference").glob("*.html"))
    entries = re.split(r"<h2>", pages)[1:]
    return [entry.partition("<")[0] for entry in entries if "Used in:" not in entry and "Returned by" not in entry]


def lost_links(site: Path) -> list[str]:
    """Return links within the site that lead nowhere."""
    pages = {page: Links(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    assert len(pages) > 100
    lost = []
    for page, links in pages.items():
        for target in links.targets:
            if re.match(r"(https?|mailto|data):", target):
                continue
            path, _, anchor = unquote(target).partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists() or (anchor and file in pages and anchor not in pages[file].anchors):
                lost.append(f"{page.relative_to(site)}: {target}")
    return lost


def test_text_and_reference_become_a_site(tmp_path: Path) -> None:
    """One test, so that workers build it once: every public name, every link, the tables of printed numbers."""
    site = built(tmp_path)
    assert not missing_names(site)
    assert not unlinked_names(site)
    assert not lost_links(site)
    numbers = (site / "printed_numbers.html").read_text(encoding="utf-8")
    assert numbers.count("<tr") > 120
    assert (site / "tutorials" / "first_ten_minutes.html").exists()


@pytest.mark.long
def test_the_site_with_all_pictures_is_whole_and_small(tmp_path: Path) -> None:
    site = built(tmp_path, "-t", "gallery")
    assert not lost_links(site)
    pages = [page.read_text(encoding="utf-8") for page in (site / "gallery").glob("*.html")]
    assert sum(page.count("<img") for page in pages) >= 40
    assert not [page for page in pages if "The picture is made when" in page]
    assert sum(file.stat().st_size for file in site.rglob("*") if file.is_file()) < 150e6
