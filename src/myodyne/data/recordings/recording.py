"""What a motion laboratory records at once: markers, analog signals, force plates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.markers import Markers, rotation_matrix
from myodyne.data.trajectory import Trajectory
from myodyne.types import Floats

_AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """What a force plate measured, in the axes of the laboratory.

    Parameters
    ----------
    name
        ``plate1``, ``plate2`` ..., in the order of the file.
    kind
        The type of the plate in the C3D format: 1, 2, 3 or 4.
    corners
        Places of its corners (4, 3) in m.
    time
        Times of the rows (s).
    force, point, torque
        Force (N), the point of the surface where it acts (m), and the moment about that point (N m), each (rows, 3).
        Together they are what the plate measured, whatever the point.

    Examples
    --------
    >>> at = np.array([[0.1, 0.2, 0.0]])
    >>> force, torque = np.array([[0.0, 0.0, 700.0]]), np.array([[0.0, 0.0, 3.0]])
    >>> plate = ForcePlate("plate1", 2, np.zeros((4, 3)), np.zeros(1), force, at, torque)
    >>> plate.moment_about([0.0, 0.0, 0.0]).round(6).tolist()
    [[140.0, -70.0, 3.0]]
    """

    name: str
    kind: int
    corners: Floats
    time: Floats
    force: Floats
    point: Floats
    torque: Floats

    def moment_about(self, place: ArrayLike) -> Floats:
        """Return the moments (N m) about a place of the laboratory (m)."""
        lever = self.point - np.asarray(place, dtype=np.float64)
        return np.cross(lever, self.force) + self.torque

    def rotated(self, rotation: ArrayLike) -> ForcePlate:
        """Return the same in other axes; see `Markers.rotated`."""
        turn = rotation_matrix(rotation).T
        return replace(
            self,
            corners=self.corners @ turn,
            force=self.force @ turn,
            point=self.point @ turn,
            torque=self.torque @ turn,
        )


@dataclass(frozen=True, eq=False)
class Recording:
    """A recording of a motion laboratory, as a ``.c3d`` file holds it.

    Parameters
    ----------
    markers
        Places of the markers (m).
    analog
        The analog channels by name, in the units of the file; None if there is none.
    plates
        The force plates.
    notes
        What had to be decided while reading.

    Examples
    --------
    >>> trial = Recording(Markers([0.0], ["heel"], [[[0.1, 0.2, 0.3]]]))
    >>> trial.markers.names, trial.ground_forces
    (('heel',), None)
    """

    markers: Markers
    analog: Trajectory | None = None
    plates: tuple[ForcePlate, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ground_forces(self) -> Trajectory | None:
        """Forces, points and torques of all plates as columns, named as external loads take them; None without plates.

        ``plate1_force_vx`` (N), ``plate1_force_px`` (m), ``plate1_torque_x`` (N m) and so on.
        """
        if not self.plates:
            return None
        columns: dict[str, Floats] = {}
        units: dict[str, str] = {}
        for plate in self.plates:
            for beginning, unit, values in (
                ("force_v", "N", plate.force),
                ("force_p", "m", plate.point),
                ("torque_", "N m", plate.torque),
            ):
                for place, axis in enumerate(_AXES):
                    columns[f"{plate.name}_{beginning}{axis}"] = values[:, place]
                    units[f"{plate.name}_{beginning}{axis}"] = unit
        return Trajectory(self.plates[0].time, columns, units)

    def rotated(self, rotation: ArrayLike) -> Recording:
        """Return the recording with markers and plates in other axes, by a rotation matrix; see `Markers.rotated`."""
        plates = tuple(plate.rotated(rotation) for plate in self.plates)
        return replace(self, markers=self.markers.rotated(rotation), plates=plates)
