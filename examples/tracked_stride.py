"""A recorded running stride without residual forces: contacts and motors alone follow angles and plates. Run it with

    python examples/tracked_stride.py ../shared/data/running

The folder holds the running trial of BMClab (CC-BY 4.0): the scaled model, angles and ground forces. The subject is
put in the sagittal plane, four contacts are fitted under each foot, each joint gets a motor. `my.tracking` builds the
problem, the midpoint rule gives a first movement, Radau's scheme of degree 3 an accurate one, and `my.refine` divides
the intervals in which a simulation ends elsewhere. The script prints how far the movement is from the recording, then
how mesh errors fall with the number of nodes for three schemes, and writes ``tracked_stride.png`` into the current
folder. Without the folder it says so and ends.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

GAINS = {"hip": 200.0, "knee": 200.0, "ankle": 200.0, "lumbar": 200.0, "arm": 50.0, "elbow": 50.0}  # N m
FEET = {"right": "calcn_r", "left": "calcn_l"}
CONTACTS = 4
HALF_DEGREE = float(np.radians(0.5))
ERRORS = {
    "rad": HALF_DEGREE,
    "ankle_angle_r": 2 * HALF_DEGREE,
    "ankle_angle_l": 2 * HALF_DEGREE,
    "m": 0.02,
    "plates": 0.02,
}
NODES = 82


@dataclass(frozen=True)
class Stride:
    """The subject in the plane, with contacts and motors; its recorded motion and ground forces."""

    model: my.Model
    motion: my.Trajectory
    plates: my.ExternalForces

    @property
    def problem(self) -> my.Problem:
        """The problem of following the stride without residual forces."""
        return my.tracking(self.model, self.motion, self.plates, errors=ERRORS, effort=0.5, nodes=NODES)


def recorded(folder: Path) -> Stride:
    """Return the stride: angles filtered at 10 Hz, contacts whose corners are rounded over 4 mm."""
    space = my.load_model(folder / "bmc_Rajagopal2015_scaled.osim")
    plates = my.load_external_forces(folder / "bmc_grf_setup.xml", folder / "bmc_grf_run.mot")
    motion = my.load(folder / "bmc_ik_output_run.mot", model=space).filtered(10.0)
    fit = my.fit_contacts(my.sagittal(space), motion, plates, stiffness_spread=0.1)
    model = fit.model.without(*[name for name, force in fit.model.forces.items() if force.controlled])
    joints = [name for name in model.moving if not name.startswith("pelvis")]
    motors = {
        f"{name}_motor": my.CoordinateActuator(coordinate=name, gain=GAINS[name.partition("_")[0]]) for name in joints
    }
    softer = {f"{name}.transition": 0.004 for stance in fit.stances for name in stance.contacts}
    return Stride(model.with_parts(forces=motors).with_values(softer), motion, plates)


def ground_force(movement: my.Trajectory, plate: str, axis: str) -> np.ndarray:
    """Return the force (N) of all contacts of a foot."""
    return sum(movement.values(f"{FEET[plate]}_contact_{number}.force_{axis}") for number in range(1, CONTACTS + 1))


def force_errors(found: my.Trajectory, stride: Stride) -> dict[str, tuple[float, float]]:
    """Return root mean square over time and largest error of each ground force, as parts of the plate's peak."""
    errors = {}
    for plate in FEET:
        wanted = stride.plates[plate].at(found.time).force
        peak = np.linalg.norm(wanted, axis=1).max()
        for column, axis in enumerate("xy"):
            error = (ground_force(found, plate, axis) - wanted[:, column]) / peak
            # Nodes are close together around landings: the mean is over time, not over nodes.
            mean = np.trapezoid(error**2, found.time) / (found.time[-1] - found.time[0])
            errors[f"{plate} {axis}"] = float(np.sqrt(mean)), float(np.abs(error).max())
    return errors


def follow(stride: Stride) -> tuple[my.Solution, my.Solution]:
    """Return the movement on an even mesh, and refined until no interval is off by more than 1 %."""
    first = my.solve(stride.problem, nodes=[NODES], audit=False)
    even = my.solve(stride.problem, my.Radau(degree=3), nodes=[NODES], guess=first)
    return even, my.refine(even, error=0.01)


def study(stride: Stride, near: my.Trajectory) -> None:
    """Print the mesh errors of three schemes on even meshes, each solved again from the refined movement."""
    print(f"\n{'scheme':18}{'nodes':>6}{'largest':>9}{'median':>10}{'over 1 %':>10}{'CPU s':>7}")
    for scheme in (my.Midpoint(), my.Radau(degree=2), my.Radau(degree=3)):
        for nodes in (41, 82, 163, 325):
            found = my.solve(stride.problem, scheme, nodes=[nodes], guess=near, audit=False)
            errors = my.mesh_errors(found).rows().max(axis=1)
            label = "midpoint" if isinstance(scheme, my.Midpoint) else f"Radau({scheme.degree})"
            row = f"{label:18}{nodes:6}{100 * errors.max():8.2g}%{100 * np.median(errors):9.2g}%"
            print(row + f"{(errors > 0.01).sum():10}{found.report.optimum.cpu_seconds:7.1f}")


def draw(found: my.Trajectory, stride: Stride) -> None:
    """Draw recorded and followed angles of both legs, and the ground forces."""
    joints = {"hip": "hip_flexion", "knee": "knee_angle", "ankle": "ankle_angle"}
    figure, axes = plt.subplots(2, 4, figsize=(12.0, 5.0), sharex=True, layout="constrained")
    for row, (plate, side) in zip(axes, (("right", "r"), ("left", "l")), strict=True):
        for place, (joint, name) in zip(row, joints.items(), strict=False):
            column = f"{name}_{side}"
            place.plot(
                stride.motion.time, np.degrees(stride.motion.values(column)), color="0.6", lw=4, label="recorded"
            )
            place.plot(found.time, np.degrees(found.values(column)), color="C0", label="followed")
            place.set_title(f"{plate} {joint} (°)")
        wanted = stride.plates[plate].at(stride.motion.time).force / 1000
        for column, axis in enumerate("xy"):
            row[3].plot(stride.motion.time, wanted[:, column], color="0.6", lw=4)
            row[3].plot(found.time, ground_force(found, plate, axis) / 1000, color=("C1", "C0")[column])
        row[3].set_title(f"{plate} plate (kN)")
    for place in axes[1]:
        place.set_xlabel("time (s)")
    axes[0, 3].legend(*axes[0, 0].get_legend_handles_labels(), frameon=False, loc="upper right")
    figure.savefig("tracked_stride.png", dpi=90)


def main(folder: Path) -> None:
    """Follow the stride, print how far it is from the recording, and draw it."""
    stride = recorded(folder)
    even, fine = follow(stride)
    for label, found in (("even mesh", even), ("refined", fine)):
        optimum = found.report.optimum
        print(f"{label}: {len(found)} nodes, mesh error {100 * optimum.mesh_error:.2g} %, {optimum.cpu_seconds:.1f} s")
        deviation = my.compare(found, stride.motion, list(stride.model.moving))
        for name in stride.model.moving:
            rms = deviation[name].rms
            slides = name in ("pelvis_tx", "pelvis_ty")
            print(f"  {name:18}" + (f"{1000 * rms:6.1f} mm" if slides else f"{np.degrees(rms):6.2f}°"))
        for name, (rms, most) in force_errors(found, stride).items():
            print(f"  {name + ' force':18}{100 * rms:6.1f} % of the peak, at most {100 * most:.0f} %")
    draw(fine, stride)
    study(stride, fine.trajectory)


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/running")
    if place.is_dir():
        main(place)
    else:
        print(f"The running trial is not at hand: {place} does not exist.")
        print("Give the folder that holds bmc_Rajagopal2015_scaled.osim as the argument.")
        print("Nothing was solved.")
