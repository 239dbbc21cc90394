"""Where a file is that another file names, perhaps with a path of another machine."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath


def place_of(named: str, here: Path) -> tuple[Path | None, str, list[Path]]:
    """Return a file that is named in another one of the folder ``here``, a note if it lies elsewhere, and places tried.

    It may lie where it is said to be, under its name beside the other file, or in its last folders: of
    ``H:/study/IK/results/a.mot`` a file ``IK/results/a.mot`` beside the folder ``here`` is taken.

    Examples
    --------
    >>> place_of("H:/study/a.mot", Path("nowhere"))[0] is None
    True
    """
    parts = PureWindowsPath(named).parts
    tried = list(dict.fromkeys([here / named.replace("\\", "/"), here / (parts[-1] if parts else named)]))
    for candidate in tried:
        if candidate.is_file():
            note = "" if candidate == tried[0] else f"'{candidate.name}' beside the set-up was read"
            return candidate, note, tried
    for length in range(len(parts) - 1, 1, -1):
        candidate = here.resolve().parent.joinpath(*parts[-length:])
        if ".." not in parts[-length:] and candidate.is_file():
            return candidate, f"'{candidate}' was read", tried
    return None, "", tried
