"""Where short simulations end: the march alone, without a record, outputs or an audit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from myodyne.equations import Equations
from myodyne.errors import SimulationError
from myodyne.numerics.schemes import Scheme
from myodyne.simulate.failures import REASONS
from myodyne.simulate.marches import march_of, prepare
from myodyne.simulate.motions import motion_signals, prescribed_controls, state_on_constraints
from myodyne.simulate.reporting.ranges import range_ends, refuse_outside
from myodyne.simulate.signals import Control, merged
from myodyne.types import Floats


def motion_after(
    equations: Equations, duration: float, start: Floats, controls: Mapping[str, Control], scheme: Scheme
) -> Floats:
    """Return the states named in ``equations.motion`` after ``duration`` (s): those of `simulate`, at less cost.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.equations_of(my.load_model("pendulum"))
    >>> end = motion_after(rod, 0.1, rod.state({"angle": 0.5}), {}, my.DOP853())
    >>> run = my.simulate(rod, 0.1, start={"angle": 0.5}, scheme=my.DOP853())
    >>> float(abs(end - [run.final[name] for name in rod.motion]).max()) < 1e-9
    True
    """
    prepare(scheme, equations)
    model, ends = equations.model, range_ends(equations.model)
    refuse_outside(ends, dict(zip(equations.motion, start.tolist(), strict=False)))
    # A little further than the end, so that there is nothing special about it.
    prescribed, _ = prescribed_controls(equations, controls, 1.01 * duration)
    signals = merged({**prescribed, **controls, **motion_signals(model, 1.01 * duration)}, equations.controls)
    if equations.multipliers:
        start, _ = state_on_constraints(equations, start, frozenset(equations.motion), signals(0.0), None)
    advance = march_of(scheme, equations, signals).advance(0.0, np.append(start, 0.0), np.array([duration]))
    if advance.failure is not None:
        reason = REASONS[advance.failure]
        raise SimulationError(f"the simulation of '{model.name}' stopped at {advance.last_time:.6g} s: {reason}")
    found = advance.states[-1, : len(equations.motion)]
    for end in ends:
        low, high = end.limits
        if not low <= found[equations.motion.index(end.output)] <= high:
            raise SimulationError(f"the simulation of '{model.name}' stopped before {duration:.6g} s: {end.reason}")
    return found
