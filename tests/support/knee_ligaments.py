"""Forces in the cruciate ligaments of a planar knee, from the joint and muscle forces of a movement."""

from __future__ import annotations

import math

import numpy as np

from myodyne.data import DataError, Trajectory

# Directions of pull on the shank (rad) against its long axis, forwards positive, at a straight knee and per radian of
# flexion. The patellar tendon pulls forwards until the knee is bent by 75°; the hamstrings pull along the thigh, less
# the angle at which they come to the shank; the calf muscles do not end at the shank.
_TENDON = (math.radians(20.0), -20.0 / 75.0)
_HAMSTRINGS = (0.0, -0.8)
# The ligaments against the plateau (rad).
_ANTERIOR, _POSTERIOR = math.radians(45.0), math.radians(45.0)
_EXTENSORS, _FLEXORS = ("vasti", "rectus_femoris"), ("hamstrings",)


def knee_ligaments(movement: Trajectory, side: str) -> Trajectory:
    """Return the tension (N) in the anterior and the posterior cruciate ligament of a knee of `gait2d` and its kin.

    What crosses the knee along the plateau of the tibia (the net force between thigh and shank) is carried by muscles
    and ligaments, as the plateau, across the long axis of the shank, bears no shear. What muscles do not carry, the
    anterior ligament does if the shank would slide forwards, otherwise the posterior one. Angles of pull are chosen
    numbers of plausible size: differences between movements mean more than the forces themselves.

    Parameters
    ----------
    movement
        A result with the outputs of the model: angles, forces of muscles, reactions of the knee.
    side
        ``"right"`` or ``"left"``.

    Examples
    --------
    >>> import numpy as np
    >>> still = {"pelvis_tilt": 0.0, "right_hip": 0.0, "right_knee": 0.0, "right_vasti.force": 1000.0,
    ...          "right_rectus_femoris.force": 0.0, "right_hamstrings.force": 0.0,
    ...          "right_knee.reaction_force_x": 0.0, "right_knee.reaction_force_y": -300.0}
    >>> stance = Trajectory([0.0], {name: [value] for name, value in still.items()})
    >>> {name: round(float(value)) for name, value in knee_ligaments(stance, "right").final.items()}
    {'right_anterior_cruciate.force': 484, 'right_posterior_cruciate.force': 0}
    """
    missing = [name for name in _needed(side) if name not in movement]
    if missing:
        raise DataError(f"the forces of knee ligaments need the column '{missing[0]}', which the movement lacks")
    flexion = -movement.values(f"{side}_knee")
    turn = movement.values("pelvis_tilt") + movement.values(f"{side}_hip") - flexion
    forward = movement.values(f"{side}_knee.reaction_force_x") * np.cos(turn) + movement.values(
        f"{side}_knee.reaction_force_y"
    ) * np.sin(turn)
    for muscles, (straight, slope) in ((_EXTENSORS, _TENDON), (_FLEXORS, _HAMSTRINGS)):
        pull = sum((movement.values(f"{side}_{name}.force") for name in muscles), np.zeros(len(movement)))
        forward = forward - pull * np.sin(straight + slope * flexion)
    columns = {
        f"{side}_anterior_cruciate.force": np.maximum(-forward, 0.0) / math.cos(_ANTERIOR),
        f"{side}_posterior_cruciate.force": np.maximum(forward, 0.0) / math.cos(_POSTERIOR),
    }
    return Trajectory(movement.time, columns, dict.fromkeys(columns, "N"))


def _needed(side: str) -> list[str]:
    muscles = [f"{side}_{name}.force" for name in (*_EXTENSORS, *_FLEXORS)]
    return [
        "pelvis_tilt",
        f"{side}_hip",
        f"{side}_knee",
        f"{side}_knee.reaction_force_x",
        f"{side}_knee.reaction_force_y",
        *muscles,
    ]
