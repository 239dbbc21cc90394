"""When should a sprint cyclist switch the muscles on and off? Run it with

    python examples/sprint_timing.py [evaluations] [cadence ...]

Each muscle of the cyclist of ``what_if_insertion.py`` is on once per revolution, at 120 revolutions a minute. The
script seeks the twelve instants at which power is greatest by CMA-ES, from those of that script on, and prints them.
With cadences (revolutions a minute) it does so at each of them, from the instants of the one before. The movement of
greatest power with excitations that may do anything is the problem ``sprint_cycling`` (``sprint_power.py``).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from what_if_insertion import ON, cyclist, excitation, mean_power

import myodyne as my

# How far the instants may move from those of the start (parts of a revolution).
AROUND = 0.25
CADENCE = 120.0  # revolutions a minute

Bursting = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Bursts:
    """Excitations that are on once per revolution; their numbers are called ``soleus.on`` and ``soleus.off``."""

    usual: Bursting = field(default_factory=lambda: dict(ON))
    cadence: float = CADENCE

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers."""
        return tuple(f"{name}.{when}" for name in self.usual for when in ("on", "off"))

    def controls(self, values: Mapping[str, float]) -> dict[str, my.Signal]:
        """Return the excitations; a muscle whose burst ends before it begins stays at zero."""
        made, revolution = {}, 60.0 / self.cadence
        for name, (on, off) in self.usual.items():
            start, end = values.get(f"{name}.on", on), values.get(f"{name}.off", off)
            on_at_all = end > start + 0.01
            made[name] = excitation(start, min(end, start + 0.9), revolution) if on_at_all else my.constant(0.0)
        return made

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"kind": "bursts", "usual": dict(self.usual), "cadence": self.cadence}


def power(run: my.Result) -> float:
    """Return the power (W) of both legs."""
    return -2 * mean_power(run, "drive.power")


def timing_study(cadence: float = CADENCE, usual: Bursting = ON) -> my.Study:
    """Return the study: twelve instants (parts of a revolution), and the power that follows from them."""
    whens = ("on", "off")
    instants = {f"{name}.{when}": at for name, both in usual.items() for when, at in zip(whens, both, strict=True)}
    return my.Study(
        cyclist().free("drive.speed").with_values({"drive.speed": -2 * math.pi * cadence / 60}),
        vary={name: (at - AROUND, at + AROUND) for name, at in instants.items()},
        measure=power,
        duration=3 * 60.0 / cadence,
        controls=Bursts(usual, cadence),
        scheme=my.DOP853(relative=1e-5, absolute=1e-5),
        every=0.6 / cadence,
    )


def main(evaluations: int = 600, *cadences: float) -> None:
    """Print the best instants, at 120 revolutions a minute or at each cadence."""
    usual: Bursting = ON
    for cadence in cadences or (CADENCE,):
        study = timing_study(cadence, usual)
        found = my.search(study, my.CMA(seed=1, spread=0.1), maximise="power", evaluations=evaluations)
        line = f"{found.history[0]:.0f} W at first, {found.value:.0f} W after {found.evaluations} evaluations"
        print(f"cadence {cadence:g}: {line}" if cadences else line, flush=True)
        usual = {name: (found.best[f"{name}.on"], found.best[f"{name}.off"]) for name in ON}
        if not cadences:
            for name, (on, off) in usual.items():
                print(f'    "{name}": ({on:.3f}, {off:.3f}),')


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
