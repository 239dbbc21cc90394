"""From a C3D recording to muscle forces: inverse kinematics, inverse dynamics, static optimisation.

    python examples/markers_to_muscles.py ../shared/data/opensim_setups/opensim_setups.zip --out results

The recording is written first, from markers and ground forces of OpenSim's subject01 (z upward, two plates, mm),
because that is how laboratories keep them. With a recording of your own, begin at `analyse`.
"""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path

import ezc3d
import numpy as np

import myodyne as my

FRAMES_PER_SECOND, SAMPLES = 60.0, 10
# From the axes of the model, y upward, to those of the laboratory, z upward.
TO_LABORATORY = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
# A plate in the laboratory: its axes as columns, z downward, and half of its sides (m).
PLATE = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
SIDES = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]) * 0.6
FEET = {"plate1": "calcn_r", "plate2": "calcn_l"}


def write_recording(path: Path, markers: my.Markers, loads: my.ExternalForces) -> None:
    """Write markers and forces as a laboratory would: millimetres, forces and moments of two plates."""
    places = markers.positions @ TO_LABORATORY.T
    times = markers.time[0] + np.arange(len(markers) * SAMPLES) / (FRAMES_PER_SECOND * SAMPLES)
    channels, corners = [], []
    for load in loads.at(np.minimum(times, min(force.end for force in loads.values()))).values():
        force, point = load.force @ TO_LABORATORY.T @ PLATE, load.point @ TO_LABORATORY.T
        torque = load.torque @ TO_LABORATORY.T @ PLATE
        loaded = np.linalg.norm(force, axis=1) > 20.0
        centre = np.append(point[loaded][:, :2].mean(axis=0), point[loaded][0, 2])
        moment = np.cross((point - centre) @ PLATE, force) + torque
        channels += [force, 1000.0 * moment]
        corners.append([1000.0 * (centre + PLATE @ [x, y, 0.0]) for x, y in SIDES])
    file = ezc3d.c3d()
    points = np.ones((4, len(markers.names), len(markers)))
    points[:3] = 1000.0 * np.moveaxis(places, (0, 1, 2), (2, 1, 0))
    file["data"]["points"] = points
    file["data"]["analogs"] = np.column_stack(channels).T[None]
    names = [f"{kind}{axis}{plate}" for plate in (1, 2) for kind in "FM" for axis in "xyz"]
    for group, name, value in (
        ("POINT", "RATE", [FRAMES_PER_SECOND]),
        ("POINT", "LABELS", list(markers.names)),
        ("POINT", "UNITS", ["mm"]),
        ("ANALOG", "RATE", [FRAMES_PER_SECOND * SAMPLES]),
        ("ANALOG", "LABELS", names),
        ("ANALOG", "UNITS", (["N"] * 3 + ["Nmm"] * 3) * 2),
        ("FORCE_PLATFORM", "USED", [2]),
        ("FORCE_PLATFORM", "TYPE", [2, 2]),
        ("FORCE_PLATFORM", "CORNERS", np.moveaxis(np.array(corners), 0, 2).transpose(1, 0, 2)),
        ("FORCE_PLATFORM", "ORIGIN", np.zeros((3, 2))),
        ("FORCE_PLATFORM", "CHANNEL", np.arange(1, 13).reshape(2, 6).T),
    ):
        whole = name in ("USED", "TYPE", "CHANNEL")
        file["parameters"][group][name]["value"] = np.asarray(value, dtype=int) if whole else value
    file.write(str(path))


def recorded(archive: Path, folder: Path) -> tuple[my.Model, Path]:
    """Return the scaled model, and the recording written from the files of the archive."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    markers = my.load_markers(folder / "ik" / "subject01_synthetic_marker_data.trc")
    write_recording(folder / "walk.c3d", markers, my.load_external_forces(folder / "id" / "subject01_walk1_grf.xml"))
    return my.load_model(folder / "ik" / "subject01_simbody.osim"), folder / "walk.c3d"


def analyse(model: my.Model, recording: Path, plates: dict[str, str]) -> tuple[my.TrialAnalysis, my.Result]:
    """Return motion and moments of a recording, and the muscle forces behind them."""
    trial = my.upright(my.load_c3d(recording))
    forces = my.plate_forces(trial, plates)
    found = my.analyse_trial(model, trial, forces)
    coordinates = found.motion.select([name for name in model.coordinates if name in found.motion])
    inside = coordinates.slice(found.moments.time[0], found.moments.time[-1])
    # Reserves stand for what ligaments and arms do; the pelvis takes the residuals.
    reserves = {name: 500.0 if name.startswith("pelvis") else 20.0 for name in model.moving}
    shares = my.static_optimisation(model, inside, forces, reserves=reserves, settings=my.Sharing(cutoff=6.0))
    return found, shares


def main() -> None:
    """Write the recording, analyse it, save and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, help="opensim_setups.zip, with the files of subject01")
    parser.add_argument("--out", type=Path, default=Path("markers_to_muscles"), help="folder for all files")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    model, recording = recorded(chosen.archive, chosen.out)
    found, shares = analyse(model, recording, FEET)
    my.save(found.moments, chosen.out / "moments.csv")
    my.save(shares, chosen.out / "muscles.csv")
    for name, measure in found.measures.items():
        limit = "" if measure.limit is None else f"   (limit {measure.limit:.3g} {measure.unit})"
        print(f"{name:<18}{measure.value:10.3g} {measure.unit}{limit}")
    peaks = {name: float(shares.values(f"{name}.force").max()) for name in model.muscles}
    for name in sorted(peaks, key=lambda name: -peaks[name])[:8]:
        print(f"{name:<18}{peaks[name]:10.0f} N")


if __name__ == "__main__":
    main()
