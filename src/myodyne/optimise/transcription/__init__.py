"""From a problem to a nonlinear program: meshes, unknowns, rows and their exact derivatives."""
