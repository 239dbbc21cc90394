"""Hopping by three simple laws.

The library's hop: a spring in the leg and three simple laws keep height, speed and attitude.
"""

import myodyne as my

hop = my.load_movement("hop")
run = hop.run()
my.animate(run.slice(0.0, 2.0), "hopping_in_place.gif", frames_per_second=20)
print(hop.summary)
print(f"{len(run.report.events)} touch-downs and lift-offs in {run.time[-1]:.1f} s")
