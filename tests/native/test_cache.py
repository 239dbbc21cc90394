"""The cache of compiled code: found again, private, bounded, shared, and rebuilt when damaged."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations.build import Kernels
from myodyne.native import cache as store
from myodyne.native.compiler import Compiler, find_compiler
from myodyne.native.libraries import Runtime, runtime
from myodyne.paths.fitted import Tolerance

pytestmark = pytest.mark.skipif(
    os.environ.get("MYODYNE_COMPILER") == "none" or not any(map(shutil.which, ("gcc", "clang", "cc"))),
    reason="nothing is cached without a C compiler",
)

SIMULATE = """
import json, myodyne as my
run = my.simulate(my.load_model("pendulum"), 0.5)
print(json.dumps([run.provenance.compiled, run.final["angle"]]))
"""
WITHOUT_COMPILING = (
    """
from myodyne.native.compiler import Compiler
def fail(*arguments, **options):
    raise AssertionError("the compiler was called")
Compiler.shared_object = fail
"""
    + SIMULATE
)


@pytest.fixture(scope="module")
def angle() -> float:
    return my.simulate(my.equations_of(my.load_model("pendulum"), compiled=False), 0.5).final["angle"]


@pytest.fixture(scope="module")
def python(python: Callable[..., Any], shelved_compiler: str | None) -> Callable[..., Any]:
    """Return a function that runs text in a process whose compiler takes no time."""
    return partial(python, MYODYNE_COMPILER=shelved_compiler)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, python: Callable[..., Any]) -> Path:
    """Return a cache in which another process left its code."""
    folder = tmp_path_factory.mktemp("filled") / "cache"
    python(SIMULATE, MYODYNE_CACHE=str(folder))
    return folder


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    """Return a copy of the filled cache."""
    return Path(shutil.copytree(filled, tmp_path / "cache"))


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".") and path.name != ".trimmed"]


# ---- found again --------------------------------------------------------------------------------------------


def test_the_next_process_finds_the_code(folder: Path, python: Callable[..., Any], angle: float) -> None:
    assert len(entries(folder)) >= 3, "rates, outputs, and the routines that drive them"
    before = {file: file.stat().st_mtime_ns for entry in entries(folder) for file in entry.iterdir()}
    compiled, found = python(WITHOUT_COMPILING, MYODYNE_CACHE=str(folder))
    assert compiled
    assert found == pytest.approx(angle, abs=1e-12)
    assert {file: file.stat().st_mtime_ns for entry in entries(folder) for file in entry.iterdir()} == before


@pytest.fixture
def routines() -> Runtime:
    """Return what drives kernels, from the cache of all tests."""
    compiler = find_compiler()
    assert compiler is not None
    return runtime(compiler)


def test_models_share_code_that_is_the_same(
    routines: Runtime, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The skeleton does not know the damping of muscles; what muscles do in it does."""
    arm = my.load_model("planar_arm")
    damped = arm.with_values({f"{next(iter(arm.muscles))}.damping": 0.0625})
    assert arm.structure_hash != damped.structure_hash
    compiled: list[int | None] = []
    compile_it = Compiler.shared_object

    def counted(self: Compiler, sources: Any, target: Path, operations: Any, options: Any) -> None:
        compiled.append(operations)
        compile_it(self, sources, target, operations, options)

    monkeypatch.setattr(Compiler, "shared_object", counted)
    first, other = (Kernels(model, find_compiler(), Tolerance()) for model in (arm, damped))
    for name, count in {"mass_matrix": 1, "residual": 3}.items():
        assert first[name].signature.inputs == other[name].signature.inputs
        assert len(compiled) == count
    numbers = [np.full(size, 0.3) for size in first["mass_matrix"].signature.input_sizes]
    np.testing.assert_array_equal(first["mass_matrix"].first(*numbers), other["mass_matrix"].first(*numbers))


def test_sources_are_not_kept(filled: Path) -> None:
    assert {file.name for entry in entries(filled) for file in entry.iterdir()} == {"code.so", "meta.json"}
    assert not leftovers(filled)


def test_several_processes_can_compile_at_once(
    filled: Path, tmp_path: Path, angle: float, shelved_compiler: str | None, environment: Callable[..., dict[str, str]]
) -> None:
    folder = tmp_path / "cache"
    variables = environment(MYODYNE_CACHE=str(folder), MYODYNE_COMPILER=shelved_compiler)
    racers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SIMULATE],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for racer in racers:
        out, trouble = racer.communicate(timeout=120)
        assert racer.returncode == 0, trouble
        compiled, found = json.loads(out)
        assert compiled
        assert found == pytest.approx(angle, abs=1e-12)
    assert [entry.name for entry in entries(folder)] == [entry.name for entry in entries(filled)]
    assert not leftovers(folder)


# ---- damage -------------------------------------------------------------------------------------------------


def changed_meta(entry: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    file = entry / "meta.json"
    meta = json.loads(file.read_text())
    file.write_text(json.dumps(change(meta)))


def truncated_code(entry: Path) -> None:
    code = (entry / "code.so").read_bytes()
    (entry / "code.so").write_bytes(code[: len(code) // 2])


def garbage_code(entry: Path) -> None:
    (entry / "code.so").write_bytes(b"\x00garbage" * 500)


def garbage_code_with_its_own_sum(entry: Path) -> None:
    garbage_code(entry)
    code = (entry / "code.so").read_bytes()
    changed_meta(entry, lambda meta: {**meta, "sha256": store.fingerprint(code, meta)})


def no_code(entry: Path) -> None:
    (entry / "code.so").unlink()


def no_meta(entry: Path) -> None:
    (entry / "meta.json").unlink()


def truncated_meta(entry: Path) -> None:
    text = (entry / "meta.json").read_text()
    (entry / "meta.json").write_text(text[: len(text) // 2])


def meta_of_another_kind(entry: Path) -> None:
    (entry / "meta.json").write_text("[1, 2, 3]")


def meta_that_is_not_text(entry: Path) -> None:
    (entry / "meta.json").write_bytes(b"\xff\xfe\x00\x80")


def meta_without_its_fields(entry: Path) -> None:
    changed_meta(entry, lambda meta: {"sha256": meta["sha256"]})


def meta_with_wrong_sizes(entry: Path) -> None:
    """Sizes that are too small would let the code write beyond its buffers."""
    changed_meta(
        entry, lambda meta: {**meta, "inputs": [], "outputs": [], "work": [0, 0, 0, 0]} if "work" in meta else meta
    )


def empty_folder(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.mkdir()


def file_instead_of_folder(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.write_text("not a folder")


DAMAGES = (
    truncated_code,
    garbage_code,
    garbage_code_with_its_own_sum,
    no_code,
    no_meta,
    truncated_meta,
    meta_of_another_kind,
    meta_that_is_not_text,
    meta_without_its_fields,
    meta_with_wrong_sizes,
    empty_folder,
    file_instead_of_folder,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_entries_are_rebuilt(
    folder: Path, python: Callable[..., Any], angle: float, damage: Callable[[Path], None]
) -> None:
    names = [entry.name for entry in entries(folder)]
    for entry in entries(folder):
        damage(entry)
    compiled, found = python(SIMULATE, MYODYNE_CACHE=str(folder))
    assert compiled
    assert found == pytest.approx(angle, abs=1e-12)
    assert [entry.name for entry in entries(folder)] == names
    for entry in entries(folder):
        assert store_reads(folder, entry.name), f"{entry.name} is still damaged"
        if entry_is_kernel(entry):
            assert json.loads((entry / "meta.json").read_text())["work"] != [0, 0, 0, 0]


def entry_is_kernel(entry: Path) -> bool:
    return "name" in json.loads((entry / "meta.json").read_text())


def store_reads(folder: Path, key: str) -> bool:
    before = os.environ.get("MYODYNE_CACHE")
    os.environ["MYODYNE_CACHE"] = str(folder)
    try:
        return store.find(key) is not None
    finally:
        if before is None:
            del os.environ["MYODYNE_CACHE"]
        else:
            os.environ["MYODYNE_CACHE"] = before


# ---- private ------------------------------------------------------------------------------------------------

needs_modes = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no modes of files")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@needs_modes
def test_the_folder_is_private(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mode(filled) == 0o700
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path / "new" / "deeper"))
    assert store.cache_folder() == tmp_path / "new" / "deeper"
    assert mode(tmp_path / "new" / "deeper") == 0o700


@needs_modes
@pytest.mark.parametrize("open_mode", [0o770, 0o777, 0o702])
def test_a_folder_that_others_could_write_is_made_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_mode: int
) -> None:
    tmp_path.chmod(open_mode)
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    assert store.cache_folder() == tmp_path
    assert mode(tmp_path) == 0o700


@needs_modes
def test_a_folder_of_someone_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    assert store.cache_folder() != tmp_path
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to others")
def test_code_of_someone_else_is_not_run(folder: Path, python: Callable[..., Any], angle: float) -> None:
    """Whoever could write into the folder before it was made private may have left code there."""
    for entry in entries(folder):
        for path in (*entry.iterdir(), entry):
            os.chown(path, 12345, 12345)
    folder.chmod(0o777)
    assert python(SIMULATE, MYODYNE_CACHE=str(folder))[1] == pytest.approx(angle, abs=1e-12)
    assert {path.stat().st_uid for entry in entries(folder) for path in (*entry.iterdir(), entry)} == {os.getuid()}


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path, python: Callable[..., Any], angle: float) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    for place in (blocked, blocked / "below"):
        compiled, found = python(SIMULATE, MYODYNE_CACHE=str(place))
        assert compiled
        assert found == pytest.approx(angle, abs=1e-12)
    assert blocked.read_text() == "in the way"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, python: Callable[..., Any], angle: float
) -> None:
    tmp_path.chmod(0o500)
    compiled, found = python(SIMULATE, MYODYNE_CACHE=str(tmp_path))
    tmp_path.chmod(0o700)
    assert compiled
    assert found == pytest.approx(angle, abs=1e-12)
    assert not list(tmp_path.iterdir())


# ---- bounded ------------------------------------------------------------------------------------------------


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    return tmp_path


def built(key: str, size: int) -> store.Entry:
    def make(target: Path) -> dict[str, Any]:
        target.write_bytes(b"x" * size)
        (target.parent / "code.c").write_text("source")
        return {"made": key}

    return store.build(key, make)


def test_entries_are_kept_and_found(own_cache: Path) -> None:
    entry = built("one", 1000)
    assert entry.meta["made"] == "one"
    assert entry.library.read_bytes() == b"x" * 1000
    assert store.find("one") == entry
    assert store.find("two") is None
    assert store.key_of("a", "b") != store.key_of("ab", "")
    assert [path.name for path, _, _ in store.entries()] == ["one"]


def test_the_least_recently_used_go_first(own_cache: Path) -> None:
    now = time.time()
    for number, key in enumerate("abcd"):
        built(key, 10_000)
        os.utime(own_cache / key, (now - 1000 + number, now - 1000 + number))
    assert store.find("a") is not None  # used again: now the youngest
    store.trim(largest=25_000)
    assert sorted(path.name for path in entries(own_cache)) == ["a", "d"]
    store.trim(largest=10**9)
    assert sorted(path.name for path in entries(own_cache)) == ["a", "d"]
    store.trim(largest=0)
    assert not entries(own_cache)


def test_building_keeps_the_cache_within_its_bound(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.LARGEST_CACHE <= 2e9
    now = time.time()
    for number in range(5):
        built(f"old{number}", 10_000)
        os.utime(own_cache / f"old{number}", (now - 100 + number, now - 100 + number))
    # The bound is the default of trim's argument.
    monkeypatch.setattr(store.trim, "__defaults__", (None, 35_000))
    built("soon", 10_000)
    assert len(list(entries(own_cache))) == 6, "the cache was looked through a moment ago"
    (own_cache / "soon").rename(own_cache / ".soon")
    os.utime(own_cache / ".trimmed", (now - 3600, now - 3600))
    built("new", 10_000)
    assert sorted(path.name for path in entries(own_cache)) == ["new", "old3", "old4"]


def test_workshops_of_crashed_processes_are_cleared_after_a_day(own_cache: Path) -> None:
    old, young = own_cache / ".abc-old", own_cache / ".abc-young"
    for workshop in (old, young):
        workshop.mkdir()
        (workshop / "code.c").write_text("half")
    long_ago = time.time() - 2 * 86_400
    os.utime(old, (long_ago, long_ago))
    store.trim()
    assert not old.exists()
    assert young.exists()


def test_a_failed_build_leaves_nothing(own_cache: Path) -> None:
    def make(target: Path) -> dict[str, Any]:
        target.write_bytes(b"half")
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        store.build("one", make)
    assert not list(own_cache.iterdir())


def test_the_cache_can_be_cleared(own_cache: Path) -> None:
    for key in ("one", "two"):
        built(key, 1000)
    count, size = store.clear()
    assert count == 2
    assert size >= 2000
    assert not entries(own_cache)
    assert store.clear() == (0, 0)


def test_workshops_of_killed_processes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "_tidied", set())
    # No process has so high a number on Linux or macOS.
    gone, own, young = (tmp_path / f".12345678-{owner}-abc" for owner in ("99999999", str(os.getpid()), "99999998"))
    for folder in (gone, own, young):
        folder.mkdir()
    hours_ago = time.time() - 7200.0
    for folder in (gone, own):
        os.utime(folder, (hours_ago, hours_ago))
    store.remember("a" * 40, {"x": 1})
    assert [folder.exists() for folder in (gone, own, young)] == [False, True, True]


def test_a_full_disk_falls_back_to_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "_full", [])
    tried = []

    def make(library: Path) -> dict[str, int]:
        tried.append(library)
        if library.is_relative_to(tmp_path):
            raise OSError(errno.ENOSPC, "No space left on device")
        library.write_bytes(b"code")
        return {}

    entry = store.build("b" * 40, make)
    assert len(tried) == 2
    assert entry.library.read_bytes() == b"code"
    assert store.find("b" * 40) is not None
