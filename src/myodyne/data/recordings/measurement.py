"""Distances between markers, from which bodies are scaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from myodyne.data.plain import DataError


@dataclass(frozen=True)
class Measurement:
    """Distances between pairs of markers, and the bodies that they scale, along which axes.

    ``pairs`` holds two names each; the factor is the mean, over pairs, of the recorded distance divided by that of the
    model in its default pose. ``bodies`` says for each body which of its axes it scales, like ``"xyz"`` or ``"y"``.

    Examples
    --------
    >>> thigh = Measurement(pairs=[("R.ASIS", "R.Knee.Lat")], bodies={"femur_r": "xyz"})
    >>> thigh.bodies
    {'femur_r': 'xyz'}
    """

    pairs: Sequence[tuple[str, str]]
    bodies: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.pairs or any(isinstance(pair, str) or len(pair) != 2 for pair in self.pairs):
            raise DataError(f"a measurement needs pairs of markers, like [('hip', 'knee')], not {self.pairs!r:.60}")
        for body, axes in self.bodies.items():
            if not axes or set(axes.lower()) - set("xyz"):
                raise DataError(f"the axes along which '{body}' is scaled are some of 'xyz', not {axes!r:.40}")
