"""Families of cases of which the default run takes some, and the long run all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(every: int, cases: Iterable[Any]) -> list[Any]:
    """Return all cases for ``parametrize``: the first of every so many for each run, the others for the long one."""
    return [
        case if number % every == 0 else pytest.param(*_values(case), marks=pytest.mark.long)
        for number, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
