"""Optimal control: problems, goals, conditions, and the solution of all instants at once."""
