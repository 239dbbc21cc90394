"""Tasks of the studio: a problem with its sliders, solved in a process of its own and watched."""
