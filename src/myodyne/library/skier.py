"""A planar person on skis above a slope: gait2d in boots, with skis that bend."""

from __future__ import annotations

import math

from myodyne.library.gait2d import SIDES, gait2d
from myodyne.library.mobility import tidy
from myodyne.model.bodies import Body, Marker, Placement
from myodyne.model.contacts import ContactPoint
from myodyne.model.forces import Drag, Force, TorsionSpring
from myodyne.model.joints import Joint, pin, weld
from myodyne.model.model import Model
from myodyne.model.part import Vector

_SOURCE = (
    "The skier of van den Bogert, Blana and Heinrich 2011 (Procedia IUTAM 2, 297-316, section 4.4) is described there "
    "in words only: the planar gait model with air drag, skis that bend, and a nearly frictionless slope. Skeleton and "
    "muscles are those of gait2d. All numbers of boots, skis, snow and air are chosen."
)

SLOPE = math.radians(20.0)
# Half of the density of the air (1.2 kg/m3) times a drag area of 0.4 m2 (kg/m): 96 N at 20 m/s.
_DRAG = 0.24

# Of a boot, around a foot whose origin is the ankle.
_SHELL = Body(mass=2.0, centre_of_mass=(0.06, -0.04, 0.0), inertia=0.02)
_SOLE = -0.11
# Of each end of a ski: mass (kg), length (m), and places of its contacts from the hinge (m).
_ENDS = {
    "shovel": (1.8, 0.95, 0.2, (0.45, 0.9)),
    "tail": (1.4, -0.7, -0.1, (-0.35, -0.65)),
}


def skier() -> Model:
    """Return a planar person on skis in the air above a slope of 20° that falls forwards.

    Coordinates and muscles are those of `gait2d`; on each side ``shovel_bend`` and ``tail_bend`` (rad) are how far the
    two ends of the ski turn at the boot, the shovel upwards and the tail downwards. ``right_shovel_ski``,
    ``right_tail_ski`` and the like are the springs that resist it, ``right_cuff`` is that of the boot.

    Examples
    --------
    >>> model = skier()
    >>> len(model.coordinates), len(model.muscles)
    (13, 16)
    """
    model = gait2d()
    bodies: dict[str, Body] = {}
    joints: dict[str, Joint] = {}
    markers: dict[str, Marker] = {}
    forces: dict[str, Force] = {
        "drag": Drag(body="trunk", at=(0.0, 0.3, 0.0), coefficient=_DRAG),
    }
    for side in SIDES:
        bodies[f"{side}_boot"] = _SHELL
        joints[f"{side}_fit"] = weld(f"{side}_foot", f"{side}_boot")
        forces[f"{side}_cuff"] = TorsionSpring(coordinate=f"{side}_ankle", stiffness=400.0, rest=0.3, damping=8.0)
        for name, at in (("heel", (-0.1, _SOLE, 0.0)), ("toe", (0.2, _SOLE, 0.0))):
            forces[f"{side}_{name}"] = _snow(f"{side}_foot", at)
        for end, (mass, length, hinge, places) in _ENDS.items():
            ski, bend = f"{side}_{end}", f"{side}_{end}_bend"
            bodies[ski] = Body(mass=mass, centre_of_mass=(length / 2, 0.0, 0.0), inertia=tidy(mass * length**2 / 12))
            joints[bend] = pin({"body": f"{side}_foot", "at": (hinge, _SOLE, 0.0)}, ski, bend, "z")
            forces[f"{side}_{end}_ski"] = TorsionSpring(coordinate=bend, stiffness=800.0, damping=8.0)
            markers[f"{ski}_tip"] = Marker(body=ski, at=(length, 0.0, 0.0))
            for number, place in enumerate(places, start=1):
                forces[f"{side}_{end}_snow_{number}"] = _snow(ski, (place, 0.0, 0.0))
    changed = model.with_parts(bodies=bodies, joints=joints, markers=markers, forces=forces)
    return changed.model_copy(update={"name": "skier", "source": _SOURCE})


def _snow(body: str, at: Vector) -> ContactPoint:
    return ContactPoint(
        body=body,
        at=at,
        plane=Placement(body="ground", orientation=(0.0, 0.0, tidy(-math.pi / 2 - SLOPE))),
        stiffness=1e4,
        dissipation=0.5,
        friction=0.05,
        transition=0.002,
        transition_velocity=0.1,
    )
