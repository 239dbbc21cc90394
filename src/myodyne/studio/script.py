"""A session as the Python that gives the same numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from myodyne.data import Recipe
from myodyne.data.curves.signals import Signal
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
    parts = (*session.earlier, session.recipe)
    for number, recipe in enumerate(parts, start=1):
        name = "run" if number == len(parts) else f"part{number}"
        lines += _simulation(name, session, recipe, f"part{number - 1}" if number > 1 else "")
    if reference is not None:
        names = reference.shared(session.model)
        lines.append(f"print(my.compare(run, my.load({reference.file!r}), {list(names)!r}))")
    lines.append("my.show(run)")
    text = "\n".join(lines) + "\n"
    # Schemes without a largest step print as infinity.
    return text if not re.search(r"\binf\b", text) else f"from math import inf\n\n{text}"


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
        *(["    feedback=movement.feedback,"] if session.feedback is not None else []),
        ")",
    ]


@lru_cache(maxsize=4)
def _as_opened(name: str) -> Recipe:
    """Return the recipe of a movement before any edit; it is asked for with every one."""
    return opened(name).recipe


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
