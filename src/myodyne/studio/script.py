"""A session as the Python that gives the same numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from myodyne.data import Recipe
from myodyne.data.curves.signals import Signal
from myodyne.studio.changes.courses import motors_of, steps_of, wanted
from myodyne.studio.changes.ties import tie_code
from myodyne.studio.reference import Reference
from myodyne.studio.session import Session, opened


def script_of(session: Session, reference: Reference | None = None) -> str:
    """Return a script that simulates what the session shows.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> 'movement = my.load_movement("jump")' in script_of(opened("jump"))
    True
    """
    kind, name = session.origin
    lines = ["import myodyne as my", ""]
    if kind == "model":
        lines += [f'model = my.load_model("{name}")']
    elif kind == "movement":
        lines += [f'movement = my.load_movement("{name}")', "model = movement.model"]
    else:
        lines += [
            f'movement = my.Movement.from_result(my.load("{name}"), name="{session.name}", summary="", source="")',
            "model = movement.model",
        ]
    if session.numbers:
        lines.append(
            f"model = model.free({', '.join(map(repr, session.numbers))}).with_values({dict(session.numbers)!r})"
        )
    if session.motors:
        rows = ", ".join(f'"{name}_motor": my.CoordinateActuator(coordinate="{name}")' for name in session.motors)
        # Before free numbers, so that names are those of the studio.
        lines.insert(_model_line(lines) + 1, f"model = model.with_parts(forces={{{rows}}})")
    if session.ties:
        rows = ", ".join(f'"{name}": {tie_code(session.model, name)}' for name in session.ties)
        lines.insert(_model_line(lines) + 1, f"model = model.with_parts(constraints={{{rows}}})")
    if session.courses:
        return _text([*lines, *_along(session)], session, reference)
    parts = (*session.earlier, session.recipe)
    for number, recipe in enumerate(parts, start=1):
        name = "run" if number == len(parts) else f"part{number}"
        lines += _simulation(name, session, recipe, f"part{number - 1}" if number > 1 else "")
    return _text(lines, session, reference)


def _text(lines: list[str], session: Session, reference: Reference | None) -> str:
    if reference is not None:
        names = reference.shared(session.model)
        lines.append(f"print(my.compare(run, my.load({reference.file!r}), {list(names)!r}))")
    text = "\n".join([*lines, "my.show(run)"]) + "\n"
    # Schemes without a largest step print as infinity.
    text = text if not re.search(r"\binf\b", text) else f"from math import inf\n\n{text}"
    return f"import numpy as np\n{text}" if session.courses else text


def _model_line(lines: list[str]) -> int:
    """Return where the model is loaded."""
    return next(number for number, line in enumerate(lines) if line.startswith("model = "))


def _along(session: Session) -> list[str]:
    """Return the calls that find the forces for the wanted courses, and simulate under them."""
    first, last = session.recipe.from_time, session.recipe.from_time + session.recipe.duration
    units = wanted(session).units
    courses = [f'    "{name}": my.{signal_code(course)}(times),' for name, course in session.courses.items()]
    controls = [
        f'        "{motor}": my.piecewise_constant(times[:-1], found.moments.values("{name}.moment") / {gain!r}),'
        for motor, (name, gain) in motors_of(session.changed_model).items()
    ]
    return [
        f"times = np.linspace({first!r}, {last!r}, {steps_of(session) + 1})",
        "course = my.Trajectory(times, {",
        *courses,
        f"}}, {units!r})",
        "found = my.reproduce(model, course, scheme=my.Midpoint())",
        "run = my.simulate(",
        "    model,",
        f"    {session.recipe.duration!r},",
        "    start=dict(found.start),",
        "    controls={",
        *controls,
        "    },",
        f"    scheme=my.{session.recipe.scheme!r},",
        *([f"    from_time={first!r},"] if first else []),
        *([f"    until={_until(session.recipe)},"] if session.recipe.until else []),
        ")",
    ]


def _simulation(name: str, session: Session, recipe: Recipe, before: str) -> list[str]:
    """Return the call that simulates one part; those after the first start where the one before ended."""
    return [
        f"{name} = my.simulate(",
        "    model,",
        f"    {recipe.duration!r},",
        f"    start={before or _start(session)},",
        *_controls(session, recipe),
        f"    scheme=my.{recipe.scheme!r},",
        *([f"    from_time={recipe.from_time!r},"] if recipe.from_time and not before else []),
        *([f"    every={recipe.every!r},"] if recipe.every is not None else []),
        *([f"    until={_until(recipe)},"] if recipe.until else []),
        *_law(session),
        ")",
    ]


@lru_cache(maxsize=4)
def _as_opened(name: str) -> Recipe:
    """Return the recipe of a movement before any edit; it is asked for with every one."""
    return opened(name).recipe


def _law(session: Session) -> list[str]:
    if session.feedback is None:
        return []
    before = _law_as_opened(session.origin[1])
    changed = {name: value for name, value in session.feedback.gains.items() if before.get(name) != value}
    return [f"    feedback=movement.feedback{f'.with_gains(**{changed!r})' if changed else ''},"]


@lru_cache(maxsize=4)
def _law_as_opened(name: str) -> Mapping[str, float]:
    """Return the gains of a movement before any edit."""
    law = opened(name).feedback
    return {} if law is None else law.gains


def _start(session: Session) -> str:
    if session.origin[0] == "model":
        return repr(dict(session.start))
    opened_start = dict(_as_opened(session.origin[1]).start)
    changed = {name: value for name, value in session.start.items() if opened_start.get(name) != value}
    return f"{{**movement.start, **{changed!r}}}" if changed else "movement.start"


def _controls(session: Session, recipe: Recipe) -> list[str]:
    based = session.origin[0] != "model"
    before = _as_opened(session.origin[1]).controls if based else {}
    changed = {name: curve for name, curve in recipe.controls.items() if before.get(name) != curve}
    if based and not changed:
        return ["    controls=movement.controls,"]
    rows = [f'        "{name}": my.{signal_code(curve)},' for name, curve in changed.items()]
    first = ["        **movement.controls,"] if based else []
    return ["    controls={", *first, *rows, "    },"]


def signal_code(signal: Signal) -> str:
    """Return the call that makes a signal, every number in it.

    Examples
    --------
    >>> from myodyne.data.curves.signals import bezier
    >>> signal_code(bezier([0.0, 1.0], 0.0, 0.5))
    'bezier(values=[0.0, 1.0], start=0.0, end=0.5)'
    """
    plain = signal.to_dict()
    kind = plain.pop("kind")
    if kind in ("polynomials", "cubic_spline"):
        return f"Signal.from_dict({signal.to_dict()!r})"
    return f"{kind}({', '.join(f'{name}={value!r}' for name, value in plain.items() if name != 'source')})"


def _until(recipe: Recipe) -> str:
    calls = [f"my.Crossing({output!r}, {direction!r}, {level!r})" for output, direction, level in recipe.until]
    return f"[{', '.join(calls)}]"
