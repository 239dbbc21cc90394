"""A mechanism as lists: records, their expressions, and the checks between them."""
