"""A model and its physics as compiled functions."""

from myodyne.equations.equations import Equations, equations_of
from myodyne.equations.layout import Layout

__all__ = ["Equations", "Layout", "equations_of"]
