"""A person in space with eighty muscles that walks: the subject of OpenSim's 3D walking example, made symmetric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from myodyne.library.gait3d.muscles import leg_muscles
from myodyne.library.gait3d.skeleton import (
    PELVIS,
    RANGES,
    SIDES,
    TOE_JOINT,
    TORSO,
    arm_joints,
    leg_joints,
    limb_bodies,
    middle_joints,
    place,
)
from myodyne.library.soles import RADIUS, sole_sphere
from myodyne.model.actuators import CoordinateActuator
from myodyne.model.bodies import Marker
from myodyne.model.forces import Force, JointLimit, TorsionSpring
from myodyne.model.model import Model
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.part import Vector

_SOURCE = (
    "Segments, joints, 80 muscles and polynomial muscle lengths: the right side, mirrored, of subject_walk_scaled.osim "
    "and its function-based paths, of the 3D walking example of OpenSim Moco (opensim-org/opensim-core, Apache License "
    "2.0), which is the model of Rajagopal et al. 2016 (IEEE Trans. Biomed. Eng. 63, 2068-2079) scaled to one person. "
    "Joined here: kneecap and femur, talus and calcaneus (subtalar joint fixed), ulna, radius and hand (palms "
    "forward). Muscle curves: De Groote et al. 2016, with the parallel strain of 0.7 of the source; time constants 15 "
    "and 60 ms. Tendons more than three times as long as the fibres are elastic, others rigid. Number and places of "
    "the contact spheres, their radius, damping and friction are near those of Falisse et al. 2019 (J. R. Soc. "
    "Interface 16, 20190402), and so is the stiffness of the toes; height and stiffness of the spheres are chosen so "
    "that they carry that person's stance. Motors, damping and stiffness at the ends of ranges are chosen."
)


_LIMIT_STIFFNESS, _LIMIT_TRANSITION = 60.0, 0.1  # N m/rad, rad
# Damping (N m s/rad) and stiffness (N m/rad) of joints by the beginning of their coordinate's name.
_DAMPING = {"lumbar": 2.0, "hip": 0.5, "knee": 0.5, "ankle": 0.5, "mtp": 2.0, "arm": 0.5, "elbow": 0.3}
_STIFFNESS = {"lumbar": 10.0, "mtp": 25.0}
_MOTORS = {"lumbar": 100.0, "arm": 50.0, "elbow": 50.0}  # N m

# Spheres under the right foot (m), on calcaneus and toes; the sole is the lowest point of the sphere.
_SOLE = {
    "heel": ("calcn", 0.005, -0.005, -0.004),
    "midfoot": ("calcn", 0.075, -0.004, 0.026),
    "ball_medial": ("calcn", 0.150, -0.004, -0.029),
    "ball_lateral": ("calcn", 0.135, -0.004, 0.052),
    "toe_medial": ("toes", 0.055, -0.004, -0.019),
    "toe_lateral": ("toes", 0.040, -0.004, 0.062),
}
_STIFFNESS_OF_SOLE = 2e6  # Pa


def gait3d() -> Model:
    """Return a person of 85 kg in space with 29 degrees of freedom and eighty muscles, standing on the floor.

    x points forward, y up, z to the right. Coordinates have the names of OpenSim's gait models: ``pelvis_tx``,
    ``pelvis_ty``, ``pelvis_tz`` (m), ``pelvis_tilt``, ``pelvis_list``, ``pelvis_rotation``, ``lumbar_extension``,
    ``lumbar_bending``, ``lumbar_rotation``, and on each side (``_r``, ``_l``) ``hip_flexion``, ``hip_adduction``,
    ``hip_rotation``, ``knee_angle`` (flexion is positive), ``ankle_angle`` (dorsiflexion is positive), ``mtp_angle``,
    ``arm_flex``, ``arm_add``, ``arm_rot``, ``elbow_flex`` (rad). Legs have muscles, trunk and arms motors, toes a
    spring. Six spheres under each foot stand on the floor below y = 0.

    Examples
    --------
    >>> model = gait3d()
    >>> len(model.coordinates), len(model.muscles)
    (29, 80)
    """
    bodies = {"pelvis": PELVIS.body(1.0), "torso": TORSO.body(1.0)}
    joints = middle_joints()
    forces: dict[str, Force] = {}
    muscles: dict[str, Muscle] = {}
    markers = {"head_top": Marker(body="torso", at=(0.0, 0.66, 0.0))}
    for side in SIDES:
        bodies.update(limb_bodies(side))
        joints.update(leg_joints(side))
        joints.update(arm_joints(side))
        muscles.update(leg_muscles(side))
        forces.update(_contacts(side))
        markers.update(_markers(side))
    moving = [name for joint in joints.values() for name in joint.coordinates if not name.startswith("pelvis")]
    return Model(
        name="gait3d",
        source=_SOURCE,
        gravity=(0.0, -9.81, 0.0),
        bodies=bodies,
        joints=joints,
        markers=markers,
        muscles=muscles,
        forces=forces | _passive(moving) | _motors(moving),
    )


def _spheres(side: str) -> Iterator[tuple[str, str, Vector]]:
    for name, (body, x, sole, z) in _SOLE.items():
        # The frame of the toes lies a little below that of the calcaneus.
        below = TOE_JOINT[1] if body == "toes" else 0.0
        yield f"{name}_{side}", f"{body}_{side}", place((x, sole - below + RADIUS, z), side)


def _contacts(side: str) -> dict[str, Force]:
    return {name: sole_sphere(body, at, _STIFFNESS_OF_SOLE) for name, body, at in _spheres(side)}


def _markers(side: str) -> dict[str, Marker]:
    under = {"heel": (f"calcn_{side}", (-0.01, 0.0, 0.0)), "toe_tip": (f"toes_{side}", (0.07, 0.0, 0.0))}
    return {f"{name}_mark_{side}": Marker(body=body, at=place(at, side)) for name, (body, at) in under.items()}


def _by_start(table: Mapping[str, float], name: str) -> float:
    return next((value for start, value in table.items() if name.startswith(start)), 0.0)


def _passive(names: list[str]) -> dict[str, Force]:
    """Return damping and stiffness of every joint, and what holds it in its range."""
    forces: dict[str, Force] = {}
    for name in names:
        low, high = RANGES[name.removesuffix("_r").removesuffix("_l")]
        forces[f"{name}_tissue"] = TorsionSpring(
            coordinate=name, stiffness=_by_start(_STIFFNESS, name), damping=_by_start(_DAMPING, name)
        )
        forces[f"{name}_limit"] = JointLimit(
            coordinate=name,
            lower=low,
            upper=high,
            stiffness=_LIMIT_STIFFNESS,
            transition=_LIMIT_TRANSITION,
            onset="hyperbolic",
        )
    return forces


def _motors(names: list[str]) -> dict[str, Force]:
    return {
        f"{name}_motor": CoordinateActuator(coordinate=name, gain=_by_start(_MOTORS, name), control_range=(-1.0, 1.0))
        for name in names
        if _by_start(_MOTORS, name) > 0.0
    }
