"""Order conditions of Butcher: for every rooted tree up to the order, sum b Φ(tree) = 1 / density(tree)."""

from functools import cache

import numpy as np
import pytest

from myodyne.numerics import tableaux
from myodyne.numerics.schemes import Adams
from myodyne.numerics.tableaux import tableau_of

# Name: order of the solution, order of the companion whose difference from it is the error estimate.
ORDERS = {
    "euler": (1, None),
    "heun": (2, None),
    "rk4": (4, None),
    "midpoint": (2, None),
    "rkf45": (5, 4),
    "trbdf2": (2, 2),
    "dop853": (8, 5),
}


@cache
def forests(order, largest):
    """All sets of trees with together ``order`` nodes, none after ``largest`` in the order of ``trees``."""
    if order == 0:
        return ((),)
    found = []
    for size in range(min(order, largest[0]), 0, -1):
        for index, tree in enumerate(trees(size)):
            if (size, index) <= largest:
                found += [(tree, *rest) for rest in forests(order - size, (size, index))]
    return tuple(found)


@cache
def trees(order):
    """All rooted trees with ``order`` nodes, each the tuple of its branches."""
    return tuple(forests(order - 1, (order - 1, 10**6))) if order > 1 else ((),)


def weight(tree, a):
    product = np.ones(len(a))
    for branch in tree:
        product = product * (a @ weight(branch, a))
    return product


def nodes(tree):
    return 1 + sum(map(nodes, tree))


def density(tree):
    return nodes(tree) * np.prod([density(branch) for branch in tree])


def worst(a, b, order):
    """The largest violation of the conditions of one order."""
    return max(abs(b @ weight(tree, a) - 1 / density(tree)) for tree in trees(order))


def test_there_are_as_many_trees_as_cayley_counted():
    assert [len(trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize("name", ORDERS)
def test_solution_has_its_order_and_no_more(name):
    table, order = getattr(tableaux, name)(), ORDERS[name][0]
    assert max(worst(table.a, table.b, k) for k in range(1, order + 1)) < 2e-14
    assert worst(table.a, table.b, order + 1) > 1e-6


@pytest.mark.parametrize("name", [name for name in ORDERS if ORDERS[name][1]])
def test_error_estimate_vanishes_up_to_its_order(name):
    """The estimate is the difference of two solutions: it is zero for every tree that both integrate exactly."""
    table, order = getattr(tableaux, name)(), ORDERS[name][1]
    sizes = [max(abs(table.error @ weight(tree, table.a)) for tree in trees(k)) for k in range(1, order + 2)]
    assert max(sizes[:-1]) < 2e-14
    assert sizes[-1] > 1e-4


def test_companion_of_trbdf2_is_of_order_three():
    table = tableaux.trbdf2()
    assert max(worst(table.a, table.b - table.error, k) for k in (1, 2, 3)) < 1e-15
    assert table.ends_in_last_stage


def test_coarse_companion_of_dop853_is_of_order_three():
    table = tableaux.dop853()
    assert max(worst(table.a, table.b - table.coarse_error, k) for k in (1, 2, 3)) < 1e-14
    assert worst(table.a, table.b - table.coarse_error, 4) > 1e-4


@pytest.mark.parametrize("name", ORDERS)
def test_stages_stand_where_their_rows_sum_to(name):
    table = getattr(tableaux, name)()
    np.testing.assert_allclose(table.a.sum(axis=1), table.c, atol=1e-15)
    # Published times of DOP853 and Fehlberg end at the end of the step.
    assert name not in ("heun", "rk4", "trbdf2", "dop853") or table.c[-1] == pytest.approx(1.0, abs=1e-15)


def test_multistep_schemes_have_no_tableau():
    with pytest.raises(TypeError, match="Adams is not a one-step scheme; those are Euler, Heun"):
        tableau_of(Adams())
