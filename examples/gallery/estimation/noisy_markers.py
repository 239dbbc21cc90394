"""Joint angles from noisy markers.

Markers of a known motion get 2 mm of noise; inverse kinematics finds the angles again. Six markers on two bodies
leave about half a degree.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

corners = {"front": (0.05, 0.02, 0.0), "side": (0.0, -0.1, 0.06), "low": (-0.03, -0.3, 0.02)}
model = my.Model(
    name="leg",
    bodies={
        "thigh": my.Body(mass=7.5, centre_of_mass=(0.0, -0.18, 0.0), inertia=0.12),
        "shank": my.Body(mass=3.5, centre_of_mass=(0.0, -0.19, 0.0), inertia=0.05),
    },
    joints={
        "hip": my.pin("ground", "thigh", "hip"),
        "knee": my.pin({"body": "thigh", "at": (0.0, -0.42, 0.0)}, "shank", "knee"),
    },
    markers={
        f"{body}_{name}": my.Marker(body=body, at=at) for body in ("thigh", "shank") for name, at in corners.items()
    },
)
time = np.arange(100) / 100.0
truth = {"hip": 0.4 * np.sin(6 * time), "knee": -0.6 - 0.5 * np.sin(6 * time + 1.0)}
places = my.equations_of(model).kernel("markers")(np.column_stack(list(truth.values())), np.empty(0))[0]
noise = np.random.default_rng(1).normal(0.0, 0.002, places.shape)
found = my.inverse_kinematics(model, my.Markers(time, list(model.markers), (places + noise).reshape(100, 6, 3)))
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, angle in truth.items():
    axes.plot(time, np.degrees(angle), label=f"{name}, true")
    axes.plot(time, np.degrees(found.values(name)), ".", markersize=3, label=f"{name}, found")
    print(f"{name:5} root mean square error {np.degrees(np.sqrt(np.mean((found.values(name) - angle) ** 2))):.2f}°")
axes.set(xlabel="time (s)", ylabel="angle (°)", title="2 mm of noise on each marker")
axes.legend(fontsize="small", ncols=2)
figure.savefig("noisy_markers.png", dpi=90)
