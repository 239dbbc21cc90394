"""Equations of motion to read.

Lagrange's equations of a double pendulum, derived from lists of points and frames, as text.
"""

import matplotlib.pyplot as plt

import myodyne as my

found = my.lagrange.derive(my.lagrange.from_model(my.load_model("double_pendulum")))
text = found.text(named=True, digits=4)
figure = plt.figure(figsize=(8, 2))
figure.text(0.0, 1.0, text, family="monospace", fontsize=9, va="top")
figure.savefig("equations_to_read.png", dpi=90, bbox_inches="tight")
print(text)
