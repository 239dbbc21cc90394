"""The viewer's own files, built from `web` when myodyne is installed."""

from __future__ import annotations

from importlib import resources

from myodyne.errors import FileError

_REMEDY = (
    "It is built at installation, which needs node and the npm registry. With both available, install again: "
    "python -m pip install --force-reinstall --no-deps myodyne (in a clone: python -m pip install -e .)"
)


def viewer_installed() -> bool:
    """Whether the viewer was built when myodyne was installed.

    Examples
    --------
    >>> isinstance(viewer_installed(), bool)
    True
    """
    return resources.files("myodyne.view").joinpath("static", "page.js").is_file()


def asset(name: str) -> str:
    """Return the text of one of the viewer's files.

    Examples
    --------
    >>> "stage" in asset("viewer.css")  # doctest: +SKIP
    True
    """
    file = resources.files("myodyne.view").joinpath("static", name)
    if not file.is_file():
        raise FileError(f"the viewer is not installed: '{name}' is missing. {_REMEDY}")
    return file.read_text(encoding="utf-8")
