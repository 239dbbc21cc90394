"""Curves of a muscle: length, velocity, tendon.

The curves of De Groote et al. 2016 and of van Soest and Bobbert 1993, with their derivatives below.
"""

import myodyne as my

families = {"De Groote 2016": my.DeGrooteFregly2016(), "van Soest 1993": my.VanSoestBobbert1993()}
curves = {name: my.muscle_curves(family) for name, family in families.items()}
my.plot(curves, path="force_length_velocity.png")
for name, found in curves.items():
    print(f"{name}: {', '.join(found.curves)}")
