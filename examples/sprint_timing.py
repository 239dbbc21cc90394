"""When should a sprint cyclist switch the muscles on and off? Run it with

    python examples/sprint_timing.py [evaluations]

Each muscle of the cyclist of ``what_if_insertion.py`` is on once per revolution, at 120 revolutions a minute. The
script seeks the twelve instants at which power is greatest by CMA-ES, from those of that script on, and prints them.
The movement of greatest power with excitations that may do anything is the problem ``sprint_cycling``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from what_if_insertion import ON, REVOLUTION, cyclist, excitation, mean_power

import myodyne as my

# How far the instants may move from those of the start (parts of a revolution).
AROUND = 0.25


@dataclass(frozen=True)
class Bursts:
    """Excitations that are on once per revolution; their numbers are called ``soleus.on`` and ``soleus.off``."""

    usual: Mapping[str, tuple[float, float]] = field(default_factory=lambda: dict(ON))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers."""
        return tuple(f"{name}.{when}" for name in self.usual for when in ("on", "off"))

    def controls(self, values: Mapping[str, float]) -> dict[str, my.Signal]:
        """Return the excitations; a muscle whose burst ends before it begins stays at zero."""
        made = {}
        for name, (on, off) in self.usual.items():
            start, end = values.get(f"{name}.on", on), values.get(f"{name}.off", off)
            made[name] = excitation(start, min(end, start + 0.9)) if end > start + 0.01 else my.constant(0.0)
        return made

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"kind": "bursts", "usual": dict(self.usual)}


def power(run: my.Result) -> float:
    """Return the power (W) of both legs."""
    return -2 * mean_power(run, "drive.power")


def timing_study(model: my.Model | None = None) -> my.Study:
    """Return the study: twelve instants (parts of a revolution), and the power that follows from them."""
    instants = {f"{name}.{when}": at for name, both in ON.items() for when, at in zip(("on", "off"), both, strict=True)}
    return my.Study(
        cyclist() if model is None else model,
        vary={name: (at - AROUND, at + AROUND) for name, at in instants.items()},
        measure=power,
        duration=3 * REVOLUTION,
        controls=Bursts(),
        scheme=my.DOP853(relative=1e-5, absolute=1e-5),
        every=0.005,
    )


def main(evaluations: int = 600) -> None:
    """Print the best instants."""
    found = my.search(timing_study(), my.CMA(seed=1), maximise="power", evaluations=evaluations)
    print(f"{found.history[0]:.0f} W at first, {found.value:.0f} W after {found.evaluations} evaluations")
    for name in ON:
        print(f'    "{name}": ({found.best[f"{name}.on"]:.3f}, {found.best[f"{name}.off"]:.3f}),')


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
