"""Mutated files over all readers: errors of ours or results, never a traceback from inside, a hang or a NaN."""

from __future__ import annotations

import pytest
from tests.support.fuzzing import fuzz


def test_mutated_files_are_read_or_refused() -> None:
    found = fuzz(80, seed=20)
    assert not found.failures, "\n".join(found.failures)
    # A corpus that is always refused, or never, would test nothing.
    assert min(found.counts["read"], found.counts["refused"]) > 10


@pytest.mark.long
def test_twenty_thousand_mutated_files_are_read_or_refused() -> None:
    found = fuzz(20_000, seed=1)
    assert not found.failures, "\n".join(found.failures[:20])
