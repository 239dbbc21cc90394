"""Ctrl-C inside blocks that react to it, and around them."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from myodyne.interrupts import finishing, reacting


def test_the_reaction_decides_and_the_handler_is_put_back() -> None:
    before, heard = signal.getsignal(signal.SIGINT), []
    with reacting(lambda _usual: heard.append(True)):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    assert heard == [True, True]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_usual_effect_is_at_hand() -> None:
    def react(usual: Callable[[], object]) -> None:
        usual()

    with pytest.raises(KeyboardInterrupt), reacting(react):
        signal.raise_signal(signal.SIGINT)


def test_a_block_is_finished_first() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), finishing():
        signal.raise_signal(signal.SIGINT)
        done.append(True)
    assert done


def test_pressed_twice_the_block_stops() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), finishing():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append(True)
    assert not done
