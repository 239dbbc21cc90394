"""Which row starts from which."""

from __future__ import annotations

import numpy as np

from myodyne.study.neighbours import neighbours_of


def test_rows_start_from_their_nearest_neighbour_before_them() -> None:
    random = np.random.default_rng(4)
    values = random.uniform(size=(40, 3)) * [1.0, 100.0, 1e-3]
    found = neighbours_of(values, values[7])
    assert found.order[0] == 7
    assert sorted(found.order) == list(range(40))
    places = {number: place for place, number in enumerate(found.order)}
    scaled = values / np.ptp(values, axis=0)
    for number, parent in enumerate(found.parents):
        if parent < 0:
            assert found.families[number] == number
            continue
        assert places[parent] < places[number]
        assert found.families[parent] == found.families[number]
        # No line of solutions is longer than six.
        depth, above = 0, parent
        while above >= 0:
            depth, above = depth + 1, found.parents[above]
        assert depth < 6
        assert np.linalg.norm(scaled[number] - scaled[parent]) < 0.9


def test_families_follow_each_other() -> None:
    found = neighbours_of(np.linspace(0.0, 1.0, 30)[:, None], np.array([0.0]))
    families = [found.families[number] for number in found.order]
    assert len(set(families)) == 5
    changes = sum(one != other for one, other in zip(families[1:], families[:-1], strict=True))
    assert changes == len(set(families)) - 1


def test_equal_rows_and_one_row() -> None:
    assert neighbours_of(np.ones((3, 2)), np.ones(2)).order == (0, 1, 2)
    assert neighbours_of(np.ones((1, 1)), np.zeros(1)).parents == (-1,)
