"""Which coordinate and control of the other side mirrors each, and with which sign: found by geometry.

The body is reflected in its sagittal plane (x forward, y up), which turns z to -z. A pose whose coordinates are
exchanged between the sides, each with its sign, must be the reflection of the pose: that decides the signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from myodyne.analyse.sides.actuators import actuator_sign
from myodyne.analyse.sides.differences import differences, sided_without_partner
from myodyne.analyse.sides.names import mirrored_name, other_side
from myodyne.equations import equations_of
from myodyne.errors import ModelError, listed
from myodyne.model import Model
from myodyne.types import Floats

# A reflection turns z, and with it what changes sign in a vector.
MIRROR = np.array([1.0, 1.0, -1.0])
_STEP = 0.1
# Of how far a coordinate moves the bodies: more than this, and it does not mirror its partner with either sign.
_UNLIKE = 0.4
# Random poses are reflected within so much (m, rad), for sides of slightly different size.
_LARGEST = 0.06
# Rates of a reflected vector's components: linear ones change sign along z, turning ones about x and y.
_LINEAR = ("position_z", "velocity_z", "acceleration_z", "force_z")
_TURNING = ("moment_x", "moment_y", "angular_velocity_x", "angular_velocity_y")


@dataclass(frozen=True)
class Sides:
    """Which coordinate and control mirrors each, and with which sign.

    Parameters
    ----------
    partners
        The coordinate, muscle or motor of the other side, by name; those of the midline are their own partners.
    signs
        1, or -1 where the partner has the opposite value in a mirrored movement, such as the list of the pelvis.
    planar
        Whether nothing leaves the sagittal plane.

    Examples
    --------
    >>> import myodyne as my
    >>> sides = my.sides_of(my.load_model("full_body"))
    >>> sides.partners["hip_flexion_r"], sides.sign("pelvis_list"), sides.sign("pelvis_tilt")
    ('hip_flexion_l', -1.0, 1.0)
    """

    partners: Mapping[str, str]
    signs: Mapping[str, float]
    planar: bool

    @property
    def negated(self) -> tuple[str, ...]:
        """Names of the coordinates and motors that change sign."""
        return tuple(name for name, sign in self.signs.items() if sign < 0)

    def sign(self, name: str) -> float:
        """Return the sign of a coordinate, control, state or output in the mirrored movement, 1 or -1."""
        if name in self.signs:
            return self.signs[name]
        owner, _, what = name.rpartition(".")
        if what.endswith(_LINEAR) or what.endswith(_TURNING):
            return -1.0
        if what in ("speed", "acceleration", "moment", "control"):
            return self.signs.get(owner, 1.0)
        return 1.0

    def partner(self, name: str, names: Iterable[str]) -> str:
        """Return the name, among some, of what mirrors a coordinate, control, state or output."""
        return self.partners.get(name) or mirrored_name(name, names)


@cache
def sides_of(model: Model) -> Sides:
    """Return which coordinates and controls of a model mirror each other, and with which signs.

    Sides are recognised by names (``right_knee`` and ``left_knee``, ``knee_r`` and ``knee_l``), signs by geometry:
    the mirrored pose must be the reflection of the pose in the sagittal plane. A model whose sides differ, by more
    than 2 cm, 5 % of a mass or 5 % of a muscle, raises a ModelError that names what differs.

    Parameters
    ----------
    model
        The model: x forward, y up, z to the right.

    Examples
    --------
    >>> import myodyne as my
    >>> my.sides_of(my.load_model("gait2d")).partners["right_knee"]
    'left_knee'
    >>> my.sides_of(my.load_model("full_body")).negated[:3]
    ('pelvis_z', 'pelvis_list', 'pelvis_rotation')
    """
    alone = sided_without_partner(model)
    if alone:
        raise ModelError(
            f"'{model.name}' does not mirror: there is no other side for {listed(alone[:6])}"
            + (f" and {len(alone) - 6} more" if len(alone) > 6 else "")
            + "; names of the sides are like 'knee_r' and 'knee_l', or 'right_knee' and 'left_knee'"
        )
    moved = _Moved(model)
    signs = {name: moved.sign(name) for name in moved.coordinates}
    unlike = differences(model, moved.planar)
    if unlike:
        raise ModelError(
            f"'{model.name}' does not mirror: {'; '.join(unlike[:3])}. Half a cycle represents a whole one only if "
            f"the sides are alike: make them alike, or use a whole cycle, Periodic()"
        )
    moved.check_reflected(signs)
    for name in model.controls:
        signs[name] = 1.0 if name in model.muscles else actuator_sign(model, name, signs)
    return Sides({name: other_side(name) for name in signs}, signs, moved.planar)


class _Moved:
    """How coordinates move the bodies of a model."""

    def __init__(self, model: Model) -> None:
        # Only a few poses are evaluated: compiling would take longer.
        self.model = model
        self.equations = equations_of(model, compiled=False)
        self.coordinates = self.equations.coordinates
        self.bodies = self.equations.bodies
        self.others = [self.bodies.index(other_side(name)) for name in self.bodies]
        self.centres = np.array([model.bodies[name].centre_of_mass for name in self.bodies])
        # Zero is the mirror of zero whatever the signs.
        self.turns, self.places = self._poses(np.zeros((1, len(self.coordinates))))
        self.planar = self._planar()

    def _poses(self, q: Floats) -> tuple[Floats, Floats]:
        turns, origins = self.equations.body_poses(q)
        return turns, origins + np.einsum("nbij,bj->nbi", turns, self.centres)

    def _planar(self) -> bool:
        random = np.random.default_rng(1)
        turns, places = self._poses(random.uniform(-0.3, 0.3, (3, len(self.coordinates))))
        tilted = abs(turns[:, :, 2, :] - self.turns[:, :, 2, :]).max(initial=0.0)
        return bool(max(abs(places - self.places)[..., 2].max(initial=0.0), tilted) < 1e-9)

    def _shifts(self, q: Floats) -> tuple[Floats, Floats]:
        """Return how far bodies turn and shift from the pose of zeros."""
        turns, places = self._poses(np.atleast_2d(q))
        return turns @ np.swapaxes(self.turns, -1, -2), places - self.places

    def _errors(self, q: Floats, mirrored: Floats) -> Floats:
        """Return how far a pose is off the reflection of another, for each body (m, rad)."""
        turns, shifts = self._shifts(q)
        own_turns, own_shifts = self._shifts(mirrored)
        turned = MIRROR[:, None] * turns * MIRROR - own_turns[:, self.others]
        shifted = shifts * MIRROR - own_shifts[:, self.others]
        found: Floats = np.sqrt((turned**2).sum((-1, -2)) / 2 + (shifted**2).sum(-1))[0]
        return found

    def sign(self, name: str) -> float:
        """Return the sign with which the other side's coordinate reflects one."""
        place, other = (self.coordinates.index(each) for each in (name, other_side(name)))
        one, same, opposite = np.zeros((3, len(self.coordinates)))
        one[place], same[other], opposite[other] = _STEP, _STEP, -_STEP
        errors = [float(np.linalg.norm(self._errors(one, each))) for each in (same, opposite)]
        size = float(np.linalg.norm(self._errors(one, np.zeros_like(one))))
        if min(errors) > _UNLIKE * size:
            body = self.bodies[int(np.argmax(self._errors(one, same if errors[0] <= errors[1] else opposite)))]
            raise ModelError(
                f"'{self.model.name}' does not mirror: '{other_side(name)}' moves '{other_side(body)}' differently "
                f"from how '{name}' moves '{body}', reflected between left and right, with either sign"
            )
        return 1.0 if errors[0] <= errors[1] else -1.0

    def check_reflected(self, signs: Mapping[str, float]) -> None:
        """Raise an error if poses are not reflected by the signs."""
        random = np.random.default_rng(2)
        for q in random.uniform(-0.3, 0.3, (3, len(self.coordinates))):
            mirrored = np.zeros_like(q)
            for place, name in enumerate(self.coordinates):
                mirrored[self.coordinates.index(other_side(name))] = signs[name] * q[place]
            errors = self._errors(q, mirrored)
            if errors.max(initial=0.0) > _LARGEST:
                body = self.bodies[int(np.argmax(errors))]
                raise ModelError(
                    f"'{self.model.name}' does not mirror: mirrored, '{other_side(body)}' is {errors.max():.2f} "
                    f"(m, rad) off the reflection of '{body}'"
                )
