"""IPOPT: how it is called, started and watched."""
