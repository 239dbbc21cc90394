"""The sparse symmetric solver behind IPOPT: right for every symmetric matrix, and the same optimum as with MUMPS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from myodyne.errors import MyodyneError
from myodyne.native import compiler as compilation, ldl as linear_solver
from myodyne.native.ldl import factorised
from myodyne.optimise.ipopt.linear_solver import ipopt_linear_solver

pytestmark = pytest.mark.skipif(compilation.find_compiler() is None, reason="the solver needs a C compiler")


def symmetric(size: int, density: float, seed: int) -> Any:
    random = np.random.default_rng(seed)
    half = sparse.random(size, size, density=density, random_state=seed, data_rvs=random.standard_normal)
    return half + half.T


def kkt(variables: int, constraints: int, seed: int) -> Any:
    """A matrix as IPOPT makes them: curvature of either sign, and zeros on the diagonal of every constraint."""
    random = np.random.default_rng(seed)
    curvature = symmetric(variables, 2.0 / variables, seed) + sparse.diags(random.uniform(0.1, 1.0, variables))
    jacobian = sparse.random(constraints, variables, density=3.0 / variables, random_state=seed + 1) + sparse.eye(
        constraints, variables
    )
    return sparse.bmat([[curvature, jacobian.T], [jacobian, None]])


def chain(nodes: int, states: int, controls: int, seed: int, ring: bool = False) -> Any:
    """The KKT matrix of dynamics on a grid, with a parameter that enters everywhere."""
    random = np.random.default_rng(seed)
    unknowns = states + controls
    curvature = sparse.block_diag(
        [symmetric(unknowns, 0.2, seed + k) + sparse.diags(random.uniform(0.1, 3.0, unknowns)) for k in range(nodes)]
    )
    rows = []
    for k in range(nodes if ring else nodes - 1):
        row: list[Any] = [sparse.coo_matrix((states, unknowns)) for _ in range(nodes)]
        row[k] = sparse.random(
            states, unknowns, density=0.2, random_state=seed + k, data_rvs=random.standard_normal
        ) - 10 * sparse.eye(states, unknowns)
        row[(k + 1) % nodes] = 10 * sparse.eye(states, unknowns)
        rows.append(row)
    jacobian = sparse.bmat(rows)
    border = sparse.csc_matrix(random.standard_normal((jacobian.shape[0], 1)))
    return sparse.bmat([[curvature, None, jacobian.T], [None, sparse.eye(1), border.T], [jacobian, border, None]])


def check(matrix: Any, tolerance: float = 1e-10) -> linear_solver.Facts:
    """Compare inertia and rank with all eigenvalues, and solve."""
    matrix = sparse.csc_matrix(matrix)
    eigenvalues = np.linalg.eigvalsh(matrix.toarray())
    small = 1e-11 * max(float(abs(eigenvalues).max()), 1e-300)
    factors = factorised(matrix)
    assert factors.facts.negative == np.sum(eigenvalues < -small)
    assert factors.facts.rank == np.sum(abs(eigenvalues) > small)
    assert factors.singular == (factors.facts.rank < matrix.shape[0])
    wanted = np.random.default_rng(1).standard_normal(matrix.shape[0])
    right = matrix @ wanted
    solution = factors.solve(right)
    solution += factors.solve(right - matrix @ solution)
    scale = abs(matrix).sum(axis=1).max() * abs(solution).max() + 1.0
    assert abs(right - matrix @ solution).max() <= tolerance * scale
    # Several at once, more and fewer than are taken together.
    many = np.outer(np.arange(1.0, 12.0), right)
    found = factors.solve(many)
    expected = np.array([factors.solve(one) for one in many])
    assert abs(found - expected).max() <= 1e-8 * (1.0 + abs(expected).max())
    return factors.facts


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("density", [0.02, 0.1, 0.4])
def test_random_matrices_with_a_diagonal(seed: int, density: float) -> None:
    size = 10 + 7 * seed
    check(symmetric(size, density, seed) + sparse.diags(np.random.default_rng(seed).standard_normal(size)))


@pytest.mark.parametrize("seed", range(20))
def test_matrices_without_a_diagonal(seed: int) -> None:
    size = 2 * (10 + 5 * seed)
    matrix = symmetric(size, 0.05, seed)
    matrix.setdiag(0.0)
    # A matching makes it regular: every row has a partner.
    order = np.random.default_rng(seed).permutation(size)
    partner = sparse.coo_matrix((np.full(size // 2, 3.0), (order[::2], order[1::2])), shape=(size, size))
    check(matrix + partner + partner.T)


@pytest.mark.parametrize("seed", range(10))
def test_kkt_matrices(seed: int) -> None:
    check(kkt(60 + 10 * seed, 20 + 3 * seed, seed))


@pytest.mark.parametrize("ring", [False, True])
def test_a_chain_in_time_is_eliminated_in_small_fronts(ring: bool) -> None:
    facts = check(chain(40, 6, 3, seed=3, ring=ring))
    assert facts.largest_front < 100
    assert facts.delayed < 20


def test_averages_over_all_nodes_do_not_tie_the_chain_together() -> None:
    """A row with one entry in every node has no more links than others, and yet none of them may be cut with it in place."""
    matrix = sparse.csc_matrix(chain(50, 6, 3, seed=3))
    average = sparse.coo_matrix((np.ones(50), (np.zeros(50, int), 9 * np.arange(50) + 1)), shape=(1, matrix.shape[0]))
    plain = factorised(matrix).facts
    tied = check(sparse.bmat([[matrix, average.T], [average, None]]))
    assert tied.largest_front <= plain.largest_front + 20
    assert tied.operations < 1.3 * plain.operations


def test_an_order_that_did_not_foresee_which_rows_have_no_diagonal_is_replaced() -> None:
    """The first matrix has a diagonal all over; with the second, columns wait in the fronts, so the third gets a new order."""
    nodes, states = 60, 20
    matrix = sparse.csc_matrix(chain(nodes, states, 2, seed=2))
    size, constraints = matrix.shape[0], states * (nodes - 1)
    of_a_constraint = np.arange(size) >= size - constraints
    first = sparse.tril(matrix + sparse.diags(-1.0 * of_a_constraint), format="csc")
    first.sort_indices()
    column = np.repeat(np.arange(size), np.diff(first.indptr))
    values = np.where((first.indices == column) & of_a_constraint[column], 0.0, first.data)

    factors = factorised(first)
    assert (factors.facts.analyses, factors.facts.delayed) == (1, 0)
    factors.factorise(values)
    waited = factors.facts
    assert waited.operations > 1.25 * waited.expected_operations
    factors.factorise(values)
    assert factors.facts.analyses == 2
    assert factors.facts.delayed < 0.1 * waited.delayed
    assert factors.facts.operations < waited.operations
    assert (factors.facts.negative, factors.facts.rank) == (waited.negative, waited.rank)
    np.testing.assert_allclose(matrix @ factors.solve(np.ones(size)), 1.0, atol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_matrices_that_are_singular(seed: int) -> None:
    """Rows without entries, and constraints that are told twice."""
    matrix = sparse.lil_matrix(kkt(40, 12, seed))
    matrix[5, :] = 0.0
    matrix[:, 5] = 0.0
    check(matrix)
    jacobian = sparse.random(10, 40, density=0.2, random_state=seed) + sparse.eye(10, 40)
    twice = sparse.vstack([jacobian, jacobian])
    check(sparse.bmat([[sparse.eye(40), twice.T], [twice, None]]))


def test_a_matrix_of_nothing_and_small_ones() -> None:
    assert check(sparse.csc_matrix((7, 7))).rank == 0
    assert check(sparse.csc_matrix([[-2.0]])).negative == 1
    assert check(sparse.csc_matrix([[0.0, 1.0], [1.0, 0.0]])).pairs == 1
    assert factorised(sparse.csc_matrix((0, 0))).facts.rank == 0


def test_a_dense_matrix() -> None:
    half = np.random.default_rng(5).standard_normal((150, 150))
    facts = check(half + half.T)
    assert facts.fronts == 1


def test_an_arrow_and_a_star_that_points_the_other_way() -> None:
    """One row that is linked with all is eliminated last."""
    size = 300
    for at in (0, size - 1):
        matrix = sparse.lil_matrix(sparse.eye(size))
        matrix[at, :] = matrix[:, at] = 0.1
        matrix[at, at] = 1.0
        facts = check(matrix)
        assert facts.factor_entries < 20 * size


def test_entries_that_are_given_several_times_are_added_up() -> None:
    matrix = sparse.coo_matrix(kkt(30, 10, 2))
    third = sparse.coo_matrix(
        (np.tile(matrix.data / 3.0, 3), (np.tile(matrix.row, 3), np.tile(matrix.col, 3))), shape=matrix.shape
    )
    right = np.arange(matrix.shape[0], dtype=float)
    np.testing.assert_allclose(factorised(third).solve(right), factorised(matrix).solve(right), rtol=1e-9, atol=1e-9)


def test_rows_of_very_different_size() -> None:
    matrix = sparse.csc_matrix(kkt(80, 30, 4))
    scale = sparse.diags(10.0 ** np.random.default_rng(0).uniform(-6, 6, 110))
    scaled = scale @ matrix @ scale
    wanted = np.random.default_rng(1).standard_normal(110)
    factors = factorised(scaled)
    # Signs of eigenvalues do not change under a congruence (Sylvester).
    assert factors.facts.negative == np.sum(np.linalg.eigvalsh(matrix.toarray()) < 0)
    np.testing.assert_allclose(
        factors.solve(scaled @ (wanted / scale.diagonal())) * scale.diagonal(), wanted, rtol=1e-6
    )


def test_a_second_matrix_of_the_pattern_keeps_the_order() -> None:
    first = sparse.tril(chain(30, 6, 3, seed=1), format="csc")
    first.sum_duplicates()
    factors = factorised(first)
    second = first.copy()
    second.data *= np.random.default_rng(3).uniform(0.5, 2.0, second.data.size)
    factors.factorise(second.data)
    assert factors.facts.analyses == 1
    whole = (second + sparse.tril(second, -1).T).toarray()
    assert factors.facts.negative == np.sum(np.linalg.eigvalsh(whole) < 0)
    right = np.ones(whole.shape[0])
    np.testing.assert_allclose(whole @ factors.solve(right), right, atol=1e-8)


def test_what_is_refused() -> None:
    with pytest.raises(MyodyneError, match="square"):
        factorised(sparse.csc_matrix((2, 3)))
    with pytest.raises(MyodyneError, match="not finite"):
        factorised(sparse.csc_matrix([[np.nan]]))
    factors = factorised(sparse.eye(3))
    with pytest.raises(MyodyneError, match="3 entries, 2 values"):
        factors.factorise([1.0, 2.0])
    with pytest.raises(MyodyneError, match="right-hand side"):
        factors.solve([1.0])


def brachistochrone(options: dict[str, Any], nodes: int = 40) -> tuple[float, np.ndarray]:
    """Return the shortest time of a bead that slides on a wire, and its track; the end time is unknown, angles bounded."""
    import casadi as ca

    opti = ca.Opti()
    state, angle, end = opti.variable(3, nodes + 1), opti.variable(nodes), opti.variable()

    def rate(x: Any, u: Any) -> Any:
        return ca.vertcat(x[2] * ca.sin(u), -x[2] * ca.cos(u), 9.81 * ca.cos(u))

    for k in range(nodes):
        middle = (state[:, k] + state[:, k + 1]) / 2
        opti.subject_to(state[:, k + 1] == state[:, k] + end / nodes * rate(middle, angle[k]))
    opti.subject_to(state[:, 0] == ca.vertcat(0, 0, 0))
    opti.subject_to(state[:2, -1] == ca.vertcat(2, -1))
    opti.subject_to(opti.bounded(0, angle, 3.0))
    opti.subject_to(opti.bounded(0.1, end, 5.0))
    opti.subject_to(state[1, :].T >= -1.4)
    opti.set_initial(state, np.linspace([0, 0, 0.5], [2, -1, 4], nodes + 1).T)
    opti.set_initial(angle, np.linspace(0.3, 1.5, nodes))
    opti.set_initial(end, 1.0)
    opti.minimize(end)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-10, **options})
    found = opti.solve()
    return float(found.value(end)), np.asarray(found.value(state))


def test_ipopt_finds_the_same_optimum_with_it_as_with_mumps() -> None:
    options = ipopt_linear_solver()
    assert options["linear_solver"] == "ma97"
    ours, track = brachistochrone(options)
    theirs, other = brachistochrone({"linear_solver": "mumps", "mumps_pivot_order": 5})
    assert ours == pytest.approx(theirs, rel=1e-9)
    np.testing.assert_allclose(track, other, atol=1e-6)


def test_ipopt_bends_curvature_of_the_wrong_sign_and_constraints_that_are_repeated() -> None:
    """Both need what a factorisation says of the matrix: the signs of its eigenvalues, and that it is singular."""
    import casadi as ca

    x = ca.SX.sym("x", 3)
    problem = {
        "x": x,
        "f": x[0] * x[1] - x[2] ** 2 + 0.1 * ca.sumsqr(x) ** 2,
        "g": ca.vertcat(ca.sum1(x) - 1, 2 * ca.sum1(x) - 2),
    }
    values = []
    for options in (ipopt_linear_solver(), {"linear_solver": "mumps"}):
        solver = ca.nlpsol(
            "s", "ipopt", problem, {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes", **options}}
        )
        found = solver(x0=[0.3, 0.3, 0.4], lbg=0, ubg=0)
        assert solver.stats()["success"]
        values.append(float(found["f"]))
    assert values[0] == pytest.approx(values[1], abs=1e-6)


def test_without_a_compiler_ipopt_takes_mumps_ordered_by_metis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_solver, "find_compiler", lambda: None)
    assert ipopt_linear_solver() == {"linear_solver": "mumps", "mumps_pivot_order": 5}
    with pytest.raises(MyodyneError, match="needs a C compiler"):
        factorised(sparse.eye(2))
