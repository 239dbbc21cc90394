"""Contacts fitted to a recorded stance: heights and stiffness for which the recorded foot makes the plate's force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.contacts.law import Contact, NormalForce, normal_force
from myodyne.analyse.contacts.place import DefaultPose, carried_by, place_contacts
from myodyne.analyse.coordinate_motion import coordinate_motion, equations_kept
from myodyne.data import DataError, ExternalForce, ExternalForces, Trajectory
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND, ContactPoint, HuntCrossleyContact, Model, SmoothSphereContact
from myodyne.types import Booleans, Floats

_CONTACTS = (ContactPoint, HuntCrossleyContact, SmoothSphereContact)
# A foot stands on its plate while that carries this part of its peak; below the smaller part it is in the air.
_STANDING, _AIR = 0.05, 0.005
# What counts as one: height of a recorded foot, its centre of pressure (m), force in the air (part of the peak), change
# of a contact's height (m). The last only settles what is not determined.
_HEIGHT, _CENTRE, _LIFTED, _MOVED = 0.005, 0.01, 0.02, 0.05
# A foot's height is sought within half a metre, by so many steps of Newton's method or bisections.
_LOOKED, _STEPS, _EXCESS = 0.5, 60, 1e-8
# Contacts whose z (m) never differ by more lie in one plane.
_FLAT = 1e-9


@dataclass(frozen=True)
class StanceFit:
    """How well the contacts of one foot reproduce the force of its plate.

    ``height`` (m) is the root mean square of the vertical shift of the recorded foot for which the contacts carry
    exactly the plate's load, ``centre`` (m) that of the centre of pressure in the plane of the floor then. ``force`` is
    the root mean square error of the vertical force without any shift, as a part of the plate's peak, and ``air`` the
    largest force that the contacts make while the plate has none.

    Examples
    --------
    >>> import myodyne as my
    >>> stance = my.StanceFit("right", ("heel", "toe"), rows=30, height=0.003, centre=0.01, force=0.2, air=0.0)
    >>> stance.contacts
    ('heel', 'toe')
    """

    plate: str
    contacts: tuple[str, ...]
    rows: int
    height: float
    centre: float
    force: float
    air: float


@dataclass(frozen=True)
class ContactFit:
    """A model whose contacts fit a recording, and how well they do, foot by foot.

    Examples
    --------
    >>> import myodyne as my
    >>> my.ContactFit(model=my.load_model("gait2d"), stances=(), stiffness=1.0).stances
    ()
    """

    model: Model
    stances: tuple[StanceFit, ...]
    stiffness: float

    def __str__(self) -> str:
        rows = [f"stiffness {self.stiffness:.3g} times the original"]
        rows += [
            f"{one.plate}: {one.rows} rows, height {1000 * one.height:.1f} mm, centre of pressure "
            f"{1000 * one.centre:.1f} mm, force without shift {100 * one.force:.0f} %, in the air {100 * one.air:.1f} %"
            for one in self.stances
        ]
        return "\n".join(rows)


def fit_contacts(
    model: Model,
    motion: Trajectory,
    plates: ExternalForces,
    *,
    points: int = 4,
    stiffness_spread: float = 1.0,
) -> ContactFit:
    """Return a model with contacts under its feet that reproduce the plate forces when it moves as recorded.

    Contacts of the model under a plate's body, or the bodies that it carries, are taken; where there are none,
    `place_contacts` puts a row of them under the foot, as far as its geometry and the centre of pressure reach. Then
    their heights in the foot, and one factor for all stiffnesses, are fitted: for each row of the stance the foot is
    shifted vertically until the contacts carry the plate's load; the sum of squares of these shifts (5 mm count as
    one), of the errors of the centre of pressure (10 mm), and of forces in the air (2 % of the peak) is smallest.
    A foot of a recording is known to some millimetres only, over which a contact's force changes by its whole size: the
    forces of the recorded motion itself do not measure a contact.

    Parameters
    ----------
    model
        A model with y up; its contacts rest on a level floor.
    motion
        All its coordinates over time (rad, m), as `inverse_dynamics` takes it.
    plates
        Recorded forces with points of application, from `load_external_forces`.
    points
        Contacts in each row that is placed.
    stiffness_spread
        How well the stiffness is known before: the standard deviation of its logarithm. A smaller one keeps it nearer
        to that of the model, which a stance of few rows hardly determines.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> foot = my.Model(name="foot", bodies={"foot": my.Body(mass=1.0)},
    ...                 joints={"float": my.planar("ground", "foot", ("x", "y", "q"))},
    ...                 forces={"heel": my.ContactPoint(body="foot", at=(-0.1, 0.0, 0.0), stiffness=1e5),
    ...                         "toe": my.ContactPoint(body="foot", at=(0.1, 0.0, 0.0), stiffness=1e5)})
    >>> time = np.linspace(0.0, 0.3, 31)
    >>> motion = my.Trajectory(time, {"x": 0 * time, "y": 0.05 - 0.002 * np.sin(10 * time), "q": 0 * time},
    ...                        {"x": "m", "y": "m", "q": "rad"})
    >>> load = 400 * np.sin(10 * time) + 1
    >>> columns = {"fx": 0 * time, "fy": load, "fz": 0 * time, "px": 0 * time, "py": 0 * time, "pz": 0 * time}
    >>> plate = my.ExternalForce("plate", "foot", my.Trajectory(time, columns), ("fx", "fy", "fz"), ("px", "py", "pz"))
    >>> fit = my.fit_contacts(foot, motion, my.ExternalForces([plate]))
    >>> round(fit.model.forces["heel"].at[1], 2), fit.stances[0].height < 3e-3      # m
    (-0.05, True)
    """
    if not isinstance(plates, ExternalForces) or not len(plates):
        raise DataError("plates must be ExternalForces with at least one plate (from my.load_external_forces)")
    if not 0.0 < stiffness_spread < np.inf:
        raise ModelError(f"stiffness_spread must be a positive number, not {stiffness_spread!r}")
    equipped = _with_contacts(model, motion, plates, points)
    feet = [_Foot.of(equipped, motion, plate) for plate in plates.values()]
    change = _least_squares(feet, stiffness_spread)
    forces: dict[str, Contact] = {}
    start = 0
    factor = float(np.exp(change[-1]))
    stances = []
    for foot in feet:
        heights = change[start : start + len(foot.names)]
        start += len(foot.names)
        forces |= foot.moved(heights, factor)
        stances.append(foot.judged(heights, factor))
    return ContactFit(equipped.with_parts(forces=forces), tuple(stances), factor)


def _least_squares(feet: Sequence[_Foot], spread: float) -> Floats:
    """Return the heights of all contacts, foot after foot, and the logarithm of the factor of their stiffness."""
    from scipy.optimize import least_squares

    ends = np.cumsum([0, *(len(foot.names) for foot in feet)])

    def system(unknown: Floats) -> tuple[Floats, Floats]:
        parts, slopes = [unknown[:-1] / _MOVED, unknown[-1:] / spread], []
        for foot, first, last in zip(feet, ends, ends[1:], strict=False):
            rows, jacobian = foot.residuals(unknown[first:last], float(np.exp(unknown[-1])))
            whole = np.zeros((len(rows), len(unknown)))
            whole[:, first:last], whole[:, -1] = jacobian[:, :-1], jacobian[:, -1]
            parts.append(rows)
            slopes.append(whole)
        weak = np.diag([*np.full(len(unknown) - 1, 1 / _MOVED), 1 / spread])
        return np.concatenate(parts), np.vstack([weak, *slopes])

    start = np.concatenate([*(foot.first_heights() for foot in feet), [0.0]])
    scales = np.append(np.full(len(start) - 1, _HEIGHT), spread / 3)
    found = least_squares(lambda x: system(x)[0], start, jac=lambda x: system(x)[1], x_scale=scales, max_nfev=300)
    return np.asarray(found.x)


@dataclass(frozen=True, eq=False)
class _Foot:
    """The contacts of one plate over the rows of a motion.

    ``places`` (rows, contacts, 3) are those of the contacts in the ground, ``raised`` how much each place moves, in the
    ground, with a contact's height; ``up`` are the directions of those heights in the contacts' bodies.
    """

    plate: ExternalForce
    names: tuple[str, ...]
    contacts: tuple[Contact, ...]
    laws: tuple[tuple[NormalForce, list[int]], ...]
    places: Floats
    raised: Floats
    up: Floats
    load: Floats
    centre: Floats

    @staticmethod
    def of(model: Model, motion: Trajectory, plate: ExternalForce) -> _Foot:
        names = contacts_under(model, plate.body)
        contacts = tuple(part for name in names if isinstance(part := model.forces[name], _CONTACTS))
        for name, contact in zip(names, contacts, strict=True):
            _check_level(name, contact)
        movement = coordinate_motion(model, motion, None)
        equations = equations_kept(model)
        order = [movement.names.index(name) for name in equations.coordinates]
        bodies = [equations.bodies.index(contact.body) for contact in contacts]
        at = np.array([contact.at for contact in contacts])

        turns, origins = equations.body_poses(movement.q[:, order])
        turns = turns[:, bodies]
        places = origins[:, bodies] + np.einsum("tcij,cj->tci", turns, at)
        load, centre = _recorded(plate, motion.time)
        standing = load > _STANDING * load.max()
        # Heights are along the mean vertical of the stance, so that the foot keeps its length.
        up = np.einsum("t,tcij->cij", load[standing], turns[standing])[:, 1, :]
        up /= np.linalg.norm(up, axis=1, keepdims=True)
        return _Foot(
            plate,
            names,
            contacts,
            _laws(contacts),
            places,
            np.einsum("tcij,cj->tci", turns, up),
            up,
            load,
            centre,
        )

    @property
    def peak(self) -> float:
        return float(self.load.max())

    @property
    def standing(self) -> Booleans:
        return np.asarray(self.load > _STANDING * self.peak)

    @property
    def in_air(self) -> Booleans:
        return np.asarray(self.load < _AIR * self.peak)

    def first_heights(self) -> Floats:
        """Return heights at which each contact comes as deep as it needs to carry the peak with the others, or zero.

        The lowest place of a contact in stance is put there, so that a foot that rolls is touched all along its sole.
        """
        deepest = self.depths(np.zeros(len(self.names)))[self.standing].max(axis=0)
        share = self.peak / len(self.names)
        looked = np.linspace(0.0, 0.1, 1001)
        pressed = self.forces(np.tile(looked[:, None], len(self.names)), 1.0)[0]
        needed = [looked[min(int(np.searchsorted(column, share)), 1000)] for column in pressed.T]
        return np.asarray(deepest - np.array(needed))

    def depths(self, heights: Floats) -> Floats:
        """Return the depth of each contact, row by row, when it lies higher in its body than in the model."""
        up = self.places[..., 1] + heights * self.raised[..., 1]
        bottoms = [contact.plane.at[1] + getattr(contact, "radius", 0.0) for contact in self.contacts]
        return np.asarray(np.array(bottoms) - up)

    def forces(self, depths: Floats, factor: float) -> tuple[Floats, Floats]:
        """Return the force of each contact at rest, and its slope, row by row.

        At rest, since damping is a part of some per cent in stance and would pull on a foot that is lifted fast.
        """
        forces, slopes = np.empty_like(depths), np.empty_like(depths)
        for law, columns in self.laws:
            found = law(depths[:, columns].ravel(), np.zeros(len(depths) * len(columns)))
            forces[:, columns], slopes[:, columns] = (part.reshape(len(depths), -1) for part in found)
        return factor * forces, factor * slopes

    def shifts(self, heights: Floats, factor: float) -> Floats:
        """Return how much lower the foot must be in stance for its contacts to carry the plate's load (m)."""
        depths, load = self.depths(heights)[self.standing], self.load[self.standing]
        low, high, shift = np.full(len(load), -_LOOKED), np.full(len(load), _LOOKED), np.zeros(len(load))
        for _ in range(_STEPS):
            forces, slopes = self.forces(depths + shift[:, None], factor)
            excess = forces.sum(axis=1) - load
            if np.abs(excess).max() < _EXCESS * self.peak:
                break
            low, high = np.where(excess > 0, low, shift), np.where(excess > 0, shift, high)
            newton = shift - excess / np.maximum(slopes.sum(axis=1), 1e-12)
            shift = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2)
        return shift

    def centres(self, heights: Floats, forces: Floats) -> tuple[Floats, Floats]:
        """Return how far the centre of pressure is from the plate's in stance (m), and where the contacts are.

        x and z, but only x in a planar model, whose contacts lie in one plane wherever the plate's force goes.
        """
        rows = self.standing
        places = (self.places[rows] + heights[:, None] * self.raised[rows])[..., [0, 2]]
        if np.ptp(places[..., 1]) < _FLAT:
            places = places[..., :1]
        mean = np.einsum("tc,tci->ti", forces, places) / forces.sum(axis=1, keepdims=True)
        return mean - self.centre[rows][:, [0, 2][: places.shape[-1]]], places

    def residuals(self, heights: Floats, factor: float) -> tuple[Floats, Floats]:
        """Return weighted errors, and their derivatives by heights and by the logarithm of the stiffness."""
        rows, air = self.standing, self.in_air
        shifts = self.shifts(heights, factor)
        forces, slopes = self.forces(self.depths(heights)[rows] + shifts[:, None], factor)
        errors, places = self.centres(heights, forces)
        shift_by, centre_by = self._derivatives(forces, slopes, places)
        lifted, lifted_slopes = self.forces(self.depths(heights)[air], factor)
        lifted_by = np.column_stack([-lifted_slopes * self.raised[air][..., 1], lifted.sum(axis=1)])
        # Rows weigh by their load: the foot's first and last touch are the least known.
        weight = np.sqrt(self.load[rows] / self.peak)[:, None]
        values = (
            weight[:, 0] * shifts / _HEIGHT,
            (weight * errors / _CENTRE).ravel(),
            lifted.sum(axis=1) / (self.peak * _LIFTED),
        )
        slopes_of = (
            weight * shift_by / _HEIGHT,
            (weight[..., None] * centre_by / _CENTRE).reshape(-1, len(heights) + 1),
            lifted_by / (self.peak * _LIFTED),
        )
        return np.concatenate(values), np.vstack(slopes_of)

    def _derivatives(self, forces: Floats, slopes: Floats, places: Floats) -> tuple[Floats, Floats]:
        """Return how shifts (rows, unknowns) and centres of pressure (rows, axes, unknowns) change with the unknowns.

        The unknowns are the heights, then the logarithm of the stiffness; the sum of the forces stays the load.
        """
        raised = self.raised[self.standing]
        by_heights = -slopes[..., None] * np.eye(slopes.shape[1]) * raised[:, None, :, 1]
        # Rows (t), contacts (c), axes (i), unknowns (u); the foot does not move here.
        by_unknowns = np.concatenate([by_heights, forces[..., None]], axis=2)
        shift_by = -by_unknowns.sum(axis=1) / slopes.sum(axis=1, keepdims=True)
        force_by = by_unknowns + slopes[..., None] * shift_by[:, None, :]
        centre_by = np.einsum("tcu,tci->tiu", force_by, places)
        centre_by[..., :-1] += np.einsum("tc,tci->tic", forces, raised[..., [0, 2]][..., : places.shape[-1]])
        return shift_by, centre_by / forces.sum(axis=1)[:, None, None]

    def moved(self, heights: Floats, factor: float) -> dict[str, Contact]:
        """Return the contacts with other heights and stiffnesses, by name."""
        found: dict[str, Contact] = {}
        for number, (name, contact) in enumerate(zip(self.names, self.contacts, strict=True)):
            x, y, z = np.asarray(contact.at) + heights[number] * self.up[number]
            update = {"at": (float(x), float(y), float(z)), "stiffness": factor * contact.stiffness}
            found[name] = contact.model_copy(update=update)
        return found

    def judged(self, heights: Floats, factor: float) -> StanceFit:
        rows = self.standing
        shifts = self.shifts(heights, factor)
        depths = self.depths(heights)
        errors, _ = self.centres(heights, self.forces(depths[rows] + shifts[:, None], factor)[0])
        made = self.forces(depths, factor)[0].sum(axis=1)
        return StanceFit(
            self.plate.name,
            self.names,
            int(rows.sum()),
            float(np.sqrt(np.mean(shifts**2))),
            float(np.sqrt(np.mean(np.sum(errors**2, axis=1)))),
            float(np.sqrt(np.mean((made - self.load)[rows] ** 2))) / self.peak,
            float(made[self.in_air].max(initial=0.0)) / self.peak,
        )


def _laws(contacts: Sequence[Contact]) -> tuple[tuple[NormalForce, list[int]], ...]:
    """Return the laws of contacts with their columns; those that differ by place only have one law."""
    alike: dict[str, list[int]] = {}
    for number, contact in enumerate(contacts):
        alike.setdefault(contact.model_copy(update={"at": (0.0, 0.0, 0.0)}).model_dump_json(), []).append(number)
    return tuple((normal_force(contacts[columns[0]]), columns) for columns in alike.values())


def contacts_under(model: Model, body: str) -> tuple[str, ...]:
    """Return the names of the contacts of a body and of all bodies that it carries."""
    carried = carried_by(model, body)
    return tuple(n for n, force in model.forces.items() if isinstance(force, _CONTACTS) and force.body in carried)


def _check_level(name: str, contact: Contact) -> None:
    tilt = np.asarray(contact.plane.orientation) - (0.0, 0.0, -np.pi / 2)
    if contact.plane.body != GROUND or np.abs(tilt).max() > 1e-9:
        raise ModelError(f"'{name}' does not rest on a level floor (y up): such contacts are not fitted")


def _recorded(plate: ExternalForce, time: Floats) -> tuple[Floats, Floats]:
    """Return vertical force and point of application of a plate at some times."""
    if plate.force_frame != GROUND or plate.point_frame != GROUND or plate.point is None:
        raise DataError(f"plate '{plate.name}' must give force and point of application in the axes of the ground")
    applied = plate.at(time)
    load = applied.force[:, 1]
    if not load.max(initial=0.0) > 0.0:
        raise DataError(f"plate '{plate.name}' records no load during the motion: leave it out")
    assert applied.point is not None
    return np.maximum(load, 0.0), applied.point


def _with_contacts(model: Model, motion: Trajectory, plates: ExternalForces, points: int) -> Model:
    """Return the model with contacts placed under the plates' bodies that have none."""
    bare = []
    for plate in plates.values():
        if plate.body not in model.bodies:
            raise ModelError(f"plate '{plate.name}': {unknown_name('body', plate.body, tuple(model.bodies))}")
        if not contacts_under(model, plate.body):
            bare.append(plate)
    if not bare:
        return model
    spans = {plate.body: _span(model, motion, plate) for plate in bare}
    return place_contacts(model, [plate.body for plate in bare], points=points, spans=spans)


def _span(model: Model, motion: Trajectory, plate: ExternalForce) -> tuple[float, float]:
    """Return from where to where a foot is touched, by its geometry or its centre of pressure (m, from its origin)."""
    pose = DefaultPose.of(model)
    movement = coordinate_motion(model, motion, None)
    equations = equations_kept(model)
    order = [movement.names.index(name) for name in equations.coordinates]
    turns, places = equations.body_poses(movement.q[:, order])
    number = equations.bodies.index(plate.body)
    load, centre = _recorded(plate, motion.time)
    rows = load > _STANDING * load.max()
    in_foot = np.einsum("tji,tj->ti", turns[rows, number], centre[rows] - places[rows, number])
    along = (in_foot @ pose.rotations[plate.body].T)[:, 0]
    known = pose.known_points(carried_by(model, plate.body))[:, 0] - pose.places[plate.body][0]
    both = np.concatenate([along, known])
    return float(both.min()), float(both.max())
