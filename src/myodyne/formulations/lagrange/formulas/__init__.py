"""Lagrange's equations as SymPy formulas: derived, tidied, written and evaluated."""
