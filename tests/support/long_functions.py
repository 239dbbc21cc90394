"""Functions of many operations, for tests of code that is generated in parts."""

import casadi as ca
import numpy as np

from myodyne.equations.definitions import Definition


def long_function(statements=400):
    """A function of many operations of all sorts, whose values are needed near and far."""
    rng = np.random.default_rng(5)
    x, y = ca.SX.sym("x", 6), ca.SX.sym("y", 3)
    known = [*ca.vertsplit(x), *ca.vertsplit(y), ca.SX(0.3)]
    for _ in range(statements):
        one, other = (known[number] for number in rng.integers(len(known), size=2))
        choices = [
            ca.sin(one) * other,
            one + other,
            ca.fmax(one, other),
            ca.if_else(one < other, one, ca.tanh(other) ** 2),
        ]
        known.append(choices[rng.integers(len(choices))])
    return Definition({"x": x, "y": y}, {"last": ca.vertcat(*known[-40:]), "some": ca.vertcat(*known[10:60:7])})
