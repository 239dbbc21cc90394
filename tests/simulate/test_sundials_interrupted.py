"""Ctrl-C during BDF and Adams: the run ends as interrupted, with what was computed."""

from __future__ import annotations

import signal
import sys
import threading

import pytest

import myodyne as my


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between threads")
@pytest.mark.parametrize("scheme", [my.BDF(relative=1e-10, absolute=1e-10), my.Adams(relative=1e-10, absolute=1e-10)])
def test_control_c_ends_as_interrupted(scheme: my.BDF | my.Adams) -> None:
    model = my.chain(2)
    my.simulate(model, 0.01, scheme=scheme)
    seen = threading.Event()

    def press() -> None:
        if seen.wait(20.0):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    presser = threading.Thread(target=press, daemon=True)
    presser.start()
    # Long enough that the signal comes while the solver computes; the first rows say that it does.
    run = my.simulate(model, 2000.0, scheme=scheme, every=0.05, watch=lambda _rows: seen.set())
    presser.join()
    assert run.report.status == "interrupted"
    assert 0.0 < run.time[-1] < 2000.0


def test_the_handler_of_control_c_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    my.simulate(my.load_model("pendulum"), 0.1, scheme=my.BDF())
    assert signal.getsignal(signal.SIGINT) is before
