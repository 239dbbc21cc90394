"""Walking and running on the same floor.

Vertical force of both feet together in the two predicted gaits, in body weights. Walking never leaves the ground;
running flies twice in a cycle and lands with more than two body weights.
"""

import matplotlib.pyplot as plt

import myodyne as my

figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name in ("walk", "run"):
    movement = my.load_movement(name)
    result = movement.run()
    weight = movement.model.mass * 9.81
    total = sum(result.values(column) for column in result.names if column.endswith(("heel.force_y", "toe.force_y")))
    axes.plot(100 * result.time / result.time[-1], total / weight, label=name)
    print(f"{name:5} peak {total.max() / weight:.2f} body weights")
axes.set(xlabel="share of the recorded time (%)", ylabel="both feet (body weights)", title="Vertical ground force")
axes.legend()
figure.savefig("ground_forces.png", dpi=90)
