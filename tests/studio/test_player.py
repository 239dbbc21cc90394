"""A run of the studio that takes too long is stopped, with what to do about it."""

from __future__ import annotations

import pytest

from myodyne.studio import player
from myodyne.studio.session import opened


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_a_slow_run_is_stopped_and_names_the_remedy(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "find_compiler", lambda: "cc" if compiled else None)
    monkeypatch.setattr(player, "MOST_SECONDS" if compiled else "MOST_SECONDS_INTERPRETED", 0.0)
    done: list[player.Played] = []
    worker = player.Player(done.append)
    worker.play(opened("jump"))
    worker.wait()
    worker.close()
    assert "stopped after 0 s: shorten the duration" in done[-1].failure
    assert ('pip install "myodyne[compiler]"' in done[-1].failure) is not compiled
