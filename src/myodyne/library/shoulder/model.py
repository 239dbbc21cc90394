"""The shoulder girdle with its rhythm, an arm, and fourteen muscles."""

from __future__ import annotations

import numpy as np

from myodyne.library.shoulder.muscles import shoulder_muscles
from myodyne.library.shoulder.rhythm import (
    AXIAL,
    ELEVATION,
    ELEVATIONS,
    PLANE,
    PLANES,
    clavicle_turns,
    scapula_turns,
)
from myodyne.model.actuators import CoordinateActuator
from myodyne.model.bodies import Body, Inertia, Marker, Placement
from myodyne.model.joints import Joint, weld
from myodyne.model.model import Model
from myodyne.model.orientation import oriented

_SOURCE = (
    "Rhythm: de Groot and Brand 2001 (Clin. Biomech. 16, 735-743). Joints, masses and muscles: the Dynamic Arm "
    "Simulator das4_v4 (Aberdeen Biomechanical Engineering, MIT licence); 57 of its elements in 14 groups, lengths as "
    "polynomials of the arm's angles, fitted here. After the shoulder of Ehsani, section 4-4-C. Axial rotation of the "
    "clavicle: the least turn of the acromioclavicular joint, after van der Helm. The arm is straight; the inertia of "
    "the hand is ours."
)
_CLAVICULAR_JOINT = (0.0014, -0.0152, 0.0028)
_ACROMIAL_JOINT = (0.2077, -0.0001, 0.0282)
_ARM_JOINT = (0.002, -0.023, -0.0439)
_ELBOW = (-0.0123, -0.2904, -0.0061)
_FOREARM = (0.02, -0.011503, -0.0004)
_WRIST = (0.025, -0.242, -0.018)


def shoulder(muscles: bool = True) -> Model:
    """Return a right shoulder: clavicle and scapula follow plane and elevation of the arm, fourteen muscles drive it.

    The thorax is the ground: x to the right, y up, z backwards. ``plane`` (0 to the side, 90 degrees forwards),
    ``elevation`` and ``axial_rotation`` are turns of the arm about y, z and y against the thorax. Clavicle and scapula
    have no coordinates of their own: their angles against the thorax are the regression of de Groot and Brand. Without
    ``muscles`` there are motors ``plane_motor``, ``elevation_motor`` and ``axial_rotation_motor`` (N m) instead.

    Examples
    --------
    >>> import myodyne as my
    >>> my.shoulder().moving
    ('plane', 'elevation', 'axial_rotation')
    >>> len(my.shoulder().muscles), my.shoulder(muscles=False).controls
    (14, ('plane_motor', 'elevation_motor', 'axial_rotation_motor'))
    """
    motors = {f"{name}_motor": CoordinateActuator(coordinate=name) for name in (PLANE, ELEVATION, AXIAL)}
    return Model(
        name="shoulder",
        source=_SOURCE,
        bodies=_bodies(),
        joints=_joints(),
        muscles=shoulder_muscles() if muscles else {},
        forces={} if muscles else motors,
        markers={
            "SC": Marker(body="ground", at=_CLAVICULAR_JOINT),
            "AC": Marker(body="clavicle", at=_ACROMIAL_JOINT),
            "GH": Marker(body="humerus"),
            "elbow_centre": Marker(body="ulna"),
            "wrist_centre": Marker(body="hand"),
        },
    )


def _joints() -> dict[str, Joint]:
    clavicle, scapula = clavicle_turns(), scapula_turns()
    arm = [("y", PLANE), ("z", ELEVATION), ("y", AXIAL)]
    ranges = {PLANE: PLANES, ELEVATION: ELEVATIONS, AXIAL: (-90.0, 90.0)}
    defaults = {PLANE: 45.0, ELEVATION: 10.0, AXIAL: -30.0}
    coordinates = {
        name: {"default": float(np.radians(defaults[name])), "range": tuple(np.radians(ranges[name]).tolist())}
        for name in (PLANE, ELEVATION, AXIAL)
    }
    on_scapula = Placement(body="scapula", at=_ARM_JOINT)
    return {
        "sternoclavicular": oriented(Placement(body="ground", at=_CLAVICULAR_JOINT), "clavicle", clavicle),
        "acromioclavicular": oriented(
            Placement(body="clavicle", at=_ACROMIAL_JOINT), "scapula", scapula, parent_turns=clavicle
        ),
        "glenohumeral": oriented(on_scapula, "humerus", arm, parent_turns=scapula, coordinates=coordinates),
        "elbow": weld(Placement(body="humerus", at=_ELBOW), "ulna"),
        "forearm": weld(Placement(body="ulna", at=_FOREARM), "radius"),
        "wrist": weld(Placement(body="radius", at=_WRIST), "hand"),
    }


def _bodies() -> dict[str, Body]:
    # The products of the clavicle's inertia are left out: as published they are not those of any body.
    rows = {
        "clavicle": (0.156, (0.0983, 0.0167, 0.0042), (6.4e-06, 2.63e-05, 2.43e-05)),
        "scapula": (0.7054, (-0.053, -0.0229, -0.0247), (0.001, 0.001, 0.001)),
        "humerus": (2.0519, (0.0064, -0.0776, -0.0036), (0.0132, 0.001988, 0.0132)),
        "ulna": (0.5464, (-0.0003, -0.0634, -0.0039), (0.0030585, 0.00045325, 0.0030585)),
        "radius": (0.5464, (0.0106, -0.1179, -0.0129), (0.0030585, 0.00045325, 0.0030585)),
        "hand": (0.5, (0.0, -0.06, 0.0), (0.0009, 0.0003, 0.0008)),
    }
    return {
        name: Body(mass=mass, centre_of_mass=centre, inertia=Inertia(xx=moments[0], yy=moments[1], zz=moments[2]))
        for name, (mass, centre, moments) in rows.items()
    }
