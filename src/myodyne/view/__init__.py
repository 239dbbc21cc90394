"""Scenes of moving bodies, and the viewer that shows them in pages and notebooks."""

from myodyne.view.show import show

__all__ = ["show"]
