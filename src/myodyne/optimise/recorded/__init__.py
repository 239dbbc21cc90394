"""Goals and problems that follow recordings: angles, sensors, force plates."""
