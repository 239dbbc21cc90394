"""Integration schemes in NumPy: the reference for those in C, and what runs where there is no compiler."""
