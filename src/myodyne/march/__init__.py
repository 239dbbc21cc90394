"""Schemes over compiled equations: many steps in one call of C, or one step after the other."""
