"""Forces, actuators, contacts and muscles of an OpenSim model."""
