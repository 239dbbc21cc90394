"""C libraries: every file has one, files are shared, and a simulation compiles what its scheme needs."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from myodyne.native import libraries
from myodyne.native.compiler import Compiler, find_compiler
from myodyne.native.libraries import LIBRARIES, library_file, library_sources, unbuilt_objects

NATIVE = Path(libraries.__file__).parent
# Prints the C files that the first simulation of a process compiles.
FIRST_RUN = """
import myodyne as my
from myodyne.native.compiler import Compiler

compiled, make = [], Compiler.object_file
Compiler.object_file = lambda self, source, *rest: (compiled.append(source.name), make(self, source, *rest))[1]
my.simulate(my.load_model("pendulum"), 0.1, scheme=my.{scheme})
print(*sorted(compiled))
"""


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """The compiler, with an empty cache."""
    found = find_compiler()
    if found is None:
        pytest.skip("needs a C compiler")
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    # A compiler of its own, so that libraries found before are not remembered.
    return Compiler(found.command, str(tmp_path))


def names(library):
    return {file.name for file in library_sources(library) if file.suffix == ".c"}


def test_every_c_file_belongs_to_a_library():
    assert {file.name for file in NATIVE.rglob("*.c")} == set().union(*map(names, LIBRARIES))


def test_headers_of_a_library_are_among_its_sources():
    assert {"march.h", "lanes.h"} <= {file.name for file in library_sources("linear")}
    assert {"march.h", "wrapping.h"} <= {file.name for file in library_sources("wrapping")}


def test_a_file_is_compiled_once_for_all_libraries_that_hold_it(compiler):
    explicit = ctypes.CDLL(str(library_file("explicit", compiler)))
    assert explicit.march_explicit
    assert not hasattr(explicit, "march_body_derivative")
    assert not unbuilt_objects("explicit", compiler)
    left = {job.source.name for job in unbuilt_objects("implicit", compiler)}
    assert left == names("implicit") - names("explicit")


@pytest.mark.parametrize(("scheme", "library"), [("DOP853()", "explicit"), ("Midpoint(step=0.01)", "implicit")])
def test_a_first_simulation_compiles_the_files_of_its_scheme_alone(compiler, tmp_path, scheme, library):
    environment = {**os.environ, "MYODYNE_CACHE": str(tmp_path)}
    script = [sys.executable, "-c", FIRST_RUN.format(scheme=scheme)]
    done = subprocess.run(script, capture_output=True, text=True, check=True, env=environment)
    extra = names("body") if library == "implicit" else set()
    assert set(done.stdout.split()) == names(library) | names("calls") | extra
    assert len(done.stdout.split()) == len(set(done.stdout.split()))
