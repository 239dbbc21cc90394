"""The gait model in space: `gait3d`."""

from myodyne.library.gait3d.model import gait3d

__all__ = ["gait3d"]
