"""Models of mechanics lessons: pendulums, chains, a free body, a top. Their answers are known in closed form."""

from __future__ import annotations

from typing import Any

from myodyne.errors import ModelError
from myodyne.model.bodies import Body, Inertia, Marker
from myodyne.model.joints import ball, free, pin, universal
from myodyne.model.model import Model
from myodyne.model.part import Vector

# Lessons and published examples compute with this value, not with the standard 9.80665.
LESSON_GRAVITY: Vector = (0.0, -9.81, 0.0)
_MOST_LINKS = 1000


def _thin_rod(length: float, mass: float) -> Body:
    """Return a uniform rod that hangs from its origin along -y: m l²/12 across, nothing along."""
    across = mass * length**2 / 12
    return Body(mass=mass, centre_of_mass=(0.0, -length / 2, 0.0), inertia=Inertia(xx=across, zz=across))


def _thick_rod(length: float, mass: float) -> Body:
    """Return a solid cylinder, its radius a twentieth of its length, that hangs from its origin along -y.

    A rod without thickness has no inertia about its own axis, and a joint that twists it no unique motion.
    """
    radius = length / 20
    across, along = mass * (3 * radius**2 + length**2) / 12, mass * radius**2 / 2
    return Body(mass=mass, centre_of_mass=(0.0, -length / 2, 0.0), inertia=Inertia(xx=across, yy=along, zz=across))


def pendulum() -> Model:
    """Return a uniform rod of 1 m and 1 kg on a pin: small swings have ω² = 3g/(2l) = 1.5 g.

    Examples
    --------
    >>> list(pendulum().coordinates)
    ['angle']
    """
    return Model(
        name="pendulum",
        source="A uniform rod, 1 m and 1 kg, on a pin: angle is zero when it hangs, small swings have an angular "
        "frequency of sqrt(3 g / 2 l). The one-segment model of Selbie 1989; gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies={"rod": _thin_rod(1.0, 1.0)},
        joints={"pivot": pin("ground", "rod", "angle", default_speed=1.0)},
        markers={"tip": Marker(body="rod", at=(0.0, -1.0, 0.0))},
    )


def double_pendulum() -> Model:
    """Return two uniform rods of 1 m and 1 kg in a plane; ``angle2`` counts from the first rod.

    Examples
    --------
    >>> list(double_pendulum().coordinates)
    ['angle1', 'angle2']
    """
    return Model(
        name="double_pendulum",
        source="Two uniform rods, each 1 m and 1 kg, in the x-y plane; angle1 counts from the vertical, angle2 from "
        "the first rod. Textbook mechanism; gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies={"rod1": _thin_rod(1.0, 1.0), "rod2": _thin_rod(1.0, 1.0)},
        joints={
            "pivot": pin("ground", "rod1", "angle1", default=1.0),
            "hinge": pin({"body": "rod1", "at": (0.0, -1.0, 0.0)}, "rod2", "angle2", default=0.5),
        },
        markers={"tip": Marker(body="rod2", at=(0.0, -1.0, 0.0))},
    )


def double_pendulum_3d() -> Model:
    """Return two cylinders of 1 m and 1 kg in space: a universal joint carries the first, a ball joint the second.

    The ball joint turns about x, z and then the rod's own y: it is singular where ``swing2_z`` is a right angle.

    Examples
    --------
    >>> list(double_pendulum_3d().coordinates)
    ['swing1_x', 'swing1_z', 'swing2_x', 'swing2_z', 'twist2']
    """
    return Model(
        name="double_pendulum_3d",
        source="Two solid cylinders, each 1 m and 1 kg with a radius of 0.05 m; the first hangs on a universal joint "
        "(x, z), the second on a ball joint (x, z, then its own axis y). Textbook mechanism; gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies={"rod1": _thick_rod(1.0, 1.0), "rod2": _thick_rod(1.0, 1.0)},
        joints={
            "pivot": universal(
                "ground",
                "rod1",
                ("swing1_x", "swing1_z"),
                ("x", "z"),
                swing1_x={"default": 0.3},
                swing1_z={"default": 0.8},
            ),
            "hinge": ball(
                {"body": "rod1", "at": (0.0, -1.0, 0.0)},
                "rod2",
                ("swing2_x", "swing2_z", "twist2"),
                "xzy",
                swing2_x={"default": 0.4},
                swing2_z={"default": -0.3},
                twist2={"default_speed": 2.0},
            ),
        },
        markers={"tip": Marker(body="rod2", at=(0.0, -1.0, 0.0))},
    )


def chain(links: int = 5, *, length: float = 1.0, mass: float = 1.0, spatial: bool = False) -> Model:
    """Return a chain of equal uniform rods that hangs from a pin, with coordinates ``q1`` to ``qn``.

    Parameters
    ----------
    links : int
        Number of rods.
    length : float
        Length of each rod (m).
    mass : float
        Mass of each rod (kg).
    spatial : bool
        Turn the pins about x, y, z, x, ... and give the rods a thickness (radius = length / 20), instead of thin
        rods that all turn about z.

    Examples
    --------
    >>> list(chain(3).bodies)
    ['link1', 'link2', 'link3']
    """
    if isinstance(links, bool) or not isinstance(links, int) or not 1 <= links <= _MOST_LINKS:
        raise ModelError(f"a chain has 1 to {_MOST_LINKS} links, not {links!r}")
    if not (length > 0 and mass > 0):
        raise ModelError(f"the links of a chain need a positive length and mass, not {length!r} m and {mass!r} kg")
    bodies, joints = {}, {}
    for number in range(1, links + 1):
        bodies[f"link{number}"] = _thick_rod(length, mass) if spatial else _thin_rod(length, mass)
        parent: Any = {"body": f"link{number - 1}", "at": (0.0, -length, 0.0)} if number > 1 else "ground"
        axis = "xyz"[(number - 1) % 3] if spatial else "z"
        joints[f"pin{number}"] = pin(parent, f"link{number}", f"q{number}", axis, default=0.3)
    shape = "thin rods in a plane"
    if spatial:
        shape = "solid cylinders (radius = length / 20) on pins about x, y, z in turn"
    return Model(
        name="chain",
        source=f"{links} equal uniform links, each {length:g} m and {mass:g} kg: {shape}; all angles are zero when it "
        "hangs. Textbook mechanism; gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies=bodies,
        joints=joints,
        markers={"tip": Marker(body=f"link{links}", at=(0.0, -length, 0.0))},
    )


def free_body() -> Model:
    """Return a book that tumbles in the absence of gravity: a spin about its middle axis turns over and over.

    The middle axis is x, the first of the sequence xyz, and the long axis z: so the tumbling stays away from the
    singular attitude (``turn_y`` reaches 26 degrees, and the singularity is at 90).

    Examples
    --------
    >>> free_body().gravity
    (0.0, 0.0, 0.0)
    """
    mass, width, thickness, height = 1.0, 0.16, 0.04, 0.24
    inertia = Inertia(
        xx=mass * (thickness**2 + height**2) / 12,
        yy=mass * (width**2 + height**2) / 12,
        zz=mass * (width**2 + thickness**2) / 12,
    )
    return Model(
        name="free_body",
        source="A book, 1 kg, 0.16 m along x, 0.04 m along y, 0.24 m along z, without gravity: rotation free of "
        "torque. It spins about its middle principal axis, slightly disturbed (Euler's unstable rotation).",
        gravity=(0.0, 0.0, 0.0),
        bodies={"book": Body(mass=mass, inertia=inertia)},
        joints={
            "flight": free(
                "ground",
                "book",
                ("book_x", "book_y", "book_z", "turn_x", "turn_y", "turn_z"),
                "xyz",
                turn_x={"default_speed": 6.0},
                turn_y={"default_speed": 0.02},
            )
        },
        markers={
            "edge_x": Marker(body="book", at=(width / 2, 0.0, 0.0)),
            "edge_y": Marker(body="book", at=(0.0, thickness / 2, 0.0)),
            "edge_z": Marker(body="book", at=(0.0, 0.0, height / 2)),
        },
    )


def spinning_top() -> Model:
    """Return a solid cone that spins on its tip, leaning, fast enough to precess.

    It turns about x, z and then its own axis y: regular upright, singular only where ``tilt_z`` lays it flat.

    Examples
    --------
    >>> list(spinning_top().coordinates)
    ['tilt_x', 'tilt_z', 'spin']
    """
    mass, radius, height = 0.2, 0.05, 0.06
    across, along = 3 * mass * (4 * radius**2 + height**2) / 80, 3 * mass * radius**2 / 10
    return Model(
        name="spinning_top",
        source="A solid cone on its tip, 0.2 kg, 0.05 m in radius and 0.06 m high (moments of inertia of a cone: "
        "3 m r2 / 10 along, 3 m (4 r2 + h2) / 80 across, centre at 3 h / 4), spinning at 150 rad/s. Textbook "
        "mechanism; gravity 9.81 m/s2.",
        gravity=LESSON_GRAVITY,
        bodies={
            "top": Body(
                mass=mass, centre_of_mass=(0.0, 0.75 * height, 0.0), inertia=Inertia(xx=across, yy=along, zz=across)
            )
        },
        joints={
            "tip": ball(
                "ground",
                "top",
                ("tilt_x", "tilt_z", "spin"),
                "xzy",
                tilt_z={"default": 0.3},
                spin={"default_speed": 150.0},
            )
        },
        markers={
            "axis_end": Marker(body="top", at=(0.0, height, 0.0)),
            "rim": Marker(body="top", at=(radius, height, 0.0)),
        },
    )
