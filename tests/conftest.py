"""What holds for all tests: those that need a C compiler are skipped, with that reason, where there is none.

Workers take turns of neighbouring tests, which share models, and find the routines that drive kernels compiled.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Generator
from typing import Any

import pytest

from myodyne.equations import Equations
from myodyne.errors import MyodyneError
from myodyne.native.compiler import find_compiler
from myodyne.native.libraries import LIBRARIES, library_file

# What opens a browser opens nothing here.
os.environ.setdefault("BROWSER", "true")
# Most models of the tests run once: the compiler would take longer to optimise them than they run.
os.environ.setdefault("MYODYNE_OPTIMISATION", "1")
# Workers share the cores: threads of linear algebra in each of them would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if "MYODYNE_SESSIONS" not in os.environ:
    # Studios that tests start leave the sessions of the user alone; workers inherit the folder.
    os.environ["MYODYNE_SESSIONS"] = tempfile.mkdtemp(prefix="myodyne-sessions-")
    atexit.register(shutil.rmtree, os.environ["MYODYNE_SESSIONS"], ignore_errors=True)

pytest_plugins = ("support.browser", "support.printed", "support.processes", "support.studios")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Give workers long runs of tests, unless another way is asked for, and compile once what they all need.

    A shell starts what runs in its background deaf to Ctrl-C, and so would be workers and the processes that tests start.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not getattr(config.option, "numprocesses", None) or hasattr(config, "workerinput"):
        return
    if config.option.dist == "no":
        config.option.dist = "worksteal"
    compiler = find_compiler()
    if compiler is not None:
        for library in LIBRARIES:
            library_file(library, compiler)


def _skip_without_compiler(error: MyodyneError) -> None:
    if "no C compiler was found" in str(error) and find_compiler() is None:
        pytest.skip("needs a C compiler, and this machine has none")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    try:
        return (yield)
    except MyodyneError as error:
        _skip_without_compiler(error)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    try:
        return (yield)
    except MyodyneError as error:
        _skip_without_compiler(error)
        raise


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate equations without compiling them: for models so small that compiling would take most of the time."""
    original = Equations.__init__

    def without_compiler(self: Equations, model: Any, _compiled: bool | None = None, *rest: Any) -> None:
        original(self, model, False, *rest)

    monkeypatch.setattr(Equations, "__init__", without_compiler)
