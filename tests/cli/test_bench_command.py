"""``myodyne bench``, with benchmarks that take no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from myodyne.cli import bench

FAST = '''"""How fast nothing is.

More words.
"""
from beside import LIMIT

def run():
    return [
        {"what": "nothing", "ours": 1.0, "peer": 4.0, "peer_name": "a friend", "unit": "s", "ratio": 4.0,
         "target": "≥ 2×", "met": True},
        {"what": "a figure", "ours": LIMIT, "peer": None, "unit": "s", "ratio": None, "target": None, "met": None},
    ]
'''
SLOW = '''"""How slow something is."""

def run():
    return [{"what": "something", "ours": 4.0, "peer": 1.0, "unit": "s", "ratio": 0.25, "target": "≥ 1×", "met": False}]
'''
LONELY = '''"""Needs a peer."""
import a_peer_that_nobody_has

def run():
    return []
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "benchmarks"
    found.mkdir()
    (found / "bench_fast.py").write_text(FAST)
    (found / "beside.py").write_text("LIMIT = 0.125\n")
    monkeypatch.setattr(bench, "benchmark_folder", lambda: found)
    return found


def test_rows_are_shown(cli, folder: Path) -> None:
    done = cli("bench")
    assert done.code == 0
    assert "Running fast" in done.err
    assert "a friend" in done.out
    assert "0.125" in done.out
    assert "yes" in done.out


def test_json_holds_the_rows(cli, folder: Path) -> None:
    done = cli("bench", "fast", "--json")
    assert done.code == 0
    rows = done.json["benchmarks"]["fast"]
    assert [row["what"] for row in rows] == ["nothing", "a figure"]
    assert rows[0]["ratio"] == 4.0
    assert done.json["failed"] == {}


def test_list_runs_nothing(cli, folder: Path) -> None:
    (folder / "bench_lonely.py").write_text(LONELY)
    done = cli("bench", "--list", "--json")
    assert done.json == {"benchmarks": {"fast": "How fast nothing is.", "lonely": "Needs a peer."}}
    assert "How fast nothing is." in cli("bench", "--list").out


def test_a_missed_target_is_code_1(cli, folder: Path) -> None:
    (folder / "bench_slow.py").write_text(SLOW)
    done = cli("bench", "bench_slow")
    assert done.code == 1
    assert "NO" in done.out


def test_a_missing_peer_does_not_hide_the_others(cli, folder: Path) -> None:
    (folder / "bench_lonely.py").write_text(LONELY)
    done = cli("bench", "--json")
    assert done.code == 1
    assert list(done.json["benchmarks"]) == ["fast"]
    assert "a_peer_that_nobody_has" in done.json["failed"]["lonely"]
    assert "myodyne[bench]" in done.err


def test_unknown_benchmarks_are_reported(cli, folder: Path) -> None:
    done = cli("bench", "fats")
    assert (done.code, done.out) == (2, "")
    assert "unknown benchmark 'fats': did you mean 'fast'?" in done.err


def test_the_package_finds_its_own() -> None:
    found = bench.benchmarks(bench.benchmark_folder())
    assert found
    for file in found.values():
        assert bench._title(file), f"{file.name} does not say what it measures"
        assert "\ndef run() -> list[dict[str, Any]]:" in file.read_text(encoding="utf-8")
