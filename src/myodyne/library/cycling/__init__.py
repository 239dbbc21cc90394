"""Cyclists on one or two cranks, by motors or muscles."""
