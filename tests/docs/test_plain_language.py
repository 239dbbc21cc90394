"""Pages are spelt correctly, with a list of the words of the field, and written in plain words.

A word that the dictionary does not know is either a slip or a word of the field: add the latter to
``tests/fixtures/words_of_the_field.txt``, which holds one word on each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIELD = ROOT / "tests" / "fixtures" / "words_of_the_field.txt"
WRITTEN_AT_BUILD = {"reference", "sections", "gallery", "notebooks"}
PAGES = sorted(
    [page for page in (ROOT / "docs").rglob("*.md") if page.relative_to(ROOT / "docs").parts[0] not in WRITTEN_AT_BUILD]
    + [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")]
)
# Code, formulas, comments, targets of links, addresses: not words.
NOT_WORDS = re.compile(
    r"```.*?```|<!--.*?-->|</?div[^>\n]*>|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$"
    r"|\{[^}\n]*\}|(?<=\])\([^)]*\)|https?://\S+|^---$.*?^---$",
    re.DOTALL | re.MULTILINE,
)
# Letters with an index or an exponent are symbols.
WORD = re.compile(r"(?<!\w)[A-Za-zÀ-ÖØ-öø-ÿ]+(?:['’][a-z]+)?(?!\w)")
# What has a plainer word, says nothing, or sounds like another century.
NOT_PLAIN = (
    "utilise",
    "leverage",
    "in order to",
    "please note",
    "it should be noted",
    "obviously",
    "needless to say",
    "state-of-the-art",
    "cutting-edge",
    "seamless",
    "is told",
    "tells of",
    "tell of",
    "leans on",
    "lean on",
    "wander",
    "dear",
    "plethora",
    "whilst",
)


def prose(page: Path) -> str:
    return words_alone(page.read_text(encoding="utf-8"))


def words_alone(text: str) -> str:
    return NOT_WORDS.sub(" ", text)


def words(text: str) -> Iterator[str]:
    for word in WORD.findall(text):
        plain = re.sub(r"['’]s$", "", word)
        # Acronyms and names in camel case are no words; nor are single letters.
        if len(plain) > 1 and plain[1:] == plain[1:].lower():
            yield plain


@cache
def known() -> tuple[object, frozenset[str]]:
    checker = pytest.importorskip(
        "spellchecker", reason="spelling needs pyspellchecker, which comes with the test extra"
    )
    return checker.SpellChecker(), frozenset(FIELD.read_text(encoding="utf-8").split())


def misspelt(text: str) -> list[str]:
    dictionary, field = known()
    # A word with a capital that no dictionary has is a name.
    small = {word for word in words(text) if word.islower()}
    return sorted(word for word in small if word not in field and word not in dictionary)  # type: ignore[operator]


def test_pages_are_spelt_correctly() -> None:
    found = {page.relative_to(ROOT).as_posix(): misspelt(prose(page)) for page in PAGES}
    assert len(found) > 100
    wrong = [f"{page}: {', '.join(slips)}" for page, slips in found.items() if slips]
    assert not wrong, "\n".join(wrong)


def test_a_slip_is_noticed() -> None:
    assert misspelt(words_alone("The mucsle of the runner's calf, `notaword`, and $\\mathrm{xyzzy}$.")) == ["mucsle"]
    assert misspelt("Pennation, tendon and soleus are words of the field.") == []


def test_pages_use_plain_words() -> None:
    patterns = {phrase: re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE) for phrase in NOT_PLAIN}
    found = [
        f"{page.relative_to(ROOT)}: {phrase}"
        for page in PAGES
        for phrase, pattern in patterns.items()
        if pattern.search(prose(page))
    ]
    assert not found, "\n".join(found)
