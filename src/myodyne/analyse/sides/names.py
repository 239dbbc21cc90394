"""Names of the other side."""

from __future__ import annotations

import re
from collections.abc import Iterable

from myodyne.errors import ModelError

_SIDES = re.compile(
    r"(?P<word>(?<![a-z])(?:right|left)(?![a-z]))|(?P<letter>(?<![a-zA-Z0-9])[rl](?![a-zA-Z0-9]))|"
    r"(?P<tail>_[rl](?=$|\.|_))",
    re.IGNORECASE,
)
_OTHER = {
    "right": "left",
    "left": "right",
    "r": "l",
    "l": "r",
    "_r": "_l",
    "_l": "_r",
    "Right": "Left",
    "Left": "Right",
    "R": "L",
    "L": "R",
    "_R": "_L",
    "_L": "_R",
}


def mirrored_name(name: str, names: Iterable[str]) -> str:
    """Return the name of the other side; a name without a side is its own mirror.

    Examples
    --------
    >>> mirrored_name("right_knee.speed", ["left_knee.speed"]), mirrored_name("pelvis_tilt", ["pelvis_tilt"])
    ('left_knee.speed', 'pelvis_tilt')
    """
    other = other_side(name)
    if other != name and other not in set(names):
        raise ModelError(f"'{name}' has a side, but there is no '{other}' to mirror it")
    return other


def other_side(name: str) -> str:
    """Return the name with its side exchanged, whether or not anything bears it.

    Examples
    --------
    >>> other_side("knee_angle_r"), other_side("torso")
    ('knee_angle_l', 'torso')
    """
    return _SIDES.sub(lambda found: _OTHER.get(found[0], found[0]), name)


def is_right(name: str) -> bool:
    """Return whether a name is one of the right side.

    Examples
    --------
    >>> is_right("knee_angle_r"), is_right("left_knee"), is_right("torso")
    (True, False, False)
    """
    found = _SIDES.search(name)
    return found is not None and found[0].strip("_").lower().startswith("r")


def sideless(name: str) -> str:
    """Return a name without its side.

    Examples
    --------
    >>> sideless("right_soleus"), sideless("soleus_r"), sideless("vas_int_l")
    ('soleus', 'soleus', 'vas_int')
    """
    return re.sub(r"_{2,}", "_", _SIDES.sub("", name)).strip("_") or name
