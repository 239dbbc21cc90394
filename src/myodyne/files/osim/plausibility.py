"""Numbers of a model that look wrong: bodies without mass, and fibres that do not fit their paths."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.skeleton.posture import DefaultPose, value_of
from myodyne.model import Model
from myodyne.model.paths import ConditionalPoint, FunctionPath, MovingPoint, Path

# Lengths that are this many times too long or short are a slip. Of 2000 published muscles all have
# fibres of 0.1 to 2.4 optimal lengths in the default pose, and paths of 0.4 to 1.5 times their lengths at rest.
_FACTOR = 3.0
_SHORTEST = -0.5


def suspect_masses(reading: Reading, model: Model, elements: Mapping[str, Element]) -> None:
    """Remark on bodies without mass, and by name on coordinates that move nothing else."""
    massless = [name for name, body in model.bodies.items() if body.mass == 0.0 and name in elements]
    # A model in which nothing has a mass gets a remark of its own.
    if not massless or len(massless) == len(model.bodies):
        return
    named = ", ".join(f"'{name}'" for name in massless[:6]) + (", ..." if len(massless) > 6 else "")
    several = f"one of {len(massless)} bodies without mass ({named})" if len(massless) > 1 else "has no mass"
    reading.suspect(elements[massless[0]], several)
    carried = {name: body.mass for name, body in model.bodies.items()}
    for name in reversed(model.tree):
        joint = model.joints[name]
        mass = carried[joint.child.body]
        if joint.parent.body in carried:
            carried[joint.parent.body] += mass
        moving = [coordinate for coordinate in joint.coordinates if coordinate in model.moving]
        if mass == 0.0 and moving and joint.child.body in elements:
            reading.suspect(
                elements[joint.child.body],
                f"neither it nor what it carries has a mass, so that the motion of '{moving[0]}' is not determined",
            )


def suspect_lengths(reading: Reading, model: Model, pose: DefaultPose, elements: Mapping[str, Element]) -> None:
    """Remark on muscles whose tendon and fibres are far from the length of their path in the default pose."""
    for name, muscle in model.muscles.items():
        slack, optimal = muscle.tendon_slack_length, muscle.optimal_fibre_length
        length = _length(muscle.path, pose)
        likely = length / _FACTOR <= slack + optimal <= length * _FACTOR
        if name in elements and not (likely and _SHORTEST <= (length - slack) / optimal <= _FACTOR):
            reading.suspect(
                elements[name],
                f"its path is {length:.3g} m long in the default pose, where its slack "
                f"tendon has {slack:.3g} m and its fibres {optimal:.3g} m at rest",
            )


def _length(path: Path, pose: DefaultPose) -> float:
    """Return the length of a path (m), surfaces not counted."""
    if isinstance(path, FunctionPath):
        return value_of(path.length, pose.values)
    line = []
    for point in path.points:
        if isinstance(point, ConditionalPoint):
            low, high = point.range
            if not low <= pose.values[point.coordinate] <= high:
                continue
        at = [value_of(function, pose.values) for function in point.at] if isinstance(point, MovingPoint) else point.at
        turn, origin = pose.places[point.body]
        with np.errstate(all="ignore"):
            line.append(origin + turn @ np.asarray(at))
    return sum(math.dist(one, other) for one, other in pairwise(line))
