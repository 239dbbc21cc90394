"""Set-up files of OpenSim's tools, run as they are."""
