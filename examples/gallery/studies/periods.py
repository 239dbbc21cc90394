"""A grid of runs.

A study of thirty pendulums: five amplitudes on six planets. Each row of the table is one simulation; the picture
shows how fast the rod passes the bottom.
"""

import matplotlib.pyplot as plt

import myodyne as my

study = my.Study(
    my.load_model("pendulum"),
    vary=my.grid({"start:angle": [0.2, 0.6, 1.0, 1.4, 1.8], "gravity.y": [-1.6, -3.7, -8.9, -9.8, -11.2, -24.8]}),
    measure="angle.speed.min",
    duration=2.0,
)
square = study.run().set_index(row=["start:angle", "gravity.y"]).unstack("row")
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
shown = axes.imshow(-square["angle.speed.min"].values, origin="lower", aspect="auto")
axes.set_xticks(range(6), [f"{-g:.1f}" for g in square["gravity.y"].values])
axes.set_yticks(range(5), [f"{a:.1f}" for a in square["start:angle"].values])
axes.set(xlabel="gravity (m/s²)", ylabel="released at (rad)", title="Fastest angular velocity within 2 s")
figure.colorbar(shown, label="rad/s")
figure.savefig("periods.png", dpi=90)
print(f"{square['angle.speed.min'].size} runs")
