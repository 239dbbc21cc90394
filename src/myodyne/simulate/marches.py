"""The march of a scheme: what carries a model through time."""

from __future__ import annotations

import numpy as np

from myodyne.equations import Equations
from myodyne.errors import ModelError
from myodyne.march.collocated import CollocatedMarch
from myodyne.march.marching import NativeMarch, library_of, march_for
from myodyne.march.stepping import Line, MarchSteps, NativeSteps, Steps
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import (
    BDF,
    TRBDF2,
    Adams,
    BackwardEuler,
    Midpoint,
    Projected,
    Radau,
    Rosenbrock,
    Scheme,
)
from myodyne.numerics.stepping.march import March
from myodyne.simulate.constrained import ImplicitMarch, ProjectedMarch
from myodyne.simulate.sundials import SundialsMarch


def prepare(scheme: Scheme, equations: Equations) -> None:
    """Compile side by side what a simulation by a scheme calls, as far as it is not in the cache."""
    equations.system.prepare(library_of(scheme))


def march_of(scheme: Scheme, equations: Equations, controls: PiecewisePolynomial) -> March:
    """Return the march that carries the states named in ``equations.marched`` through time."""
    if equations.exact_paths and library_of(scheme) != "explicit":
        raise ModelError(
            f"exact paths over surfaces march by explicit schemes, such as my.DOP853(), not by {scheme!r}: derivatives "
            "of their moment arms are not known"
        )
    parameters = equations.numbers
    if isinstance(scheme, Projected):
        return ProjectedMarch(march_of(scheme.scheme, equations, controls), equations, controls)
    if isinstance(scheme, Adams | BDF):
        return SundialsMarch(scheme, equations, controls, parameters)
    if isinstance(scheme, BackwardEuler | Radau):
        return CollocatedMarch(scheme, equations, controls, parameters)
    march = march_for(scheme, equations.system, controls, parameters)
    if isinstance(scheme, Midpoint | TRBDF2 | Rosenbrock):
        size = len(equations.coordinates)
        return ImplicitMarch(march, size, len(equations.multipliers), len(equations.motion) - 2 * size)
    return march


def steps_of(scheme: Scheme, equations: Equations, length: float) -> Steps:
    """Return steps of a length (s), taken by the march of the scheme with controls that each step is given."""
    line = Line(len(equations.controls), length)
    march = march_of(scheme, equations, line.signals)
    inner = march.march if isinstance(march, ImplicitMarch) else march
    if not isinstance(inner, NativeMarch):
        return MarchSteps(march, line, len(equations.states))
    if isinstance(march, ImplicitMarch):
        kept, moving, single = march.kept, march.moving, step_of(scheme) == length
    else:
        # Explicit marches carry the motion and the work, and provide no rates.
        kept, moving, single = np.arange(inner.size), np.zeros(len(equations.states), dtype=np.intp), False
    return NativeSteps(inner, line, kept, moving, single)


def step_of(scheme: Scheme) -> float | None:
    """Return the length (s) of the equal steps of a scheme, None where the error chooses them."""
    inner = scheme.scheme if isinstance(scheme, Projected) else scheme
    step: float | None = getattr(inner, "step", None)
    return step
