"""From recorded markers to models of a person's size, and to their motion."""
