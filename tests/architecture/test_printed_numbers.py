"""Every number that the five works print, and that can be checked, has a test or a benchmark with its own number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Numbers of claims: the chain in the plane, empirical joints, the implicit residual, the synthesis of movement, running.
# 004-1 is a misprint and nothing else: every third frame at 180 Hz is 0.0167 s, not 0.01676.
CLAIMS = {
    "000": range(1, 33),
    "001": range(1, 23),
    "002": range(1, 21),
    "003": range(1, 13),
    "004": range(2, 22),
}
# Times, which belong into benchmarks.
TIMES = {("000", 32), ("001", 17), ("001", 21), ("002", 7), ("002", 12), ("002", 19)}
_RANGE = re.compile(r"(00[0-4])_(\d+)_to_00[0-4]_(\d+)")
_ONE = re.compile(r"(?<!\d)(00[0-4])_(\d+)(?!\d)")


def names_of_tests() -> set[tuple[str, int]]:
    """Return the claims in names of tests, like ``test_000_15_to_000_22_drift``."""
    found: set[tuple[str, int]] = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), flags=re.MULTILINE):
            found.update((work, int(number)) for work, number in _ONE.findall(name))
            for work, first, last in _RANGE.findall(name):
                found.update((work, number) for number in range(int(first), int(last) + 1))
    return found


def measured() -> set[tuple[str, int]]:
    """Return the claims that benchmarks name, like ``(001-17)``."""
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "benchmarks").glob("bench_*.py")]
    return {(work, int(number)) for text in texts for work, number in re.findall(r"(00[0-4])-(\d+)", text)}


@pytest.mark.parametrize("work", CLAIMS)
def test_every_claim_has_a_test_or_a_benchmark(work: str) -> None:
    tests, benchmarks = names_of_tests(), measured()
    claims = {(work, number) for number in CLAIMS[work]}
    assert sorted(claims - TIMES - tests) == []
    assert sorted(claims & TIMES - benchmarks) == []
