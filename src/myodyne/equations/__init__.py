"""A model and its physics as compiled functions."""

from myodyne.equations.equations import Equations, Layout, equations_of

__all__ = ["Equations", "Layout", "equations_of"]
