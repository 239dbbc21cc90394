"""The skeleton of an OpenSim file: bodies, frames, joints, coordinates, constraints, and the default pose."""
