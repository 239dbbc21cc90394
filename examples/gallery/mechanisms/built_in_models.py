"""Models that come with the package.

Each is drawn in its default pose, seen from the side; `my.load_model(name)` loads it.
"""

from pathlib import Path

import matplotlib.pyplot as plt

import myodyne as my

NAMES = (
    ("pendulum", "double_pendulum", "four_bar", "andrews_squeezer"),
    ("jumper", "cyclist_one_leg_muscles", "cyclist_two_cranks", "planar_arm"),
    ("runner_skeleton", "gait2d", "gait3d", "full_body"),
)
figure, axes = plt.subplots(3, 4, figsize=(9, 8), layout="constrained")
for row, names in zip(axes, NAMES, strict=True):
    for place, name in zip(row, names, strict=True):
        model = my.load_model(name)
        my.animate(model, "pose.gif")
        place.imshow(plt.imread("pose.gif")[24:])  # without the line of its title
        place.set_title(name, fontsize="small")
        place.set_axis_off()
        print(f"{name:24} {len(model.moving):2} coordinates, {len(model.muscles):2} muscles")
Path("pose.gif").unlink()
figure.savefig("built_in_models.png", dpi=90)
