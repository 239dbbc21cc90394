"""CasADi, loaded with an explanation where it cannot be."""

from __future__ import annotations

import sys

from myodyne.beside_opensim import explained


def load_algebra() -> None:
    """Load CasADi; where opensim was loaded before it, say why that fails.

    Examples
    --------
    >>> load_algebra()
    """
    try:
        import casadi  # noqa: F401 - loaded here so that the error can be explained
    except ImportError as error:
        raise explained(error, sys.modules) from error
