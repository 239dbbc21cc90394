"""Muscles along a motion: lengths, moment arms, fibres, capacity, and static optimisation."""
