"""myodyne simulates, analyses and optimises the movement of bodies driven by muscles."""

__version__ = "0.1.0"
