"""Lengths of paths of muscles, ligaments and cables: over surfaces, sampled, fitted, with the poses where they jump."""
