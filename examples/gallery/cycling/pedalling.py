"""A revolution of the crank.

The library's ride: one leg, motors at its joints, a crank at constant speed. The picture shows poses over a
revolution.
"""

import myodyne as my

ride = my.load_movement("cycle")
run = ride.run()
my.animate(run, "pedalling.png", poses=8)
print(ride.summary)
print(f"{run.time[-1]:.2f} s, energy error {run.report.energy_error:.1e}")
