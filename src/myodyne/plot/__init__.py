"""Figures and animations. Matplotlib is imported when something is drawn, not before."""

from myodyne.plot.animate import animate
from myodyne.plot.figures import plot
from myodyne.plot.film import Film, Polyline
from myodyne.plot.stick import film_of

__all__ = ["Film", "Polyline", "animate", "film_of", "plot"]
