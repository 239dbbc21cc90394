"""The same equations however they run: compiled, interpreted, in another process or thread, row by row."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import build

# What each method is called with; each entry of ``point`` may be a vector or rows.
METHODS: dict[str, tuple[str, ...]] = {
    "mass_matrix": ("q",),
    "inverse_dynamics": ("q", "v", "vdot"),
    "inverse_dynamics_jacobians": ("q", "v", "vdot"),
    "forward_dynamics": ("q", "v", "tau"),
    "derivative": ("x", "u"),
    "residual": ("x", "xdot", "u"),
    "jacobians": ("x", "xdot", "u"),
    "parameter_jacobian": ("x", "xdot", "u"),
    "body_poses": ("q",),
    "body_positions": ("q",),
    "centre_of_mass": ("q",),
    "momentum": ("q", "v"),
    "energy": ("q", "v"),
    "output_values": ("x", "xdot", "u"),
}
SPARSE = ("jacobians", "parameter_jacobian")
ROWS = [name for name in METHODS if name not in SPARSE]


def point(count: int, seed: int = 0) -> dict[str, Any]:
    """Return arguments in rows, by name; rows of two coordinates and two controls."""
    rng = np.random.default_rng([seed, 9])
    q, v, vdot, tau, u = rng.normal(size=(5, count, 2))
    return {"q": q, "v": v, "vdot": vdot, "tau": tau, "u": u, "x": np.hstack([q, v]), "xdot": np.hstack([v, vdot])}


def flat(found: Any) -> Any:
    """Return all numbers of a result in one vector."""
    if isinstance(found, dict):
        found = tuple(found.values())
    parts = found if isinstance(found, tuple) else (found,)
    return np.concatenate([np.ravel(part.toarray() if hasattr(part, "toarray") else part) for part in parts])


def called(eq: my.Equations, name: str, seed: int = 0) -> Any:
    rows = point(1, seed)
    return flat(getattr(eq, name)(*(rows[key][0] for key in METHODS[name])))


def test_all_methods_are_tried(model: my.Model) -> None:
    kernels = {
        "assembly",
        "kernel",
        "state",
        "parameter_vector",
        "outputs_at",
        "constraint_forces",
        "constraint_errors",
        "with_numbers",
        "with_parameters",
        "closed_by",
        "applied_controls",
        "coordinate_defaults",
        "muscle_lengths",
        "moment_arms",
        "fitted_paths",
    }
    public = {name for name, value in vars(my.Equations).items() if callable(value) and not name.startswith("_")}
    assert public - kernels == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_compiled_and_interpreted_agree(model: my.Model, name: str) -> None:
    compiled, interpreted = my.equations_of(model, compiled=True), my.equations_of(model, compiled=False)
    assert compiled.compiled
    assert not interpreted.compiled
    for seed in range(5):
        theirs = called(interpreted, name, seed)
        assert np.isfinite(theirs).all()
        np.testing.assert_allclose(called(compiled, name, seed), theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())


def test_another_process_agrees(
    model: my.Model, python: Callable[..., Any], shelved_compiler: str | None, tmp_path: Any
) -> None:
    """Also with its own compiled code: the cache of that process is empty."""
    eq = my.equations_of(model)
    own = [called(eq, name).tolist() for name in METHODS]
    (tmp_path / "equations").write_bytes(pickle.dumps(eq))
    text = f"""
import json, pickle, pathlib, sys
sys.path.insert(0, {str(__file__).rpartition("/")[0]!r})
import test_agreement as here
eq = pickle.loads(pathlib.Path({str(tmp_path / "equations")!r}).read_bytes())
print(json.dumps([eq.compiled, [here.called(eq, name).tolist() for name in here.METHODS]]))
"""
    compiled, theirs = python(text, MYODYNE_CACHE=str(tmp_path / "cache"), MYODYNE_COMPILER=shelved_compiler)
    assert compiled == eq.compiled
    for name, mine, other in zip(METHODS, own, theirs, strict=True):
        np.testing.assert_allclose(other, mine, rtol=1e-12, atol=1e-12, err_msg=name)


SIMULATION = """
import json, sys, myodyne as my
model = my.load_model("double_pendulum")
run = my.simulate(my.equations_of(model, compiled={compiled}), 1.0, scheme={scheme})
print(json.dumps([run.provenance.compiled, run.final]))
"""


@pytest.mark.parametrize("scheme", ["my.DOP853()", "my.TRBDF2(step=0.01)"])
def test_simulations_agree(python: Callable[..., Any], scheme: str) -> None:
    finals = {}
    for compiled in (True, False):
        # The text of the scheme is what the other process runs.
        run = my.simulate(
            my.equations_of(my.load_model("double_pendulum"), compiled=compiled), 1.0, scheme=eval(scheme, {"my": my})
        )
        assert run.provenance.compiled is compiled
        finals[compiled] = run.final
    compiled, other = python(SIMULATION.format(compiled=None, scheme=scheme))
    assert compiled
    for final in (finals[False], other):
        assert final.keys() == finals[True].keys()
        np.testing.assert_allclose(list(final.values()), list(finals[True].values()), rtol=1e-12, atol=1e-11)
    assert np.ptp(list(other.values())) > 1.0


# ---- rows ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", ROWS)
def test_stacked_rows_equal_a_loop(model: my.Model, name: str, compiled: bool) -> None:
    eq = my.equations_of(model, compiled=compiled)
    rows = point(7)
    stacked = getattr(eq, name)(*(rows[key] for key in METHODS[name]))
    singles = [getattr(eq, name)(*(rows[key][number] for key in METHODS[name])) for number in range(7)]
    if isinstance(stacked, dict):
        stacked, singles = tuple(stacked.values()), [tuple(single.values()) for single in singles]
    if not isinstance(stacked, tuple):
        stacked, singles = (stacked,), [(single,) for single in singles]
    for place, whole in enumerate(stacked):
        np.testing.assert_array_equal(whole, np.array([single[place] for single in singles]))


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_rows_in_any_memory_order_and_shared_vectors(model: my.Model, compiled: bool) -> None:
    eq = my.equations_of(model, compiled=compiled)
    rows = point(6)
    expected = eq.inverse_dynamics(rows["q"], rows["v"], rows["vdot"])
    np.testing.assert_array_equal(
        eq.inverse_dynamics(np.asfortranarray(rows["q"]), rows["v"].tolist(), rows["vdot"][::-1][::-1]), expected
    )
    one = eq.inverse_dynamics(rows["q"], rows["v"][2], rows["vdot"][2])
    np.testing.assert_array_equal(one[2], expected[2])
    np.testing.assert_array_equal(
        one, eq.inverse_dynamics(rows["q"], np.tile(rows["v"][2], (6, 1)), np.tile(rows["vdot"][2], (6, 1)))
    )
    assert eq.inverse_dynamics(np.empty((0, 2)), np.empty((0, 2)), np.empty((0, 2))).shape == (0, 2)


def test_results_are_the_callers_own(model: my.Model) -> None:
    """The next call must not change what the last one returned."""
    eq = my.equations_of(model)
    rows = point(2)
    first = eq.mass_matrix(rows["q"][0])
    kept = first.copy()
    eq.mass_matrix(rows["q"][1])
    np.testing.assert_array_equal(first, kept)
    first[:] = 0.0
    np.testing.assert_array_equal(eq.mass_matrix(rows["q"][0]), kept)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name, bad", [(name, key) for name, keys in METHODS.items() for key in keys])
def test_wrong_shapes_are_refused_by_name(model: my.Model, name: str, bad: str, compiled: bool) -> None:
    eq = my.equations_of(model, compiled=compiled)
    rows = point(3)
    for wrong in (np.zeros(5), np.zeros((3, 5)), np.zeros((2, 2, 2)), 0.5, [1.0]):
        arguments = {key: rows[key][0] for key in METHODS[name]} | {bad: wrong}
        with pytest.raises(my.ModelError, match=f"'{bad}'"):
            getattr(eq, name)(*arguments.values())
    for wrong in ("text", ["a", "b"], [[1.0], [1.0, 2.0]]):
        with pytest.raises(my.ModelError, match=f"'{bad}'"):
            getattr(eq, name)(*({key: rows[key][0] for key in METHODS[name]} | {bad: wrong}).values())


def test_different_numbers_of_rows_are_refused(model: my.Model) -> None:
    eq = my.equations_of(model)
    with pytest.raises(my.ModelError, match=r"different numbers of rows: \[3, 4\]"):
        eq.inverse_dynamics(np.zeros((3, 2)), np.zeros((4, 2)), np.zeros((3, 2)))
    for wrong in (np.zeros(2) + 1j, np.ma.masked_array(np.zeros(2), [True, False]), np.array([None, 1.0])):
        with pytest.raises(my.ModelError, match="'q' must hold real numbers"):
            eq.inverse_dynamics(wrong, np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_matrices_of_stacked_rows(model: my.Model, name: str) -> None:
    eq = my.equations_of(model, compiled=False)
    rows = point(3)
    stacked = getattr(eq, name)(*(rows[key] for key in METHODS[name]))
    parts = stacked if isinstance(stacked, tuple) else (stacked,)
    for number in range(3):
        single = getattr(eq, name)(*(rows[key][number] for key in METHODS[name]))
        singles = single if isinstance(single, tuple) else (single,)
        for matrices, matrix in zip(parts, singles, strict=True):
            assert matrices[number].shape == matrix.shape
            np.testing.assert_array_equal(matrices[number].toarray(), matrix.toarray())


def test_states_by_name(model: my.Model) -> None:
    eq = my.equations_of(model, compiled=False)
    assert eq.states == ("angle1", "angle2", "angle1.speed", "angle2.speed")
    np.testing.assert_array_equal(eq.state({"angle2.speed": 3.0}), [1.0, 0.5, 0.0, 3.0])
    with pytest.raises(my.ModelError, match="unknown state 'angel2': did you mean 'angle2'"):
        eq.state({"angel2": 1.0})
    with pytest.raises(my.ModelError, match="'angle1' cannot be nan"):
        eq.state({"angle1": float("nan")})


# ---- processes and threads ----------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [None, True, False])
def test_equations_can_be_pickled(model: my.Model, compiled: bool | None) -> None:
    eq = my.equations_of(model, compiled=compiled)
    eq.mass_matrix([0.1, 0.2])
    copy = pickle.loads(pickle.dumps(eq))
    assert copy.compiled == eq.compiled
    assert copy.model == eq.model
    assert copy.states == eq.states
    for name in METHODS:
        np.testing.assert_array_equal(called(copy, name), called(eq, name))


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_threads_share_equations(compiled: bool) -> None:
    """Eight threads call the same equations with inputs of their own, the first time and many times."""
    # A structure of its own, so that the threads also race to make the kernels.
    base = my.load_model("double_pendulum")
    model = base.with_values({"rod1.mass": 1.25 if compiled else 1.75})
    eq = my.equations_of(model, compiled=compiled)
    rows = [point(150, seed) for seed in range(8)]
    start = threading.Barrier(8)

    def work(own: dict[str, Any]) -> Any:
        start.wait()
        singles = [eq.inverse_dynamics(own["q"][k], own["v"][k], own["vdot"][k]) for k in range(150)]
        matrices = [eq.mass_matrix(own["q"][k]) for k in range(150)]
        stacked = [eq.forward_dynamics(own["q"], own["v"], own["tau"]) for _ in range(20)]
        return np.array(singles), np.array(matrices), np.array(stacked)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, rows))
    for own, (singles, matrices, stacked) in zip(rows, found, strict=True):
        np.testing.assert_array_equal(singles, eq.inverse_dynamics(own["q"], own["v"], own["vdot"]))
        np.testing.assert_array_equal(matrices, eq.mass_matrix(own["q"]))
        np.testing.assert_array_equal(
            stacked, np.broadcast_to(eq.forward_dynamics(own["q"], own["v"], own["tau"]), stacked.shape)
        )


def test_threads_can_simulate_at_once() -> None:
    model = my.load_model("pendulum")
    starts = np.linspace(-2.0, 2.0, 8)

    def work(angle: float) -> float:
        return my.simulate(model, 1.0, start={"angle": angle, "angle.speed": 0.0}).final["angle"]

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(work, starts))
    assert together == [work(angle) for angle in starts]


def test_many_models_do_not_fill_the_memory() -> None:
    base = my.load_model("pendulum")
    for number in range(80):
        my.equations_of(base.with_values({"rod.mass": 1.0 + 0.01 * number}), compiled=False)
    assert len(build._shared) <= 64


def test_a_locked_or_coupled_coordinate_is_no_state() -> None:
    pendulum = my.load_model("double_pendulum")
    locked = pendulum.with_values({"angle2.locked": True, "angle2.default": 0.25})
    with pytest.raises(my.ModelError, match=r"'angle2\.speed' is not a state: its coordinate is locked at 0\.25"):
        my.equations_of(locked, compiled=False).state({"angle2.speed": 1.0})
    coupled = pendulum.with_values({"angle2.coupled": {"kind": "linear", "coordinate": "angle1"}})
    with pytest.raises(my.ModelError, match="'angle2' is not a state: its coordinate is coupled"):
        my.simulate(my.equations_of(coupled, compiled=False), 0.1, start={"angle2": 1.0})
