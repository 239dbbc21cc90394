"""The shortest paths over surfaces: a field of the model, kept in files, without the jumps of OpenSim's rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.model.surfaces import Surface
from myodyne.native.compiler import find_compiler
from myodyne.paths.fitted import FittedPaths, Tolerance
from myodyne.paths.geometry import wrapped_muscles
from myodyne.paths.wrapping.lengths import WrappedLengths as Wrapping
from myodyne.paths.wrapping.tables import by_path
from support.samples import one_in

MODELS = Path(__file__).resolve().parents[3] / "shared" / "models_osim"
SHORTEST = {"wrapping": "shortest"}

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="the shortest paths need a compiler")


def rolling(surface: Surface, at: tuple[float, float, float] = (0.1, 0.0, 0.0)) -> my.Model:
    """Return a bone that slides along y and turns, with a muscle from the ground over a surface in the origin."""
    path = my.PointPath(points=(("ground", (-0.1, 0.0, 0.0)), ("bone", at)), wraps=(my.Wrap(surface="roll"),))
    joint = my.planar(
        "ground",
        "bone",
        ("x", "y", "turn"),
        x={"range": (-0.18, 0.05)},
        y={"range": (-0.1, 0.1)},
        turn={"range": (-0.3, 0.3)},
    )
    muscle = my.Muscle(path=path, max_force=100.0, optimal_fibre_length=0.1, tendon_slack_length=0.1)
    return my.Model(
        name="roll",
        bodies={"bone": my.Body(mass=1.0, inertia=0.1)},
        joints={"joint": joint},
        surfaces={"roll": surface},
        muscles={"muscle": muscle},
    )


def ball(half: str = "all") -> my.WrapSphere:
    return my.WrapSphere(frame=my.Placement(body="ground"), radius=0.03, half=half)


def roller(half: str = "all", length: float = 1.0) -> my.WrapCylinder:
    return my.WrapCylinder(frame=my.Placement(body="ground"), radius=0.03, length=length, half=half)


def test_the_choice_is_part_of_the_model_and_of_its_fingerprints(tmp_path: Path) -> None:
    model = rolling(roller())
    shortest = model.with_values(SHORTEST)
    assert (model.wrapping, shortest.wrapping) == ("opensim", "shortest")
    assert shortest != model
    assert shortest.hash != model.hash
    assert shortest.structure_hash != model.structure_hash
    keys = {FittedPaths(part, Tolerance(), "")._key for part in (model, shortest)}
    assert len(keys) == 2
    my.save_model(shortest, tmp_path / "roll.yaml")
    assert my.load_model(tmp_path / "roll.yaml") == shortest
    assert my.load_model(tmp_path / "roll.yaml", wrapping="opensim") == model
    with pytest.raises(my.ModelError, match="wrapping"):
        model.with_values({"wrapping": "longest"})


def test_opensim_files_cannot_hold_it(tmp_path: Path) -> None:
    with pytest.raises(my.FileError, match="wrapping 'shortest': OpenSim lays paths over surfaces by its own rules"):
        my.save_model(rolling(roller()).with_values(SHORTEST), tmp_path / "roll.osim")


@pytest.mark.parametrize("surface", [ball(), ball("y"), ball("-x"), roller(), roller("-x")], ids=str)
def test_lengths_go_on_where_points_sink_and_sides_change(surface: Surface) -> None:
    model = rolling(surface, (0.1, 0.004, 0.01))
    # The bone's point comes in from outside, down to a third of the radius, and passes on either side of the middle.
    ranges = {"x": (-0.09, 0.05), "y": (-0.1, 0.1), "turn": (-0.05, 0.05)}
    assert my.path_jumps(model, "muscle", ranges=ranges, lines=8)
    jumps = my.path_jumps(model.with_values(SHORTEST), "muscle", ranges=ranges, lines=8)
    assert not jumps


def test_points_that_go_round_behind_a_held_side_are_where_a_path_still_jumps() -> None:
    model = rolling(roller("-y"), (0.1, 0.0, 0.0)).with_values(SHORTEST)
    ranges = {"x": (-0.18, -0.16), "y": (-0.1, 0.1), "turn": (-0.01, 0.01)}
    assert not my.path_jumps(model, "muscle", ranges={**ranges, "x": (-0.05, 0.05)}, lines=4)
    crossing = my.path_jumps(
        rolling(roller("-y"), (0.1, 0.1, 0.0)).with_values(SHORTEST),
        "muscle",
        lines=4,
        ranges={"x": (-0.18, 0.05), "y": (-0.02, 0.0), "turn": (-0.01, 0.01)},
    )
    assert {(jump.coordinate, jump.cause) for jump in crossing} == {("x", "side of 'roll'")}
    assert all(abs(jump.at + 0.1 - jump.pose["turn"] * 0.1) < 1e-2 for jump in crossing)


def test_everything_follows_the_choice() -> None:
    model = rolling(ball(), (0.05, 0.004, 0.01))
    eqs = [my.equations_of(part) for part in (model, model.with_values(SHORTEST))]
    q = np.array([-0.03, 0.004, 0.02])  # the bone's point lies within the ball
    lengths = [eq.muscle_lengths(q)[0] for eq in eqs]
    assert lengths[1] > lengths[0] + 1e-4
    slopes = []
    for d in 1e-4 * np.eye(3):
        near, far = (eqs[1].muscle_lengths(q + n * d)[0] - eqs[1].muscle_lengths(q - n * d)[0] for n in (1, 2))
        slopes.append((8 * near - far) / 12e-4)
    np.testing.assert_allclose(eqs[1].moment_arms(q)[0], -np.array(slopes), atol=1e-8)
    assert eqs[1].path_fits["muscle"].path != eqs[0].path_fits["muscle"].path
    u = np.full(1, 0.5)
    rates = [eq.derivative(eq.state({"x": -0.03, "y": 0.004, "turn": 0.02}), u, exact_paths=True) for eq in eqs]
    assert np.abs(rates[0] - rates[1]).max() > 1e-3


# Muscles that jump by OpenSim's rules, and how many jumps on five lines are left at most along the shortest paths.
JUMPING = [
    ("Rajagopal2016", "iliacus_r", 0),
    ("Rajagopal2016", "psoas_r", 0),
    ("Rajagopal2016", "glmax2_r", 0),
    ("Rajagopal2016", "glmax1_r", 2),
    ("MoBL_ARMS", "PQ", 0),
    ("MoBL_ARMS", "SUBSC", 0),
    ("MoBL_ARMS", "BIClong", 0),
    ("MoBL_ARMS", "LAT2", 3),
    ("MoBL_ARMS", "TMAJ", 6),
    ("MoBL_ARMS", "CORB", 5),
    ("arm26", "BIClong", 0),
    ("arm26", "TRIlong", 10),
    ("das3", "serr_ant_7", 0),
]
CAUSES = ("end of '", "side of '", "overlap at '", "another way", "conditional point")


@pytest.fixture(scope="module")
def published() -> dict[str, my.Model]:
    if not MODELS.is_dir():
        pytest.skip("needs the OpenSim models in ../shared/models_osim")
    return {name: my.load_model(MODELS / f"{name}.osim") for name in ("Rajagopal2016", "MoBL_ARMS", "arm26", "das3")}


@pytest.mark.parametrize(("name", "muscle", "most"), one_in(4, JUMPING))
def test_published_models_jump_less(published: dict[str, my.Model], name: str, muscle: str, most: int) -> None:
    model = published[name]
    before = my.path_jumps(model, muscle, lines=5)
    after = my.path_jumps(model.with_values(SHORTEST), muscle, lines=5)
    assert len(before) > most
    assert len(after) <= most
    assert all(jump.cause.startswith(CAUSES) for jump in after)
    assert {jump.cause for jump in before} == {"rules of OpenSim"}


@pytest.mark.parametrize("name", one_in(3, ["arm26", "MoBL_ARMS", "Rajagopal2016"]))
def test_moment_arms_of_published_models_are_slopes(published: dict[str, my.Model], name: str) -> None:
    model = published[name]
    eq = my.equations_of(model.with_values(SHORTEST), compiled=True)
    rng = np.random.default_rng(4)
    middle = np.array([np.mean(model.coordinates[name].range) for name in eq.coordinates])
    reach = np.array([np.ptp(model.coordinates[name].range) for name in eq.coordinates])
    q = middle + 0.4 * rng.uniform(-1.0, 1.0, (12, len(middle))) * reach
    arms = eq.moment_arms(q)
    worst = np.full(arms.shape, np.inf)
    # Differences across a pose where a path begins to touch are no derivatives: the shorter, the fewer there are.
    for step in (1e-4, 1e-5, 1e-6):
        for k, d in enumerate(step * np.eye(len(middle))):
            near, far = (eq.muscle_lengths(q + n * d) - eq.muscle_lengths(q - n * d) for n in (1, 2))
            worst[:, :, k] = np.minimum(worst[:, :, k], np.abs(arms[:, :, k] + (8 * near - far) / (12 * step)))
    assert worst.max() < 1e-8


def test_lengths_are_no_longer_than_opensims_unless_points_sink(published: dict[str, my.Model]) -> None:
    model = published["Rajagopal2016"]
    eqs = [my.equations_of(part, compiled=True) for part in (model, model.with_values(SHORTEST))]
    rng = np.random.default_rng(5)
    ends = np.array([model.coordinates[name].range for name in eqs[0].coordinates])
    q = ends[:, 0] + rng.uniform(size=(200, len(ends))) * np.diff(ends, axis=1)[:, 0]
    theirs, ours = (eq.muscle_lengths(q) for eq in eqs)
    over = wrapped_muscles(model)
    tables, numbers = Wrapping(model, over).tables, np.array(model.free_numbers, dtype=float)
    shorter = 0
    for row, places in enumerate(zip(*eqs[0].kernel("wrap_places")(q, numbers), strict=True)):
        for name, (points, _, frame) in zip(over, by_path(tables, places), strict=True):
            surface = model.surfaces[over[name].wraps[0].surface]
            if len(over[name].wraps) > 1 or surface.kind != "cylinder":
                continue
            local = (points.reshape(-1, 3) - frame[9:]) @ frame[:9].reshape(3, 3)
            # OpenSim ignores a surface that a point lies inside: the straight line is shorter then.
            sunk = np.hypot(local[:, 0], local[:, 1]).min() < surface.radius
            number = list(model.muscles).index(name)
            assert sunk or ours[row, number] < theirs[row, number] + 1e-9
            shorter += ours[row, number] < theirs[row, number] - 1e-6
    assert shorter > 100
