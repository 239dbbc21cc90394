"""Mechanisms with constraints that are kept: sliding blocks, a body on moving ground, linkages with a loop."""

from __future__ import annotations

import math
from typing import Any

from myodyne.errors import ModelError
from myodyne.library.anthropometry import PlanarSegment, winter_segments
from myodyne.library.mechanisms import LESSON_GRAVITY
from myodyne.library.mobility import radians, tidy
from myodyne.model.actuators import CoordinateActuator
from myodyne.model.bodies import Body, Inertia, Marker, Placement
from myodyne.model.constraints import CouplerConstraint, PointConstraint, SpeedConstraint
from myodyne.model.forces import PointForce
from myodyne.model.functions import Constant
from myodyne.model.joints import Axis, Joint, pin, slider
from myodyne.model.model import Model

Point = tuple[float, float]

# The angle of the slope in Winter's example, whose numbers 0.707 and 1.414 come from it.
_SLOPE = math.pi / 4
# The bars of the linkages weigh this much for each metre (kg/m); their source gives lengths only.
_BAR_MASS = 1.0


def sliding_blocks() -> Model:
    """Return a block on the slope of a wedge that itself slides on level ground, without friction.

    ``wedge`` is q1 of the source, ``slide`` is q2, down the slope, and ``lift`` is q3, away from the slope. The
    constraint ``contact`` keeps the block on the slope; its torque is the force (N) between the two.

    Examples
    --------
    >>> list(sliding_blocks().coordinates)
    ['wedge', 'slide', 'lift']
    """
    along, across = (math.cos(_SLOPE), math.sin(_SLOPE)), (-math.sin(_SLOPE), math.cos(_SLOPE))
    top, thickness = 1.0, 0.1
    return Model(
        name="sliding_blocks",
        source="Winter 2009, equation 8.12 and figure 8.2: a block on a slope of 45 degrees of a wedge that slides on "
        "level ground. Masses (2 and 1 kg), the length d1 of the slope (1 m) and the height d2 of the block's centre "
        "above it (0.1 m) are chosen: the source has letters. Gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies={"wedge_block": Body(mass=2.0), "sliding_block": Body(mass=1.0)},
        joints={
            "floor": slider("ground", "wedge_block", "wedge", "x"),
            "slope": Joint(
                parent=Placement(body="wedge_block", at=(tidy(top * along[0]), tidy(top * along[1]), 0.0)),
                child=Placement(body="sliding_block"),
                coordinates={"slide": {}, "lift": {"default": thickness}},
                axes=(
                    Axis(motion="translation", direction=(-along[0], -along[1], 0.0), function="slide"),
                    Axis(motion="translation", direction=(*across, 0.0), function="lift"),
                ),
            ),
        },
        constraints={"contact": CouplerConstraint(coordinate="lift", function=Constant(value=thickness))},
    )


def three_segment_balance(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a standing person of three segments, legs as one, on ground that moves sideways under the feet.

    ``base`` is where the ankles are. The constraint ``platform`` moves them at a constant speed (``platform.speed``,
    zero in the file); ground with a constant acceleration ``a`` is the same model with ``gravity.x = -a``, seen
    from the ground. The angles are those of `jumper_skeleton`: zero upright, dorsiflexion and hip flexion
    positive, knee flexion negative. ``hip_push`` is a horizontal force (N) on the hips.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> list(three_segment_balance().coordinates)
    ['base', 'ankle', 'knee', 'hip']
    """
    sized = winter_segments(mass, height)
    shank, thigh, hat = sized["shank"], sized["thigh"], sized["hat"]
    turns = {"ankle": (-50, 40, 3), "knee": (-135, 5, -4), "hip": (-30, 120, 3)}
    options: dict[str, Any] = {
        name: {"default": radians(default), "range": (radians(low), radians(high))}
        for name, (low, high, default) in turns.items()
    }
    return Model(
        name="three_segment_balance",
        source="Winter 2009, section 8.6 and figure 8.5: leg, thigh and trunk in balance over ankles that the ground "
        "moves, with a horizontal force on the hip. Masses, centres of mass and radii of gyration: Winter 2009, table "
        "4.1; lengths: Drillis and Contini 1966 (Winter 2009, figure 4.1); both legs as one; body mass "
        f"{mass:g} kg, height {height:g} m. The pose, slightly bent, is chosen. Gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies={
            "leg": _standing(shank, shank.length - shank.centre, 2),
            "thigh": _standing(thigh, thigh.length - thigh.centre, 2),
            "trunk": _standing(hat, hat.centre, 1),
        },
        joints={
            "stance": Joint(
                parent=Placement(body="ground"),
                child=Placement(body="leg"),
                coordinates={"base": {}, "ankle": options["ankle"]},
                axes=(
                    Axis(motion="translation", direction="x", function="base"),
                    Axis(motion="rotation", direction="-z", function="ankle"),
                ),
            ),
            "knee": pin(
                {"body": "leg", "at": (0.0, tidy(shank.length), 0.0)}, "thigh", "knee", "-z", **options["knee"]
            ),
            "hip": pin({"body": "thigh", "at": (0.0, tidy(thigh.length), 0.0)}, "trunk", "hip", "-z", **options["hip"]),
        },
        markers={
            "ankle_centre": Marker(body="leg"),
            "knee_centre": Marker(body="thigh"),
            "hip_centre": Marker(body="trunk"),
            "shoulder_centre": Marker(body="trunk", at=(0.0, tidy(hat.length), 0.0)),
        },
        forces={
            **{f"{name}_motor": CoordinateActuator(coordinate=name) for name in turns},
            "hip_push": PointForce(body="trunk", force=(1.0, 0.0, 0.0), controlled=True),
        },
        constraints={"platform": SpeedConstraint(coordinate="base", speed=0.0)},
    )


def _standing(segment: PlanarSegment, centre: float, count: int) -> Body:
    """Return ``count`` equal segments as one body that stands on its origin, its centre of mass that high."""
    return Body(
        mass=tidy(count * segment.mass),
        centre_of_mass=(0.0, tidy(centre), 0.0),
        inertia=tidy(count * segment.inertia),
    )


def four_bar() -> Model:
    """Return three bars between two fixed points; the last end of the chain is kept there by ``loop``.

    ``theta1``, ``theta2`` and ``theta3`` are the joint variables of the source, zero where the bars lie along x.
    ``coupler_centre`` is the point whose height the source takes as the generalised coordinate, ``p`` its output.

    Examples
    --------
    >>> list(four_bar().constraints)
    ['loop']
    """
    base, lengths = 5.0, (2.0, 4.0, math.sqrt(5.0))
    first = 0.9
    elbow = (lengths[0] * math.cos(first), lengths[0] * math.sin(first))
    joint = two_bars(elbow, (base, 0.0), lengths[1], lengths[2], left=True)
    return _linkage(
        "four_bar",
        "Ehsani, table 1 and equation 121: l0 = 5, l1 = 2, l2 = 4, l3 = sqrt 5, centre of the second bar at 2, p at "
        "sqrt 5 / 2 along the third bar (its middle).",
        base,
        lengths,
        [(0.0, 0.0), elbow, joint, (base, 0.0)],
        {
            "coupler_centre": Marker(body="bar2", at=(2.0, 0.0, 0.0)),
            "p": Marker(body="bar3", at=(tidy(math.sqrt(5.0) / 2), 0.0, 0.0)),
        },
    )


def five_bar() -> Model:
    """Return four bars between two fixed points, two degrees of freedom; ``loop`` keeps the last end in place.

    ``theta1`` and ``theta2`` are the generalised coordinates of the source.

    Examples
    --------
    >>> list(five_bar().coordinates)
    ['theta1', 'theta2', 'theta3', 'theta4']
    """
    base, lengths = 3.0, (1.0, 1.0, 3.0, 3.0)
    first, second = 1.2, 0.5
    one = (lengths[0] * math.cos(first), lengths[0] * math.sin(first))
    two = (one[0] + lengths[1] * math.cos(first + second), one[1] + lengths[1] * math.sin(first + second))
    joint = two_bars(two, (base, 0.0), lengths[2], lengths[3], left=True)
    return _linkage(
        "five_bar",
        "Ehsani, table 2 and equation 123: l0 = 3, l1 = l2 = 1, l3 = l4 = 3, lp = 2. The text does not say which bar "
        "bears p; here the third.",
        base,
        lengths,
        [(0.0, 0.0), one, two, joint, (base, 0.0)],
        {"p": Marker(body="bar3", at=(2.0, 0.0, 0.0))},
    )


def _linkage(
    name: str, source: str, base: float, lengths: tuple[float, ...], points: list[Point], markers: dict[str, Marker]
) -> Model:
    """Return uniform bars from the origin to a fixed point at ``base`` (m) on x, drawn up through ``points``."""
    bodies, joints, before = {}, {}, 0.0
    for number, length in enumerate(lengths, start=1):
        mass = _BAR_MASS * length
        across = tidy(mass * length**2 / 12)
        bodies[f"bar{number}"] = Body(
            mass=tidy(mass), centre_of_mass=(tidy(length / 2), 0.0, 0.0), inertia=Inertia(yy=across, zz=across)
        )
        start, end = points[number - 1], points[number]
        turn = math.atan2(end[1] - start[1], end[0] - start[0])
        parent: Any = "ground"
        if number > 1:
            parent = {"body": f"bar{number - 1}", "at": (tidy(lengths[number - 2]), 0.0, 0.0)}
        joints[f"joint{number}"] = pin(parent, f"bar{number}", f"theta{number}", default=tidy(turn - before))
        before = turn
    last = len(lengths)
    return Model(
        name=name,
        source=f"{source} Lengths are taken as metres; the bars are uniform and weigh {_BAR_MASS:g} kg/m, which is "
        "chosen, as is the pose. Gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies=bodies,
        joints=joints,
        markers=markers,
        constraints={
            "loop": PointConstraint(
                first=Marker(body=f"bar{last}", at=(tidy(lengths[-1]), 0.0, 0.0)),
                second=Marker(body="ground", at=(base, 0.0, 0.0)),
                axes="xy",
            )
        },
    )


def two_bars(start: Point, end: Point, first: float, second: float, *, left: bool) -> Point:
    """Return where two bars of given lengths (m) meet that lead from ``start`` to ``end``.

    Parameters
    ----------
    start, end : tuple of float
        Ends of the pair of bars (m).
    first, second : float
        Lengths (m) of the bars, the one at ``start`` first.
    left : bool
        Whether they meet on the left of the line from start to end, or on its right.

    Examples
    --------
    >>> two_bars((0.0, 0.0), (4.0, 0.0), 2.5, 2.5, left=True)
    (2.0, 1.5)
    """
    across, up = end[0] - start[0], end[1] - start[1]
    distance = math.hypot(across, up)
    if not abs(first - second) < distance < first + second:
        raise ModelError(f"bars of {first:g} and {second:g} m cannot span {distance:g} m")
    along = (first**2 - second**2 + distance**2) / (2 * distance)
    aside = math.sqrt(first**2 - along**2) * (1.0 if left else -1.0)
    return (
        start[0] + (along * across - aside * up) / distance,
        start[1] + (along * up + aside * across) / distance,
    )
