"""Scalars of Lagrange's equations: symbols of SymPy, or numbers that carry their derivatives."""
