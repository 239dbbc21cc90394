"""Two walkers that Winter's review of forward solutions describes: seven segments in the plane, nine in space.

Structure after Winter 2009, section 8.1. The book prints no numbers for them: masses, lengths and radii are those of
its chapter 4, and all other numbers are ours; the ``source`` of each model says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from myodyne.library import anthropometry, mobility
from myodyne.library.anthropometry import PlanarSegment, winter_segments
from myodyne.library.mobility import Turn, tidy
from myodyne.library.skeletons import flat_foot
from myodyne.model.actuators import CoordinateActuator
from myodyne.model.bodies import Body, Inertia, Marker, Placement
from myodyne.model.contacts import ContactPoint
from myodyne.model.forces import Force, JointLimit, TorsionSpring
from myodyne.model.joints import Joint, free, pin, planar
from myodyne.model.model import Model
from myodyne.model.part import Vector

_SIZES = (
    "Masses, centres of mass and radii of gyration: Winter 2009, table 4.1; lengths: Drillis and Contini 1966 (Winter "
    "2009, figure 4.1); body mass {mass:g} kg, height {height:g} m. "
)
_SIDES = {"r": 1.0, "l": -1.0}
_LEG = (Turn("hip", "z", -30, 120, 220), Turn("knee", "z", -135, 5, 220), Turn("ankle", "z", -50, 40, 160))
_HIP = (
    Turn("hip_flexion", "z", -30, 120, 0),
    Turn("hip_adduction", "x", -45, 30, 0),
    Turn("hip_rotation", "y", -45, 45, 0),
)
_KNEE = (Turn("knee", "z", -135, 2, 0),)
_ANKLE = (Turn("ankle", "z", -50, 35, 0), Turn("inversion", "x", -20, 30, 0))
_TOES = (Turn("toe_bend", "z", -30, 60, 0),)

# Ours: about the long axis, limbs as a share of the other moments of inertia, the upper body as a share of its height.
_LIMB_AXIAL, _HAT_AXIAL = 0.15, 0.075
# Ours: share of the foot's mass in front of the metatarsal heads; half the width of a foot (m) for a stature of 1 m.
_TOE_MASS, _HALF_FOOT = 0.2, 0.025
# Ours: springs (N m/rad) and dampers (N m s/rad) of the joints; springs (N/m) and dampers (s/m) of the soles.
_HIP_SPRING, _DAMPER = 10.0, 1.5
_LIMIT, _LIMIT_CURVATURE = 200.0, 3000.0
_SOLE, _SOLE_DISSIPATION = 2.5e4, 1.0


def onyshko_winter(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a planar walker of seven segments: two feet, two legs, two thighs, and head, arms and trunk as one.

    After Onyshko and Winter (1980, J. Biomech. 13, 361-368), as Winter 2009, section 8.1, describes it: sagittal pins
    at all joints, rigid feet, moments of the joints (N m) as controls. ``heel`` and ``ball`` of each foot bear on the
    ground.

    Examples
    --------
    >>> walker = onyshko_winter()
    >>> len(walker.bodies), len(walker.coordinates), len(walker.controls)
    (7, 9, 6)
    """
    sized = winter_segments(mass, height)
    hat = sized["hat"]
    bodies = {"hat": Body(mass=tidy(hat.mass), centre_of_mass=(0.0, tidy(hat.centre), 0.0), inertia=tidy(hat.inertia))}
    hip_height = tidy(anthropometry.HIP_HEIGHT * height)
    joints = {"root": planar("ground", "hat", ("hip_x", "hip_y", "lean"), hip_y={"default": hip_height})}
    forces: dict[str, Force] = {}
    heel, ball, _, centre = flat_foot(height)
    for side in _SIDES:
        parent, at = "hat", (0.0, 0.0, 0.0)
        for turn, segment in zip(_LEG, ("thigh", "shank", "foot"), strict=True):
            turn, body, size = turn.on(side), f"{segment}_{side}", sized[segment]
            place: Vector = centre if segment == "foot" else (0.0, tidy(-size.centre), 0.0)
            bodies[body] = Body(mass=tidy(size.mass), centre_of_mass=place, inertia=tidy(size.inertia))
            joints[turn.coordinate] = pin({"body": parent, "at": at}, body, turn.coordinate, "z", **turn.options)
            forces[f"{turn.coordinate}_moment"] = CoordinateActuator(coordinate=turn.coordinate)
            parent, at = body, (0.0, tidy(-size.length), 0.0)
        for name, point in (("heel", heel), ("ball", ball)):
            forces[f"{name}_{side}"] = _sole(f"foot_{side}", point, 2.0 * _SOLE)
    return Model(
        name="onyshko_winter",
        source=_SIZES.format(mass=mass, height=height) + "Seven planar segments as Onyshko and Winter 1980 (in Winter "
        "2009, section 8.1). Ranges and contacts with the ground are ours.",
        bodies=bodies,
        joints=joints,
        forces=forces,
        markers={
            "hip_centre": Marker(body="hat"),
            "shoulder_centre": Marker(body="hat", at=(0.0, tidy(hat.length), 0.0)),
        },
    )


def gilchrist_winter(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a walker of nine segments in space: the upper body, thighs, legs, and feet of two parts.

    After Gilchrist and Winter (1996, J. Biomech. 29, 795-798; 1997, IEEE Trans. Rehab. Eng. 5, 290-299), as Winter
    2009, section 8.1, describes it: springs that stiffen hold knees, ankles and toes within their ranges, linear
    springs the hips, dampers act at all joints, and an array of springs and dampers bears each foot. Moments of the
    joints (N m) are controls.

    Examples
    --------
    >>> walker = gilchrist_winter()
    >>> len(walker.bodies), len(walker.coordinates), len(walker.controls)
    (9, 20, 14)
    """
    sized = winter_segments(mass, height)
    hat = sized["hat"]
    axial = hat.mass * (_HAT_AXIAL * height) ** 2
    bodies = {"hat": _rod(hat, (0.0, tidy(hat.centre), 0.0), axial)}
    names = ("hip_x", "hip_y", "hip_z", "tilt", "list", "rotation")
    hip_height = tidy(anthropometry.HIP_HEIGHT * height)
    joints: dict[str, Joint] = {"root": free("ground", "hat", names, "zxy", hip_y={"default": hip_height})}
    forces: dict[str, Force] = {}
    for side in _SIDES:
        bodies.update(_limb(sized, height, side))
        for parent, at, child, turns in _plan(sized, height, side):
            joints[f"{child}_joint"] = _turning(parent, at, child, turns)
            for turn in turns:
                forces.update(_joint_forces(turn, hip=turns[0].coordinate.startswith("hip")))
        forces.update(_array(height, side))
    return Model(
        name="gilchrist_winter",
        source=_SIZES.format(mass=mass, height=height) + "Nine segments in space with feet of two parts on springs and "
        "dampers, as Gilchrist and Winter 1996 and 1997 (in Winter 2009, section 8.1). Moments of inertia about long "
        "axes, the split of the foot, its width, ranges, springs and dampers of joints and soles are ours.",
        bodies=bodies,
        joints=joints,
        forces=forces,
        markers={
            "hip_middle": Marker(body="hat"),
            "shoulder_middle": Marker(body="hat", at=(0.0, tidy(hat.length), 0.0)),
        },
    )


def _rod(segment: PlanarSegment, centre: Vector, axial: float) -> Body:
    across = tidy(segment.inertia)
    return Body(mass=tidy(segment.mass), centre_of_mass=centre, inertia=Inertia(xx=across, yy=tidy(axial), zz=across))


def _limb(sized: dict[str, PlanarSegment], height: float, side: str) -> dict[str, Body]:
    bodies = {
        f"{name}_{side}": _rod(sized[name], (0.0, tidy(-sized[name].centre), 0.0), _LIMB_AXIAL * sized[name].inertia)
        for name in ("thigh", "shank")
    }
    foot = sized["foot"]
    heel, ball, tip, centre = flat_foot(height)
    toes, toe_middle = _TOE_MASS * foot.mass, (tip[0] + ball[0]) / 2
    # The two parts together have the mass and the centre of Winter's foot.
    rear = foot.mass - toes
    middle = (foot.mass * centre[0] - toes * toe_middle) / rear
    spread = rear * ((ball[0] - heel[0]) / 4) ** 2
    bodies[f"foot_{side}"] = Body(
        mass=tidy(rear),
        centre_of_mass=(tidy(middle), centre[1], 0.0),
        inertia=Inertia(xx=tidy(0.3 * spread), yy=tidy(spread), zz=tidy(spread)),
    )
    flat = toes * (tip[0] - ball[0]) ** 2 / 12
    bodies[f"toes_{side}"] = Body(
        mass=tidy(toes),
        centre_of_mass=(tidy(toe_middle - ball[0]), 0.0, 0.0),
        inertia=Inertia(xx=tidy(flat), yy=tidy(2 * flat), zz=tidy(flat)),
    )
    return bodies


def _plan(
    sized: dict[str, PlanarSegment], height: float, side: str
) -> Iterator[tuple[str, Vector, str, tuple[Turn, ...]]]:
    """Yield the joints of a leg: parent, place, child, turns."""
    hip: Vector = (0.0, 0.0, tidy(_SIDES[side] * anthropometry.HALF_HIP_WIDTH * height))
    below = {name: (0.0, tidy(-sized[name].length), 0.0) for name in ("thigh", "shank")}
    _, ball, _, _ = flat_foot(height)
    plan = (
        ("hat", hip, "thigh", _HIP),
        (f"thigh_{side}", below["thigh"], "shank", _KNEE),
        (f"shank_{side}", below["shank"], "foot", _ANKLE),
        (f"foot_{side}", ball, "toes", _TOES),
    )
    for parent, at, child, turns in plan:
        yield parent, at, f"{child}_{side}", tuple(turn.on(side) for turn in turns)


def _turning(parent: str, at: Vector, child: str, turns: tuple[Turn, ...]) -> Joint:
    return Joint(
        parent=Placement(body=parent, at=at),
        child=Placement(body=child),
        coordinates={turn.coordinate: turn.part for turn in turns},
        axes=[{"motion": "rotation", "direction": turn.axis, "function": turn.coordinate} for turn in turns],
    )


def _joint_forces(turn: Turn, *, hip: bool) -> dict[str, Force]:
    name = turn.coordinate
    spring = TorsionSpring(coordinate=name, stiffness=_HIP_SPRING if hip else 0.0, damping=_DAMPER)
    forces: dict[str, Force] = {f"{name}_moment": CoordinateActuator(coordinate=name), f"{name}_tissue": spring}
    if not hip:
        forces[f"{name}_range"] = JointLimit(
            coordinate=name,
            lower=mobility.radians(turn.lowest),
            upper=mobility.radians(turn.highest),
            stiffness=_LIMIT,
            curvature=_LIMIT_CURVATURE,
            transition=0.05,
        )
    return forces


def _array(height: float, side: str) -> dict[str, Force]:
    """Return the springs and dampers below a foot: three pairs behind the metatarsal heads, one below the toes."""
    heel, ball, tip, _ = flat_foot(height)
    width = tidy(_HALF_FOOT * height)
    rows = {"heel": heel[0], "middle": (heel[0] + ball[0]) / 2, "ball": ball[0]}
    forces: dict[str, Force] = {}
    for edge, across in (("inner", -width), ("outer", width)):
        z = tidy(_SIDES[side] * across)
        for name, along in rows.items():
            forces[f"{name}_{edge}_{side}"] = _sole(f"foot_{side}", (tidy(along), heel[1], z), _SOLE)
        forces[f"toe_{edge}_{side}"] = _sole(f"toes_{side}", (tidy(tip[0] - ball[0]), 0.0, z), _SOLE)
    return forces


def _sole(body: str, at: Vector, stiffness: float) -> ContactPoint:
    return ContactPoint(
        body=body, at=at, stiffness=stiffness, dissipation=_SOLE_DISSIPATION, friction=0.8, transition=0.002
    )
