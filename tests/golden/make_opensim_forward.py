"""Write opensim_forward_arm.csv with OpenSim 4.6 and SciPy (not needed by the tests).

    python make_opensim_forward.py ../../../shared/models_osim/arm26.osim

One second of arm26 from its default pose, all muscles excited by 0.05: as OpenSim marches it, and marched with the
same rates except for moment arms, which are replaced by the derivatives of OpenSim's own muscle lengths.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import opensim
from scipy.integrate import solve_ivp

EXCITATION, STEP = 0.05, 1e-6


class Arm:
    """The arm and one state of it."""

    def __init__(self, path: str) -> None:
        self.model = opensim.Model(path)
        self.model.initSystem()
        controller = opensim.PrescribedController()
        self.muscles = [self.model.getMuscles().get(k) for k in range(self.model.getMuscles().getSize())]
        for muscle in self.muscles:
            controller.addActuator(muscle)
        for muscle in self.muscles:
            controller.prescribeControlForActuator(muscle.getName(), opensim.Constant(EXCITATION))
        self.model.addController(controller)
        self.state = self.model.initSystem()
        self.coordinates = [self.model.getCoordinateSet().get(k) for k in range(2)]
        self.model.equilibrateMuscles(self.state)

    def start(self) -> np.ndarray:
        """Return coordinates, speeds and muscle states at the beginning."""
        return np.concatenate([np.zeros(4), [self.state.getZ()[k] for k in range(self.state.getNZ())]])

    def pose(self, x: np.ndarray) -> None:
        """Move to coordinates and speeds."""
        for k, coordinate in enumerate(self.coordinates):
            coordinate.setValue(self.state, x[k], False)
            coordinate.setSpeedValue(self.state, x[2 + k])

    def lengths(self, x: np.ndarray) -> np.ndarray:
        """Return the lengths of the muscles."""
        self.pose(x)
        self.model.realizePosition(self.state)
        return np.array([muscle.getLength(self.state) for muscle in self.muscles])

    def rates(self, x: np.ndarray, by_lengths: bool) -> np.ndarray:
        """Return the rates of all states."""
        state, model = self.state, self.model
        self.pose(x)
        z = opensim.Vector(len(x) - 4, 0.0)
        for k in range(len(x) - 4):
            z[k] = float(x[4 + k])
        state.setZ(z)
        model.realizeAcceleration(state)
        speeds = np.array([state.getUDot()[k] for k in range(2)])
        muscles = np.array([state.getZDot()[k] for k in range(len(x) - 4)])
        if by_lengths:
            pulls = np.array([muscle.getActuation(state) for muscle in self.muscles])
            arms = np.array([[m.computeMomentArm(state, c) for c in self.coordinates] for m in self.muscles])
            matrix = opensim.Matrix()
            model.getMatterSubsystem().calcM(state, matrix)
            mass = np.array([[matrix.get(i, j) for j in range(2)] for i in range(2)])
            moved = [np.eye(len(x))[k] * STEP for k in range(2)]
            slopes = np.array([-(self.lengths(x + d) - self.lengths(x - d)) / (2 * STEP) for d in moved]).T
            speeds = speeds + np.linalg.solve(mass, (slopes - arms).T @ pulls)
        return np.concatenate([x[2:4], speeds, muscles])


def main() -> None:
    """Write the file."""
    opensim.Logger.setLevelString("error")
    arm, times = Arm(sys.argv[1]), np.linspace(0.0, 1.0, 11)
    start = arm.start()
    found = [
        solve_ivp(lambda _, x, own=own: arm.rates(x, own), (0, 1), start, t_eval=times, rtol=1e-8, atol=1e-9).y[:2]
        for own in (False, True)
    ]
    with (Path(__file__).parent / "opensim_forward_arm.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "shoulder", "elbow", "shoulder_by_lengths", "elbow_by_lengths"])
        writer.writerows([[f"{value:.9g}" for value in row] for row in np.vstack([times, *found]).T])


if __name__ == "__main__":
    main()
