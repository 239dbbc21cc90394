"""One skeleton, three derivations.

The accelerations of a three-link chain by the recursive equations, by Lagrange's equations from lists, and by matrix
calculus. They agree to rounding.
"""

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

model = my.chain(3)
eq = my.equations_of(model)
rng = np.random.default_rng(5)
poses, speeds = rng.uniform(-2, 2, (40, 3)), rng.normal(size=(40, 3))
recursion = np.array([eq.forward_dynamics(q, v, np.zeros(3)) for q, v in zip(poses, speeds, strict=True)])
calculus = my.matrix_calculus.MatrixCalculus(model)
by_calculus = np.array([calculus.forward_dynamics(q, v, np.zeros(3)) for q, v in zip(poses, speeds, strict=True)])
lists = my.lagrange.numbers_of(my.lagrange.from_model(model))
order = [lists.coordinates.index(name) for name in eq.coordinates]
by_lists = np.array(
    [lists.motion(q[order], v[order]).accelerations[np.argsort(order)] for q, v in zip(poses, speeds, strict=True)]
)
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for label, found in (("matrix calculus", by_calculus), ("Lagrange's equations", by_lists)):
    apart = np.abs(found - recursion).max(axis=1) / np.abs(recursion).max(axis=1)
    axes.semilogy(apart + 1e-17, "o", markersize=4, label=label)
    print(f"{label:22} largest relative difference {apart.max():.1e}")
axes.set(xlabel="random state", ylabel="difference from the recursion", ylim=(1e-17, 1e-10))
axes.legend()
figure.savefig("three_ways.png", dpi=90)
