"""Rows side by side: several marches at once in the lanes of the processor."""
