"""Surfaces that paths wrap over: cylinders, spheres, ellipsoids and tori, fixed to bodies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from myodyne.model.bodies import Placement
from myodyne.model.part import Name, Part, Positive

# A path may be held to one half of a surface: the half where the named axis of the surface is positive or negative.
Half = Literal["all", "x", "-x", "y", "-y", "z", "-z"]


class WrapCylinder(Part):
    """A cylinder about the z axis of its frame, of ``radius`` and ``length`` (m), centred at the origin.

    Examples
    --------
    The condyles of a thigh, over which muscles run in front (the positive half of x):

    >>> import myodyne as my
    >>> condyles = my.WrapCylinder(frame=my.Placement(body="thigh", at=(0.0, -0.4, 0.0)), radius=0.025, length=0.1,
    ...                            half="x")
    >>> condyles.half
    'x'
    """

    kind: Literal["cylinder"] = "cylinder"
    frame: Placement
    half: Half = "all"
    radius: Positive
    length: Positive


class WrapSphere(Part):
    """A sphere of ``radius`` (m) about the origin of its frame.

    Examples
    --------
    >>> import myodyne as my
    >>> my.WrapSphere(frame=my.Placement(body="humerus"), radius=0.024).half      # the head of a humerus
    'all'
    """

    kind: Literal["sphere"] = "sphere"
    frame: Placement
    half: Half = "all"
    radius: Positive


class WrapEllipsoid(Part):
    """An ellipsoid with half axes ``radii`` (m) along the axes of its frame.

    Examples
    --------
    >>> import myodyne as my
    >>> my.WrapEllipsoid(frame=my.Placement(body="thorax"), radii=(0.1, 0.2, 0.1)).radii
    (0.1, 0.2, 0.1)
    """

    kind: Literal["ellipsoid"] = "ellipsoid"
    frame: Placement
    half: Half = "all"
    radii: tuple[Positive, Positive, Positive]


class WrapTorus(Part):
    """A ring about the z axis of its frame; the path runs through its hole.

    ``inner_radius`` (m) is that of the tube, ``outer_radius`` (m) that of the circle along which the tube is bent.

    Examples
    --------
    >>> import myodyne as my
    >>> my.WrapTorus(frame=my.Placement(body="scapula"), inner_radius=0.002, outer_radius=0.02).outer_radius
    0.02
    """

    kind: Literal["torus"] = "torus"
    frame: Placement
    half: Half = "all"
    inner_radius: Positive
    outer_radius: Positive


# How paths of a model run over its surfaces: to the letter of OpenSim 4.6, or by the shortest way on the wanted side.
Wrapping = Literal["opensim", "shortest"]

Surface = Annotated[WrapCylinder | WrapSphere | WrapEllipsoid | WrapTorus, Field(discriminator="kind")]

Count = Annotated[int, Field(strict=True, ge=1)]


class Wrap(Part):
    """How a path runs over a surface: which one, between which of its points, by which method.

    ``first`` and ``last`` count the points of the path from 1; None stands for the first and the last of all. The
    method chooses the plane in which a path runs over an ellipsoid, where there is a choice.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Wrap(surface="condyles", first=2, last=3).method
    'hybrid'
    """

    surface: Name
    first: Count | None = None
    last: Count | None = None
    method: Literal["hybrid", "midpoint", "axial"] = "hybrid"

    @model_validator(mode="after")
    def _ends_in_order(self) -> Wrap:
        if self.first is not None and self.last is not None and not self.first < self.last:
            raise ValueError(f"the first point ({self.first}) must come before the last ({self.last})")
        return self
