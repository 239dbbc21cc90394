"""Curves over time as plain data: signals, their handles, fits to other curves."""
