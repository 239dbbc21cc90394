"""myodyne simulates, analyses and optimises the movement of bodies driven by muscles.

The public names are listed once, in ``__init__.pyi``. Each is imported when it is first used, so that
``import myodyne`` takes no time and a script pays for what it uses.
"""

from __future__ import annotations

import sys

import lazy_loader

from myodyne.beside_opensim import explain_imports

__version__ = "1.0.0rc1"

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
explain_imports()


def __getattr__(name: str) -> object:
    from myodyne.beside_opensim import explained
    from myodyne.errors import unknown_name

    if name.startswith("__") or name in __all__:
        try:
            return _public(name)
        except ImportError as error:
            raise explained(error, sys.modules) from error

    raise AttributeError(f"myodyne: {unknown_name('name', name, __all__)}")
