"""Schemes of optimal control as plain data, for files."""

from __future__ import annotations

from typing import Any

from myodyne.numerics.collocation import HermiteSimpson, Transcription, Trapezoid
from myodyne.numerics.schemes import BackwardEuler, Midpoint, Radau

_SCHEMES = {kind.__name__: kind for kind in (BackwardEuler, Midpoint, Trapezoid, HermiteSimpson, Radau)}


def plain_scheme(scheme: Transcription) -> dict[str, Any]:
    """Return a scheme as plain data."""
    numbers = {"degree": scheme.degree} if isinstance(scheme, Radau) else {}
    return {"kind": type(scheme).__name__, **numbers}


def scheme_from_plain(value: object) -> Transcription:
    """Return a scheme from plain data, or as it is."""
    if isinstance(value, dict) and str(value.get("kind")) in _SCHEMES:
        numbers = {name: number for name, number in value.items() if name != "kind"}
        kind = _SCHEMES[value["kind"]]
        if numbers.keys() - ({"degree"} if kind is Radau else set()):
            raise ValueError(f"a scheme of the kind {value['kind']} has no {', '.join(map(repr, numbers))}")
        value = kind(**numbers)
    if not isinstance(value, Transcription):
        raise ValueError(f"a scheme is one of {', '.join(_SCHEMES)}, not {value!r:.60}")
    return value
