"""Surfaces of one body that overlap: a string that is taut over both would lie in the groove between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from myodyne.model.surfaces import Surface, WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from myodyne.numerics.rotations import rotation
from myodyne.types import Booleans, Floats

# Sample points around and along a surface.
_AROUND, _ALONG = 48, 25


def overlapping(surfaces: Sequence[Surface]) -> list[int]:
    """Return a group number for each surface, equal for those that overlap, directly or through others."""
    groups = list(range(len(surfaces)))
    for i, j in combinations(groups.copy(), 2):
        one_body = surfaces[i].frame.body == surfaces[j].frame.body
        if one_body and groups[i] != groups[j] and _overlap(surfaces[i], surfaces[j]):
            old, new = max(groups[i], groups[j]), min(groups[i], groups[j])
            groups = [new if group == old else group for group in groups]
    return groups


def _overlap(a: Surface, b: Surface) -> bool:
    # A taut string touches a cylinder beyond its ends until it slips off, but infinite cylinders nearly always meet.
    ends = a.kind == b.kind == "cylinder"
    return bool(_inside(b, _points(a), ends).any() or _inside(a, _points(b), ends).any())


def _points(surface: Surface) -> Floats:
    """Return points on a surface and within it, in the axes of its body."""
    around = np.linspace(0.0, 2.0 * np.pi, _AROUND, endpoint=False)
    rise = np.linspace(-1.0, 1.0, _ALONG)
    angle, height = (part.ravel() for part in np.meshgrid(around, rise))
    flat = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    match surface:
        case WrapCylinder():
            shell = np.column_stack([surface.radius * flat, 0.5 * surface.length * height])
            core = np.column_stack([0.0 * flat, 0.5 * surface.length * height])
        case WrapSphere() | WrapEllipsoid():
            radii = np.full(3, surface.radius) if isinstance(surface, WrapSphere) else np.array(surface.radii)
            shell = radii * np.column_stack([np.sqrt(1.0 - height**2)[:, None] * flat, height])
            core = np.zeros((1, 3))
        case WrapTorus():
            tilt = np.pi * height[:, None]
            shell = np.column_stack(
                [
                    (surface.outer_radius + surface.inner_radius * np.cos(tilt)) * flat,
                    surface.inner_radius * np.sin(tilt),
                ]
            )
            core = np.column_stack([surface.outer_radius * flat, 0.0 * height])
    return np.concatenate([shell, core]) @ rotation(surface.frame.orientation).T + surface.frame.at


def _inside(surface: Surface, points: Floats, ends: bool) -> Booleans:
    x = (points - surface.frame.at) @ rotation(surface.frame.orientation)
    off = np.hypot(x[:, 0], x[:, 1])
    match surface:
        case WrapCylinder():
            return (off < surface.radius) & ((np.abs(x[:, 2]) < 0.5 * surface.length) | (not ends))
        case WrapSphere():
            return np.asarray(np.linalg.norm(x, axis=1) < surface.radius)
        case WrapEllipsoid():
            return np.asarray(np.linalg.norm(x / surface.radii, axis=1) < 1.0)
        case WrapTorus():
            return np.hypot(off - surface.outer_radius, x[:, 2]) < surface.inner_radius
