"""Columns over time in files: NetCDF, OpenSim storage, CSV, markers."""
