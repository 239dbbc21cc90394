"""A run that nobody recorded.

The library's run at 3.5 m/s, predicted from goals alone.
"""

import myodyne as my

run = my.load_movement("run")
steps = run.run()
my.animate(steps, "predicted_run.gif", frames_per_second=20, speed=0.5)
print(run.source)
print(f"{steps.time[-1]:.3f} s")
