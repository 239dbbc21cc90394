"""Other derivations of the same equations of motion, each a witness for the rest."""
