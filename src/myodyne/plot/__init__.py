"""Figures and animations. Matplotlib is imported when something is drawn, not before."""

from myodyne.plot.animate import animate
from myodyne.plot.figures import plot
from myodyne.plot.frames import Animation, Polyline
from myodyne.plot.stick import animation_of

__all__ = ["Animation", "Polyline", "animate", "animation_of", "plot"]
