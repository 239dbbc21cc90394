"""The two sides of a body: who mirrors whom, with which sign, and where the sides differ."""

from myodyne.analyse.sides.cycle import whole_cycle
from myodyne.analyse.sides.mirror import Sides, sides_of
from myodyne.analyse.sides.names import mirrored_name

__all__ = ["Sides", "mirrored_name", "sides_of", "whole_cycle"]
