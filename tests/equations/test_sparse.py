"""Sparse Jacobians: equal to those of the constructor, and independent of each other."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csc_array

import myodyne as my


@pytest.mark.parametrize("name", ["pendulum", "planar_arm", "four_bar"])
def test_matrices_are_those_of_the_constructor(name: str) -> None:
    equations = my.equations_of(my.load_model(name), compiled=False)
    x, xdot, u = (np.full(len(names), 0.3) for names in (equations.states, equations.states, equations.controls))
    kernel = equations.kernel("jacobians")
    for matrix, (output, shape), values in zip(
        equations.jacobians(x, xdot, u), kernel.signature.outputs, kernel(x, xdot, u), strict=True
    ):
        dense = np.zeros(shape)
        first, rows = kernel.signature.patterns.get(output, (None, None))
        if first is None:
            dense[...] = values.reshape(shape, order="F")
        else:
            dense[list(rows), np.repeat(np.arange(shape[1]), np.diff(first))] = values
        np.testing.assert_array_equal(matrix.toarray(), dense)
        other = csc_array((matrix.data, matrix.indices, matrix.indptr), shape=shape)
        other.check_format(full_check=True)
        assert matrix.has_canonical_format
        assert matrix.has_sorted_indices
        assert {key: type(value) for key, value in vars(matrix).items()} == {
            key: type(value) for key, value in {**vars(other), **vars(matrix)}.items()
        }
        for result in (
            matrix.T @ dense,
            (matrix + matrix).toarray(),
            matrix[:, :1].toarray(),
            matrix.tocsr().toarray(),
        ):
            assert result.shape
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(matrix)).toarray(), dense)


def test_matrices_do_not_share_memory() -> None:
    equations = my.equations_of(my.load_model("planar_arm"), compiled=False)
    x = np.full((2, len(equations.states)), 0.3)
    u = np.full(len(equations.controls), 0.3)
    wanted = equations.jacobians(x[0], x[0], u)[0].toarray()
    single, rows = equations.jacobians(x[0], x[0], u)[0], equations.jacobians(x, x, u)[0]
    for matrix in (single, *rows):
        matrix.data[...], matrix.indices[...], matrix.indptr[...] = np.nan, 0, 0
        matrix.resize((1, 1))
    np.testing.assert_array_equal(equations.jacobians(x[0], x[0], u)[0].toarray(), wanted)
    rows = equations.jacobians(x, x, u)[0]
    rows[0].data[...] = np.nan
    np.testing.assert_array_equal(rows[1].toarray(), wanted)
    rows[1].eliminate_zeros()
    np.testing.assert_array_equal(equations.jacobians(x[0], x[0], u)[0].toarray(), wanted)
