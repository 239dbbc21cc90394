"""The muscles of the shoulder by geometry, from the file they were fitted to: the elements of das4_v4 in 14 groups."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import myodyne as my
from myodyne.equations import equations_of

DAS4 = Path(__file__).parents[3] / "shared" / "data" / "das3" / "das4_v4_MIT.osim"
BODIES = {"thorax": "ground", "clavicle_r": "clavicle", "scapula_r": "scapula", "humerus_r": "humerus"}
DEGREE = 5
ANGLES = ("plane", "elevation", "axial_rotation")
# Poses of the fit (degrees); the axial rotation of a straight arm in life stays within them.
RANGES = ((0.0, 120.0), (0.0, 140.0), (-70.0, 40.0))
GROUPS = {
    "DEL1": [f"delt_clav_{i}" for i in range(1, 5)],
    "DEL2": ["delt_scap_5", "delt_scap_6", "delt_scap_7", "delt_scap_8", "delt_scap_9", "delt_scap10", "delt_scap11"],
    "DEL3": [f"delt_scap_{i}" for i in range(1, 5)],
    "SUPRA": [f"supra_{i}" for i in range(1, 5)],
    "INFRA": [f"infra_{i}" for i in range(1, 7)],
    "SUBS": [*(f"subscap_{i}" for i in range(1, 10)), "subscap10", "subscap11"],
    "TMAJ": [f"ter_maj_{i}" for i in range(1, 5)],
    "TMIN": [f"ter_min_{i}" for i in range(1, 4)],
    "PEC1": ["pect_maj_c_1", "pect_maj_c_2"],
    "PEC2": ["pect_maj_t_1", "pect_maj_t_2", "pect_maj_t_3"],
    "PEC3": ["pect_maj_t_4", "pect_maj_t_5", "pect_maj_t_6"],
    "LAT1": ["lat_dorsi_1", "lat_dorsi_2"],
    "LAT2": ["lat_dorsi_3", "lat_dorsi_4"],
    "LAT3": ["lat_dorsi_5", "lat_dorsi_6"],
}


def _renamed(part: Any) -> Any:
    """Return plain data of a model with our names of bodies."""
    if isinstance(part, dict):
        return {key: BODIES.get(value, value) if key == "body" else _renamed(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_renamed(value) for value in part]
    return part


@cache
def geometry() -> tuple[Any, dict[str, Any]]:
    """Return the shoulder with the elements of das4 on it, and the elements."""
    das = my.load_model(DAS4)
    names = [name for group in GROUPS.values() for name in group]
    elements = {name: das.muscles[name] for name in names}
    used = {wrap.surface for muscle in elements.values() for wrap in muscle.path.wraps}
    data = my.shoulder(muscles=False).model_dump()
    data["surfaces"] = {n: _renamed(das.surfaces[n].model_dump()) for n in used}
    data["muscles"] = {n: _renamed(m.model_dump()) for n, m in elements.items()}
    return equations_of(my.Model(**data), compiled=False), elements


def lengths(poses: Any) -> dict[str, Any]:
    """Return the length of each group at poses (rad): the mean of its elements, weighted by their forces."""
    equations, elements = geometry()
    order = [equations.coordinates.index(name) for name in ANGLES]
    q = np.zeros((len(poses), 3))
    q[:, order] = poses
    found = np.array([equations.muscle_lengths(row) for row in q])
    table = dict(zip(equations.muscles, found.T, strict=True))
    result = {}
    for group, names in GROUPS.items():
        weights = np.array([elements[name].max_force for name in names])
        result[group] = np.stack([table[name] for name in names], axis=-1) @ weights / weights.sum()
    return result


def random_poses(count: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    low, high = np.radians(np.array(RANGES)).T
    return low + (high - low) * rng.random((count, 3))


def powers() -> list[tuple[int, int, int]]:
    every = range(DEGREE + 1)
    return [(i, j, k) for i in every for j in every for k in every if i + j + k <= DEGREE]


def table() -> str:
    """Return the table of muscles as the library has it."""
    poses = random_poses(1200, 1)
    columns = np.stack([np.prod(poses ** np.array(power), axis=1) for power in powers()], axis=-1)
    _, elements = geometry()
    lines = [
        "# Groups of elements of das4_v4 (AbdnBiomechEng/arm-model, MIT licence, copyright its authors): forces added, fibre",
        "# and tendon lengths weighted by force; lengths (m) are polynomials of plane, elevation, axial rotation (rad).",
        "muscle,max_force,fibre,tendon,pennation,length",
    ]
    for group, found in lengths(poses).items():
        coefficients = np.linalg.lstsq(columns, found, rcond=None)[0]
        parts = [elements[name] for name in GROUPS[group]]
        force = sum(part.max_force for part in parts)

        def mean(field: str, parts: Any = parts, force: float = force) -> float:
            return sum(getattr(part, field) * part.max_force for part in parts) / force

        terms = " ".join(f"{c:.7g}@{''.join(map(str, power))}" for c, power in zip(coefficients, powers(), strict=True))
        numbers = [force, mean("optimal_fibre_length"), mean("tendon_slack_length"), mean("pennation")]
        lines.append(",".join([group, *(f"{n:.6g}" for n in numbers), terms]))
    return "\n".join(lines) + "\n"
