"""Walking and running of any body: its anatomy found by geometry, and the problem of its gait."""
