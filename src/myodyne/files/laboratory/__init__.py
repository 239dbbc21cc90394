"""Recordings of motion laboratories: C3D files and external loads."""
