"""Rigid bodies, and points on them."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from myodyne.model.part import Name, NonNegative, Number, Part, Vector

GROUND = "ground"


class Inertia(Part):
    """Moments and products of inertia (kg m²) about the centre of mass, in the axes of the body.

    ``xy`` is the entry of the inertia matrix, ``-∫ x y dm``. A single number stands for a body that is the
    same about all axes, the usual form for planar models. ``as_published`` keeps numbers that no body can have, for
    models that are reproduced as they were published.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Inertia(xx=0.1, yy=0.002, zz=0.1).matrix      # kg m²
    ((0.1, 0.0, 0.0), (0.0, 0.002, 0.0), (0.0, 0.0, 0.1))
    """

    xx: Number = 0.0
    yy: Number = 0.0
    zz: Number = 0.0
    xy: Number = 0.0
    xz: Number = 0.0
    yz: Number = 0.0
    as_published: bool = Field(default=False, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, value: object) -> object:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return {"xx": value, "yy": value, "zz": value}
        return value

    @model_validator(mode="after")
    def _can_exist(self) -> Inertia:
        if self.as_published:
            return self
        if min(self.xx, self.yy, self.zz) < 0.0:
            raise ValueError(f"moments of inertia must not be less than 0, as {min(self.xx, self.yy, self.zz):.6g} is")
        matrix = np.array(self.matrix)
        small, middle, large = np.linalg.eigvalsh(matrix)
        slack = 1e-9 * max(large, 1e-300)
        if small < -slack:
            raise ValueError(f"the inertia matrix has the negative principal moment {small:.6g}; check the products")
        if large > small + middle + max(slack, 1e-6 * large):
            raise ValueError(
                f"principal moments {small:.6g}, {middle:.6g}, {large:.6g} break the triangle inequality: "
                f"no body has one moment larger than the sum of the others. For a planar model write the one number "
                f"alone (inertia: {self.zz:.6g})"
            )
        return self

    @property
    def matrix(self) -> tuple[Vector, Vector, Vector]:
        """The symmetric matrix, row by row."""
        return (
            (self.xx, self.xy, self.xz),
            (self.xy, self.yy, self.yz),
            (self.xz, self.yz, self.zz),
        )


class Body(Part):
    """A rigid body: mass (kg), centre of mass (m, from its origin), inertia about the centre of mass.

    ``geometry`` names files with the shapes that show it, which play no part in its motion.

    Examples
    --------
    A thigh of 7.5 kg whose centre of mass lies 0.186 m below its origin; inertia in kg m²:

    >>> import myodyne as my
    >>> thigh = my.Body(mass=7.5, centre_of_mass=(0.0, -0.186, 0.0), inertia=0.12)
    >>> thigh.inertia.zz
    0.12
    """

    mass: NonNegative
    centre_of_mass: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia = Inertia()
    geometry: tuple[str, ...] = ()


class Marker(Part):
    """A named point fixed to a body, or to the ground; `place_markers` leaves it there where ``fixed``.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Marker(body="foot", at=(0.15, -0.02, 0.0)).at      # m, in the axes of the foot
    (0.15, -0.02, 0.0)
    """

    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    fixed: bool = Field(default=False, strict=True)

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave ``fixed`` out where it is not: most points are not markers."""
        content: dict[str, Any] = handler(self)
        if not self.fixed:
            content.pop("fixed", None)
        return content


Angle = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-6.3, le=6.3)]


class Placement(Part):
    """A frame fixed to a body: its position and orientation.

    ``orientation`` holds three angles (rad): turns about the frame's own x, then its new y, then its new z.

    Examples
    --------
    A frame 0.43 m below the origin of the thigh, turned by 90° about x:

    >>> import myodyne as my
    >>> knee = my.Placement(body="thigh", at=(0.0, -0.43, 0.0), orientation=(my.degrees(90), 0.0, 0.0))
    >>> round(knee.orientation[0], 4)
    1.5708
    """

    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    orientation: tuple[Angle, Angle, Angle] = (0.0, 0.0, 0.0)
