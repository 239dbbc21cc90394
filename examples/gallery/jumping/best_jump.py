"""The jumper's best jump.

A movement of the library: excitations found by optimal control, replayed forward. Muscles are coloured by activation.
"""

import myodyne as my

jump = my.load_movement("jump")
run = jump.run()
my.animate(run, "best_jump.gif", speed=0.15)
apex = run.final["com.position_y"] + run.final["com.velocity_y"] ** 2 / (2 * 9.81)
print(f"take-off after {run.time[-1]:.3f} s; the centre of mass flies to {apex:.3f} m")
