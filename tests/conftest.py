"""What holds for all tests: those that need a C compiler are skipped, with that reason, where there is none."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from myodyne.equations.compile import find_compiler
from myodyne.errors import MyodyneError


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
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
    try:
        return (yield)
    except MyodyneError as error:
        _skip_without_compiler(error)
        raise
