"""One recorded trial: inverse kinematics and dynamics, their uncertainty, and whether the numbers can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from myodyne.analyse.inverse_dynamics import inverse_dynamics
from myodyne.analyse.markers.inverse_kinematics import inverse_kinematics
from myodyne.analyse.moment_spread import moment_spread
from myodyne.data import DataError, ExternalForce, ExternalForces, Markers, Recording, Result, Trajectory
from myodyne.equations import equations_of
from myodyne.errors import listed, unknown_name
from myodyne.model import GROUND, Model
from myodyne.model.units import angles
from myodyne.types import Floats

# Errors of markers (m) are from the checklist of OpenSim's documentation. Hicks et al. (2015), J. Biomech. Eng. 137,
# 020905, section 3.1.3 (quoted by others, the paper was not at hand): residual forces as a part of the net
# external force, residual moments as a part of that force times the height of the centre of mass.
_MARKER_RMS, _MARKER_LARGEST, _RESIDUAL_FORCE, _RESIDUAL_MOMENT = 0.02, 0.04, 0.05, 0.01
_Y_UP = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))


@dataclass(frozen=True)
class TrialSettings:
    """How trials are analysed.

    Parameters
    ----------
    weights
        How much each marker counts; None counts all that model and record share, equally.
    cutoff
        Cut-off frequency (Hz) of the low-pass filter on the coordinates.
    noise
        Standard deviation (rad) of white noise in the angles, from which that of the moments follows.

    Examples
    --------
    >>> TrialSettings(cutoff=8.0).cutoff
    8.0
    """

    weights: Mapping[str, float] | None = None
    cutoff: float = 6.0
    noise: float = 0.002

    def __post_init__(self) -> None:
        for name in ("cutoff", "noise"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < np.inf:
                raise DataError(f"{name} of a trial must be above zero, not {value!r:.40}")


@dataclass(frozen=True)
class TrialMeasure:
    """A number by which a trial is judged: its value, its unit, and the limit it should stay below, if any.

    Examples
    --------
    >>> TrialMeasure(0.012, "m", 0.02).good
    True
    """

    value: float
    unit: str
    limit: float | None = None

    @property
    def good(self) -> bool | None:
        """Whether the value is below its limit; None without one."""
        return None if self.limit is None else bool(self.value <= self.limit)


@dataclass(frozen=True, eq=False)
class TrialAnalysis:
    """What was found of a trial: the motion, the moments and their standard deviations, and the measures by name.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    >>> record = my.Markers(np.arange(40) / 100.0, ["tip"], [[[0.0, -1.0, 0.0]]] * 40)
    >>> my.analyse_trial(rod, record).moments.names
    ('angle.moment',)
    """

    motion: Result
    moments: Result
    spread: Trajectory
    measures: Mapping[str, TrialMeasure] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether all measures with a limit stay below it."""
        return all(measure.good is not False for measure in self.measures.values())


def analyse_trial(
    model: Model,
    trial: Recording | Markers,
    forces: ExternalForces | None = None,
    *,
    settings: TrialSettings | None = None,
) -> TrialAnalysis:
    """Return the motion, the joint moments, their uncertainty and the usual measures of quality of a recorded trial.

    Parameters
    ----------
    model
        The scaled model, with markers of the names in the record; y upward.
    trial
        The recording (from `load_c3d`, y upward, see `upright`), or its markers alone.
    forces
        Ground forces on bodies (from `plate_forces` or `load_external_forces`); without them there are no residuals.
    settings
        Weights of the markers, filter and noise.

    Measures are ``marker_rms`` and ``marker_largest`` (m), ``residual_force`` (N) and ``residual_moment`` (N m), which
    are peaks at the joint to the ground, and ``moment_spread`` (N m), the largest standard deviation of a moment.
    Limits are those of Hicks et al. (2015).

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    >>> times = np.arange(60) / 100.0
    >>> angle = 0.4 * np.sin(5.0 * times)
    >>> places = np.column_stack([np.sin(angle), -np.cos(angle), 0.0 * angle])[:, None, :]
    >>> found = my.analyse_trial(rod, my.Markers(times, ["tip"], places))
    >>> found.good, found.measures["marker_rms"].value < 1e-6
    (True, True)
    """
    chosen = settings or TrialSettings()
    markers = trial.markers if isinstance(trial, Recording) else trial
    motion = inverse_kinematics(model, markers, weights=chosen.weights)
    inside = motion
    if forces:
        begin, end = max(force.start for force in forces.values()), min(force.end for force in forces.values())
        inside = motion.slice(begin, end)
    moments = inverse_dynamics(model, inside, forces, cutoff=chosen.cutoff)
    held = [name for name in model.coordinates if name in inside and name in angles(model)]
    spread = moment_spread(model, inside, dict.fromkeys(held, chosen.noise), forces, cutoff=chosen.cutoff)
    measures = {**_marker_measures(motion), **_residuals(model, inside, moments, forces), **_spread(spread)}
    return TrialAnalysis(motion, moments, spread, measures)


def plate_forces(recording: Recording, bodies: Mapping[str, str]) -> ExternalForces:
    """Return the forces of the plates of a recording on the bodies that stand on them, by the names of the plates.

    Examples
    --------
    >>> import myodyne as my
    >>> here = np.zeros((2, 3))
    >>> plate = my.ForcePlate("plate1", 2, np.zeros((4, 3)), np.array([0.0, 1.0]), here + 1.0, here, here)
    >>> trial = my.Recording(my.Markers([0.0], ["heel"], [[[0.1, 0.2, 0.3]]]), plates=(plate,))
    >>> my.plate_forces(trial, {"plate1": "calcn_r"}).bodies
    ('calcn_r',)
    """
    data, known = recording.ground_forces, [plate.name for plate in recording.plates]
    if data is None:
        raise DataError("the recording has no force plates")
    found = []
    for plate, body in bodies.items():
        if plate not in known:
            raise DataError("plates: " + unknown_name("plate", plate, known))
        force, point, torque = (
            (f"{plate}_{part}x", f"{plate}_{part}y", f"{plate}_{part}z") for part in ("force_v", "force_p", "torque_")
        )
        found.append(ExternalForce(plate, body, data, force, point, torque))
    idle = [plate for plate in known if plate not in bodies]
    return ExternalForces(found, [f"plates without a foot: {listed(idle)}"] if idle else [])


def upright(recording: Recording, up: str | None = None) -> Recording:
    """Return a recording with y upward: ``up`` is its own vertical, "y" or "z"; None takes that of the plates' forces.

    Examples
    --------
    >>> import myodyne as my
    >>> my.upright(my.Recording(my.Markers([0.0], ["heel"], [[[0.1, 0.2, 0.3]]])), "z").markers.positions.tolist()
    [[[0.1, 0.3, -0.2]]]
    """
    if up is None:
        if not recording.plates:
            raise DataError("which axis points upward? The recording has no plates that show it: give 'y' or 'z'")
        mean = np.abs(np.mean([plate.force.mean(axis=0) for plate in recording.plates], axis=0))
        up = "xyz"[int(np.argmax(mean))]
    if up not in ("y", "z"):
        raise DataError(f"the vertical of a recording is 'y' or 'z', not {up!r:.20}; turn it with recording.rotated")
    return recording if up == "y" else recording.rotated(_Y_UP)


def _marker_measures(motion: Result) -> dict[str, TrialMeasure]:
    rms, largest = motion.values("markers.rms"), motion.values("markers.largest")
    return {
        "marker_rms": TrialMeasure(float(np.sqrt(np.nanmean(rms**2))), "m", _MARKER_RMS),
        "marker_largest": TrialMeasure(float(np.nanmax(largest)), "m", _MARKER_LARGEST),
    }


def _residuals(model: Model, motion: Result, moments: Result, forces: ExternalForces | None) -> dict[str, TrialMeasure]:
    """Return the peaks of what the joint to the ground would have to exert."""
    roots = [joint for joint in model.joints.values() if joint.parent.body == GROUND]
    names = [name for joint in roots for name in joint.coordinates if f"{name}.moment" in moments]
    turning = angles(model)
    sizes = {
        kind: _size([moments.values(f"{name}.moment") for name in names if (name in turning) == (kind == "moment")])
        for kind in ("force", "moment")
    }
    if not forces:
        return {}
    total = sum((part.force for part in forces.at(moments.time).values() if part.force is not None), start=np.zeros(3))
    push = float(np.linalg.norm(np.atleast_2d(total), axis=1).max())
    eq = equations_of(model.unconstrained())
    poses = np.array([_column(model, motion, name) for name in eq.coordinates]).T
    height = float(np.mean(eq.centre_of_mass(poses)[..., 1]))
    return {
        "residual_force": TrialMeasure(sizes["force"], "N", _RESIDUAL_FORCE * push),
        "residual_moment": TrialMeasure(sizes["moment"], "N m", _RESIDUAL_MOMENT * push * height),
    }


def _column(model: Model, motion: Result, name: str) -> Floats:
    return motion.values(name) if name in motion else np.full(len(motion), model.coordinates[name].default)


def _size(columns: list[Floats]) -> float:
    return float(np.linalg.norm(np.array(columns), axis=0).max()) if columns else 0.0


def _spread(spread: Trajectory) -> dict[str, TrialMeasure]:
    sizes = [float(spread.values(name).max()) for name in spread.names if spread.units[name] == "N m"]
    return {"moment_spread": TrialMeasure(max(sizes, default=0.0), "N m")}
