"""OpenSim models."""
