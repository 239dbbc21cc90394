"""A model described: as plain data for programs, and in short words for people."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from myodyne.model import Coordinate, Function, Joint, Model, Part, Path, Remark
    from myodyne.model.surfaces import Surface

# A number of this size beside numbers of the size of a body is rounding.
_ROUNDING = 1e-12
# More controls than these would fill the screen with the names of muscles.
_MOST_NAMES = 24
# Names and numbers in a remark.
_VARIABLE = re.compile(r"'[^']*'|-?\d[\d.e+-]*")


def summary(name: str, model: Model) -> dict[str, Any]:
    """Return what a list of models says about one of them."""
    return {
        "name": name,
        "bodies": len(model.bodies),
        "coordinates": len(model.coordinates),
        "moving": len(model.moving),
        "muscles": len(model.muscles),
        "constraints": len(model.constraints),
        "controls": len(model.controls),
        "mass": model.mass,
        "source": model.source,
    }


def anatomy(model: Model) -> dict[str, Any]:
    """Return everything about a model as plain data, with what follows from it."""
    from myodyne.model.units import angles

    content = model.model_dump(mode="json")
    turning = angles(model)
    coordinates = {
        name: {"unit": "rad" if name in turning else "m", **part.model_dump(mode="json")}
        for name, part in model.coordinates.items()
    }
    derived = {
        "hash": model.hash,
        "mass": model.mass,
        **_at_rest(model),
        "coordinates": coordinates,
        "controls": list(model.controls),
    }
    tables = ("bodies", "joints", "surfaces", "muscles", "forces", "constraints", "markers", "free_values")
    audit = {} if model.audit is None else {"audit": model.audit.model_dump(mode="json")}
    return {
        **{field: content[field] for field in ("name", "source", "gravity")},
        **derived,
        **{table: content[table] for table in tables},
        **audit,
    }


def _at_rest(model: Model) -> dict[str, Any]:
    """Return what must be computed in the default pose: degrees of freedom and centre of mass."""
    import numpy as np

    from myodyne.equations import equations_of
    from myodyne.simulate.constrained import constraint_rows

    # Interpreted: two numbers are not worth the time of a compiler.
    equations = equations_of(model, compiled=False)
    q = equations.coordinate_defaults()
    lost = 0
    if equations.multipliers:
        # Constraints that say the same twice take away one degree, not two.
        lost = int(np.linalg.matrix_rank(constraint_rows(equations, q)))
    centre = equations.centre_of_mass(q).tolist() if model.mass > 0 else None
    return {"degrees_of_freedom": len(equations.coordinates) - lost, "centre_of_mass": centre}


def angle_text(value: float, unit: str) -> str:
    """Return a number with its unit, angles in degrees as well.

    Examples
    --------
    >>> angle_text(1.5708, "rad"), angle_text(0.25, "m")
    ('1.571 rad (90°)', '0.25 m')
    """
    if unit != "rad":
        return f"{value:.4g} {unit}"
    return f"{value:.4g} rad ({math.degrees(value):.4g}°)"


def range_text(part: Coordinate, unit: str) -> str:
    """Return the range of a coordinate, in degrees as well where it is an angle."""
    if part.range is None:
        return ""
    low, high = part.range
    shown = f"{low:.4g} to {high:.4g} {unit}"
    return f"{shown} ({math.degrees(low):.4g}° to {math.degrees(high):.4g}°)" if unit == "rad" else shown


def path_text(path: Path) -> str:
    """Return over which bodies a path runs, or of which coordinates its length is a function."""
    if path.kind == "function":
        return f"function of {', '.join(path.length.coordinates)}"
    bodies = " → ".join(dict.fromkeys(point.body for point in path.points))
    return f"{bodies} over {', '.join(wrap.surface for wrap in path.wraps)}" if path.wraps else bodies


def size_text(surface: Surface) -> str:
    """Return the measures of a surface by name."""
    frame = ("kind", "frame", "half")
    return ", ".join(
        f"{name.replace('_', ' ')} {_value_text(value)}"
        for name, value in surface.model_dump(mode="json").items()
        if name not in frame
    )


def names_text(names: Sequence[str]) -> str:
    """Return names in a line; of many, how many there are and the first of them.

    Examples
    --------
    >>> names_text([]), names_text(["hip", "knee"])
    ('none', 'hip, knee')
    """
    if len(names) <= _MOST_NAMES:
        return ", ".join(names) or "none"
    return f"{len(names)}: {', '.join(names[:_MOST_NAMES])}, …"


def folded(remarks: Sequence[Remark]) -> list[tuple[str, str, str, str]]:
    """Return remarks as rows of fate, element, line and text; those alike but for names and numbers are one row.

    Examples
    --------
    >>> from myodyne.model import Remark
    >>> folded([Remark(fate="suspicious", element="Body", name=name, line=9, message=f"has {kg} kg")
    ...         for name, kg in (("hand", 0), ("foot", 1), ("toes", 2))])
    [('suspicious', 'Body hand', '9', 'has 0 kg (and 2 more like this)')]
    """
    groups: dict[tuple[str, str, str], list[Remark]] = {}
    for remark in remarks:
        groups.setdefault((remark.fate, remark.element, _VARIABLE.sub("", remark.message)), []).append(remark)
    rows: list[tuple[str, str, str, str]] = []
    for first, *more in groups.values():
        like = f" (and {len(more)} more like this)" if more else ""
        line = "" if first.line is None else str(first.line)
        rows.append((first.fate, f"{first.element} {first.name}".strip(), line, first.message + like))
    return rows


def state_text(part: Coordinate) -> str:
    """Return whether a coordinate moves on its own."""
    if part.locked:
        return "locked"
    return "moves" if part.coupled is None else f"follows {function_text(part.coupled)}"


def vector_text(vector: Sequence[float]) -> str:
    """Return three numbers, rounded, without minus zeros."""
    size = max(map(abs, vector), default=0.0)
    return ", ".join(f"{0.0 if abs(x) <= _ROUNDING * size else x:.4g}" for x in vector)


def motion_text(joint: Joint) -> str:
    """Return how a joint moves, axis by axis."""
    verbs = {"rotation": "turns about", "translation": "slides along"}
    axes = [f"{verbs[a.motion]} {direction_text(a.direction)} by {function_text(a.function)}" for a in joint.axes]
    return "; ".join(axes) or "welded"


def direction_text(direction: Sequence[float]) -> str:
    """Return a direction as the name of an axis where it is one.

    Examples
    --------
    >>> direction_text((0.0, 0.0, -1.0))
    '-z'
    """
    for letter, place in zip("xyz", range(3), strict=True):
        if abs(direction[place]) == 1.0:
            return letter if direction[place] > 0 else f"-{letter}"
    return f"({vector_text(direction)})"


def function_text(function: Function) -> str:
    """Return a function in short: the coordinate itself, a line, or kind and coordinates."""
    from myodyne.model import Constant, Linear

    if isinstance(function, Constant):
        return f"{function.value:.4g}"
    if isinstance(function, Linear):
        slope = {1.0: "", -1.0: "-"}.get(function.slope, f"{function.slope:.4g} ")
        return f"{slope}{function.coordinate}" + (f" {function.offset:+.4g}" if function.offset else "")
    return f"{function.kind}({', '.join(function.coordinates)})"


def part_text(part: Part) -> str:
    """Return the fields of a force or a constraint in a line, its kind left out."""
    return ", ".join(
        f"{name.replace('_', ' ')} {path_text(getattr(part, name)) if name == 'path' else _value_text(value)}"
        for name, value in part.model_dump(mode="json").items()
        if name != "kind" and value is not None
    )


def _value_text(value: object) -> str:
    if isinstance(value, dict):
        # A point or frame on a body: places at the origin and turns by nothing are not worth a word.
        shown = {key: item for key, item in value.items() if item not in ([0.0, 0.0, 0.0], None)}
        bare = ("body", "kind")
        return " ".join(("" if key in bare else f"{key} ") + _value_text(item) for key, item in shown.items())
    if isinstance(value, list):
        return f"({', '.join(map(_value_text, value))})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
