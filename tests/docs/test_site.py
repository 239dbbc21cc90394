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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="the site needs Sphinx, which comes with the test extra")
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", str(target / "doctrees")]
    done = subprocess.run(
        [*command, str(ROOT / "docs"), str(target / "html")], capture_output=True, text=True, check=False, timeout=600
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


@pytest.mark.long
def test_every_public_name_is_in_the_reference(site: Path) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (site / "reference").glob("*.html"))
    headings = set(re.findall(r"<h2>(\w+)<", pages))
    assert set(my.__all__) - headings - {"__version__"} == set()


@pytest.mark.long
def test_links_lead_somewhere(site: Path) -> None:
    pages = {page: Links(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    lost = []
    for page, links in pages.items():
        for target in links.targets:
            if re.match(r"(https?|mailto|data):", target):
                continue
            path, _, anchor = unquote(target).partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists() or (anchor and file in pages and anchor not in pages[file].anchors):
                lost.append(f"{page.relative_to(site)}: {target}")
    assert len(pages) > 60
    assert not lost, "\n".join(lost)


@pytest.mark.long
def test_it_is_small(site: Path) -> None:
    assert sum(file.stat().st_size for file in site.rglob("*") if file.is_file()) < 150e6
