"""A walk that nobody recorded.

The library's walk was predicted from goals alone. The picture shows the body as it moves; muscles are coloured by
activation.
"""

import myodyne as my

walk = my.load_movement("walk")
run = walk.run()
my.animate(run, "predicted_walk.gif", frames_per_second=20)
print(walk.source)
print(f"one step takes {run.time[-1]:.3f} s")
