"""Moment arms about the elbow.

Arms of the three muscles that cross the elbow over its range: minus the slope of their lengths.
"""

import myodyne as my

arm = my.load_model("planar_arm")
arms = [my.moment_arms(arm, name, "elbow") for name in ("elbow_flexor", "elbow_extensor", "biarticular_flexor")]
my.plot(arms, degrees=True, path="moment_arms.png")
for found in arms:
    print(found)
