"""How benchmarks measure and what they report: rows with both times, their ratio, and the target."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any], repeats: int = 7, calls: int = 1) -> float:
    """Return the time of one call, the best of several: noise only ever adds."""
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (time.perf_counter() - started) / calls)
    return best


def alternating(
    ours: Callable[[], Any], peer: Callable[[], Any], repeats: int = 7, calls: int = 1
) -> tuple[float, float]:
    """Return both times, measured in turns so that a slow spell of the machine hits both."""
    best = [float("inf"), float("inf")]
    for _ in range(repeats):
        for number, work in enumerate((ours, peer)):
            best[number] = min(best[number], seconds(work, 1, calls))
    return best[0], best[1]


def against(what: str, ours: float, peer: float, peer_name: str, at_least: float) -> dict[str, Any]:
    """Return the row of a comparison in which the peer's time over ours must reach ``at_least``."""
    ratio = peer / ours
    return {
        "what": what,
        "ours": ours * 1e6,
        "peer": peer * 1e6,
        "peer_name": peer_name,
        "unit": "µs",
        "ratio": ratio,
        "target": f"≥ {at_least:g}×",
        "met": ratio >= at_least,
    }


def below(what: str, ours: float, unit: str, limit: float) -> dict[str, Any]:
    """Return the row of a figure of ours that must stay below a limit."""
    return {
        "what": what,
        "ours": ours,
        "peer": None,
        "peer_name": None,
        "unit": unit,
        "ratio": None,
        "target": f"≤ {limit:g}",
        "met": ours <= limit,
    }


def figure(what: str, ours: float, unit: str) -> dict[str, Any]:
    """Return the row of a figure without a target."""
    return {
        "what": what,
        "ours": ours,
        "peer": None,
        "peer_name": None,
        "unit": unit,
        "ratio": None,
        "target": None,
        "met": None,
    }


def above(what: str, ours: float, unit: str, limit: float) -> dict[str, Any]:
    """Return the row of a figure of ours that must reach a limit."""
    return {**below(what, ours, unit, limit), "target": f"≥ {limit:g}", "met": ours >= limit}
