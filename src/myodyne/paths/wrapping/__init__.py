"""Lengths of paths over surfaces and their derivatives: in C, or in NumPy where there is no compiler."""
