"""``myodyne bench``: runs the benchmarks that come with the package."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from myodyne.cli.guard import FAILED, ArgumentError
from myodyne.cli.speech import Json, complain, emit, say, show_table
from myodyne.errors import FileError, unknown_name

_PREFIX = "bench_"


def bench(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The benchmark to run; by default all of them.")
    ] = None,
    only_list: Annotated[bool, typer.Option("--list", help="List the benchmarks without running them.")] = False,
    as_json: Json = False,
) -> None:
    """Measure speed, against other programs where they are installed; exit code 1 if a target is missed."""
    folder = benchmark_folder()
    found = benchmarks(folder)
    if only_list:
        titles = {key: _title(file) for key, file in found.items()}
        if as_json:
            emit({"benchmarks": titles})
        else:
            show_table("Benchmarks", ("name", "what it measures"), list(titles.items()))
        return
    chosen = list(found) if name is None else [name.removeprefix(_PREFIX)]
    for key in chosen:
        if key not in found:
            raise ArgumentError(unknown_name("benchmark", key, found))
    rows: dict[str, list[dict[str, Any]]] = {}
    failed: dict[str, str] = {}
    for key in chosen:
        say(f"Running {key} ...")
        try:
            rows[key] = run_benchmark(found[key])
        except Exception as error:
            # One benchmark that cannot run, for want of a peer or by a fault, must not hide the others.
            failed[key] = _reason(error)
            complain(f"{key}: {failed[key]}")
        else:
            if not as_json:
                show_table(f"{key}: {_title(found[key])}", _HEADINGS, map(_cells, rows[key]))
    if as_json:
        emit({"benchmarks": rows, "failed": failed})
    missed = [row for table in rows.values() for row in table if row.get("met") is False]
    if failed or missed:
        raise typer.Exit(FAILED)


def benchmark_folder() -> Path:
    """Return the folder of the benchmarks: inside an installed package, at the top of a work tree."""
    packaged = Path(str(files("myodyne") / "benchmarks"))
    if packaged.is_dir():
        return packaged
    repository = Path(__file__).resolve().parents[3]
    beside = repository / "benchmarks"
    if beside.is_dir() and (repository / "pyproject.toml").is_file():
        return beside
    raise FileError(f"there are no benchmarks, neither in '{packaged}' nor in '{beside}'; reinstall the package")


def benchmarks(folder: Path) -> dict[str, Path]:
    """Return the files of the benchmarks by name."""
    return {file.stem.removeprefix(_PREFIX): file for file in sorted(folder.glob(f"{_PREFIX}*.py"))}


def run_benchmark(file: Path) -> list[dict[str, Any]]:
    """Return the rows of one benchmark."""
    with _importable(file.parent):
        spec = importlib.util.spec_from_file_location(file.stem, file)
        if spec is None or spec.loader is None:
            raise FileError(f"{file}: cannot be loaded as a Python module")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        rows: list[dict[str, Any]] = module.run()
    return rows


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let benchmarks import what stands beside them."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _title(file: Path) -> str:
    """Return the first line of a benchmark's docstring, without running it: its peer may not be installed."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return docstring.splitlines()[0] if docstring else ""


def _reason(error: Exception) -> str:
    if isinstance(error, ImportError) and error.name:
        return f"needs '{error.name}', which is not installed; pip install 'myodyne[bench]'"
    return f"{type(error).__name__}: {error}"


_HEADINGS = ("what", ">ours", ">peer", "unit", "peer is", ">ratio", ">target", "met")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    met = {True: "yes", False: "NO", None: ""}[row.get("met")]
    return (
        str(row["what"]),
        _amount(row.get("ours")),
        _amount(row.get("peer")),
        str(row.get("unit") or ""),
        str(row.get("peer_name") or ""),
        _amount(row.get("ratio")),
        str(row.get("target") or ""),
        met,
    )


def _amount(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
