"""Set-up files of OpenSim's tools."""
