"""When a simulation is recorded, and when it stops in between to look for events."""

from __future__ import annotations

import numpy as np

from myodyne.errors import ModelError
from myodyne.numerics.schemes import Projected, Scheme
from myodyne.numerics.stepping.steps import equal_steps
from myodyne.types import Floats

# Samples that a simulation records by default, and the most that can be asked for.
_USUAL_INTERVAL, _FEWEST, _MOST, _LIMIT = 0.01, 100, 10_000, 10_000_000
# Shorter steps than this part of the duration do not move the clock.
_SMALLEST_STEP = 1e-15
# Between samples a march stops to look for events as often as this (s), and after this many equal steps at the latest.
_LOOK_OUT, _MOST_STEPS, _MOST_STOPS = 0.01, 100, 1_000_000


def sample_times(duration: float, scheme: Scheme, every: float | None) -> Floats:
    """Return the times (s) to record, the start left out and the end included."""
    step = _step_of(scheme)
    if step is not None and step < _SMALLEST_STEP * duration:
        raise ModelError(f"a step of {step:g} s is lost in the rounding of {duration:g} s; take a longer one")
    if every is None:
        if step is not None:
            every = step * max(1, int(np.ceil(duration / step / _MOST)))
        else:
            every = min(max(_USUAL_INTERVAL, duration / _MOST), duration / _FEWEST)
    elif duration / every > _LIMIT:
        raise ModelError(f"'every' {every:g} s asks for {duration / every:.2g} samples; the most are {_LIMIT:.0e}")
    count = max(1, int(np.ceil(duration / every - 1e-9)))
    times = every * np.arange(1, count + 1, dtype=float)
    times[-1] = duration
    return times


def stops(times: Floats, scheme: Scheme, watched: bool) -> Floats:
    """Return the sample times and, between them, those at which Ctrl-C is heard and events are looked for."""
    step, duration = _step_of(scheme), float(times[-1])
    if step is None and not watched:
        return times
    begins = np.concatenate([[0.0], times[:-1]])
    # All intervals are as long as the first, but the last may be shorter.
    inner = [
        (begins[chosen, None] + _within(float(times[chosen][0] - begins[chosen][0]), step, duration, watched)).ravel()
        for chosen in (slice(0, -1), slice(-1, None))
        if len(times[chosen])
    ]
    return np.union1d(times, np.concatenate(inner))


def _within(width: float, step: float | None, duration: float, watched: bool) -> Floats:
    """Return the stops inside one interval of that width (s), from its beginning."""
    if step is None:
        parts, together = np.ceil(width / max(_LOOK_OUT, duration / _MOST_STOPS) - 1e-9), 1.0
    else:
        # Whole steps: looking must not change the motion.
        parts = equal_steps(width, step)
        together = min(max(_LOOK_OUT // (width / parts), 1.0), _MOST_STEPS) if watched else _MOST_STEPS
        together = max(together, np.ceil(parts / width * duration / _MOST_STOPS))
    found: Floats = np.arange(together, parts, together) * (width / parts)
    return found


def _step_of(scheme: Scheme) -> float | None:
    """Return the length (s) of equal steps, None where the error chooses them."""
    step: float | None = getattr(scheme.scheme if isinstance(scheme, Projected) else scheme, "step", None)
    return step
