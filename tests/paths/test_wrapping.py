"""Ways over surfaces: closed forms, derivatives, ranges, and the twin of the compiled routines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import myodyne as my
from myodyne.native.compiler import find_compiler
from myodyne.paths.wrapping.lengths import WrappedLengths

Floats = NDArray[np.float64]

FRAME = my.Placement(body="ground")
COMPILED = [pytest.param(True, marks=pytest.mark.skipif(find_compiler() is None, reason="needs a compiler")), False]
IDENTITY = np.concatenate([np.eye(3).ravel(), np.zeros(3)])


def surfaces(half: str = "all") -> dict[str, Any]:
    """Return one surface of each kind."""
    return {
        "cylinder": my.WrapCylinder(frame=FRAME, radius=0.03, length=1.0, half=half),
        "sphere": my.WrapSphere(frame=FRAME, radius=0.03, half=half),
        "ellipsoid": my.WrapEllipsoid(frame=FRAME, radii=(0.02, 0.03, 0.05), half=half),
        "torus": my.WrapTorus(frame=FRAME, inner_radius=0.01, outer_radius=0.04, half=half),
    }


def wrapping(
    parts: dict[str, Any], wraps: tuple[my.Wrap, ...], points: int = 2, shortest: bool = False, **options: Any
) -> WrappedLengths:
    """Return the way of one path of some points over surfaces; all places are given later."""
    if shortest and find_compiler() is None:
        pytest.skip("the shortest ways need a compiler")
    path = my.PointPath(points=tuple(("ground", (0.0, 0.0, 0.0)) for _ in range(points)), wraps=wraps)
    model = my.Model(
        name="surfaces",
        bodies={"body": my.Body(mass=1.0)},
        joints={"joint": my.pin("ground", "body", coordinate="angle")},
        surfaces=parts,
        wrapping="shortest" if shortest else "opensim",
    )
    return WrappedLengths(model, {"path": path}, **options)


def over(name: str, half: str = "all", method: str = "hybrid", **options: Any) -> WrappedLengths:
    return wrapping(surfaces(half), (my.Wrap(surface=name, method=method),), **options)


def length(way: WrappedLengths, p: Any, q: Any) -> float:
    return float(way(np.concatenate([p, q]), np.ones(2), IDENTITY)[0][0])


def tangents(radius: float, p: Any, q: Any) -> tuple[float, float]:
    """Return how long both tangents to a circle are together, and the shorter angle between where they touch."""
    distances = np.linalg.norm([p, q], axis=1)
    apart = np.arccos(np.dot(p, q) / np.prod(distances))
    return float(np.sqrt(distances**2 - radius**2).sum()), float(apart - np.arccos(radius / distances).sum())


@pytest.mark.skipif(find_compiler() is None, reason="needs a compiler")
def test_over_a_cylinder_runs_a_helix() -> None:
    p, q = np.array([-0.08, 0.01, -0.02]), np.array([0.06, 0.02, 0.05])
    straight, angle = tangents(0.03, p[:2], q[:2])
    expected = np.hypot(straight + 0.03 * angle, q[2] - p[2])
    assert length(over("cylinder", shortest=True), p, q) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("compiled", COMPILED)
def test_over_a_sphere_runs_a_great_circle(compiled: bool) -> None:
    p, q = np.array([-0.08, 0.01, -0.02]), np.array([0.06, 0.01, 0.03])
    straight, angle = tangents(0.03, p, q)
    assert length(over("sphere", compiled=compiled), p, q) == pytest.approx(straight + 0.03 * angle, abs=1e-14)


@pytest.mark.parametrize("method", ["hybrid", "midpoint"])
def test_a_round_ellipsoid_is_a_sphere(method: str) -> None:
    p, q = np.array([-0.08, 0.01, -0.02]), np.array([0.06, 0.01, 0.03])
    ball = {"ball": my.WrapEllipsoid(frame=FRAME, radii=(0.03, 0.03, 0.03))}
    # Along no axis: there the plane would pass the centre by.
    way = wrapping(ball, (my.Wrap(surface="ball", method="midpoint"),))
    assert length(way, p, q) == pytest.approx(length(over("sphere"), p, q), abs=1e-12)
    # Whatever the plane, no way is shorter than the great circle.
    way = wrapping(ball, (my.Wrap(surface="ball", method=method),))
    assert length(way, p, q) >= length(over("sphere"), p, q) - 1e-12


def test_through_a_torus_the_path_keeps_to_the_hole() -> None:
    p, q = np.array([0.06, 0.0, -0.05]), np.array([0.06, 0.0, 0.05])
    # Outside of the ring: round the inner side of its tube, the long way about the centre of the tube.
    centre = np.array([0.04, 0.0, 0.0])
    a, b = (p - centre)[[0, 2]], (q - centre)[[0, 2]]
    distances = np.linalg.norm([a, b], axis=1)
    apart = 2 * np.pi - np.arccos(np.dot(a, b) / np.prod(distances)) - np.arccos(0.01 / distances).sum()
    expected = np.sqrt(distances**2 - 0.01**2).sum() + 0.01 * apart
    assert length(over("torus", shortest=True), p, q) == pytest.approx(expected, abs=1e-12)
    middle = np.array([0.01, 0.0, -0.05]), np.array([0.01, 0.0, 0.05])
    assert length(over("torus"), *middle) == pytest.approx(0.1, abs=1e-15)


@pytest.mark.parametrize("half", ["x", "-x"])
@pytest.mark.parametrize("name", ["cylinder", "sphere", "ellipsoid"])
def test_a_path_keeps_to_its_half(name: str, half: str) -> None:
    p, q = np.array([0.004, -0.1, 0.0]), np.array([0.004, 0.1, 0.001])
    way = over(name, half, shortest=True)
    along = way.points_along(np.concatenate([p, q]), np.ones(2), IDENTITY)["path"]
    # Over a sphere it passes the middle as far to the other half as the straight line does, and hardly further beside.
    least = -0.0042 if name == "sphere" else 0.0
    assert np.all(along[1:-1, 0] * (1.0 if half == "x" else -1.0) > least)
    found = length(way, p, q)
    assert np.linalg.norm(np.diff(along, axis=0), axis=1).sum() == pytest.approx(found, abs=2e-4)
    assert found > 0.2


@pytest.mark.parametrize("name", ["cylinder", "sphere", "ellipsoid"])
def test_a_line_that_misses_stays_straight(name: str) -> None:
    p, q = np.array([0.2, -0.1, 0.3]), np.array([0.21, 0.1, 0.3])
    assert length(over(name), p, q) == pytest.approx(np.linalg.norm(q - p), abs=1e-15)


def moved(frame: Floats, motion: Floats) -> Floats:
    """Return a frame displaced, and turned about its origin by a small vector, shortestly."""
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_rotvec(motion[3:]).as_matrix() @ frame[:9].reshape(3, 3)
    return np.concatenate([turned.ravel(), frame[9:] + motion[:3]])


def numerical_weights(way: WrappedLengths, points: Floats, frames: Floats, step: float = 1e-5) -> Floats:
    """Return the derivatives by differences of fourth order."""
    active, count = np.ones(points.size // 3), points.size + frames.size // 2

    def at(number: int, change: float) -> float:
        places, surfaces = points.copy(), frames.copy().reshape(-1, 12)
        if number < points.size:
            places[number] += change
        else:
            use, part = divmod(number - points.size, 6)
            surfaces[use] = moved(surfaces[use], change * np.eye(6)[part])
        return float(way(places, active, surfaces.ravel())[0][0])

    return np.array(
        [(8 * (at(i, step) - at(i, -step)) - (at(i, 2 * step) - at(i, -2 * step))) / (12 * step) for i in range(count)]
    )


def random_places(seed: int, points: int, uses: int) -> tuple[Floats, Floats]:
    from scipy.spatial.transform import Rotation

    random = np.random.default_rng(seed)
    places = np.sign(np.linspace(-1.0, 1.0, points))[:, None] * [0.09, 0.02, 0.03] + random.normal(
        scale=0.012, size=(points, 3)
    )
    turns = Rotation.random(uses, random_state=seed).as_matrix().reshape(uses, 9)
    return places.ravel(), np.hstack([turns, random.normal(scale=0.005, size=(uses, 3))]).ravel()


@pytest.mark.parametrize("shortest", [True, False])
@pytest.mark.parametrize("half", ["all", "-y"])
@pytest.mark.parametrize("name", ["cylinder", "sphere", "ellipsoid", "torus"])
def test_weights_are_the_derivatives(name: str, half: str, shortest: bool) -> None:
    way, compared = over(name, half, shortest=shortest), 0
    for seed in range(12):
        points, frames = random_places(seed, 2, 1)
        found, weights = way(points, np.ones(2), frames)
        if found[0] - np.linalg.norm(points[3:] - points[:3]) < 1e-4:
            continue
        compared += 1
        np.testing.assert_allclose(weights, numerical_weights(way, points, frames), atol=2e-8)
    assert compared >= 2


@pytest.mark.parametrize("shortest", [True, False])
def test_weights_are_the_derivatives_over_several_surfaces(shortest: bool) -> None:
    wraps = tuple(my.Wrap(surface=name) for name in ("cylinder", "ellipsoid", "sphere"))
    way, compared = wrapping(surfaces(), wraps, points=3, shortest=shortest), 0
    for seed in range(10):
        points, frames = random_places(seed, 3, 3)
        frames = frames.reshape(3, 12)
        frames[:, 9:] += [[-0.06, 0.0, 0.0], [0.0, 0.0, 0.0], [0.06, 0.0, 0.0]]
        found, weights = way(points, np.ones(3), frames.ravel())
        if found[0] < 1.001 * np.linalg.norm(np.diff(points.reshape(3, 3), axis=0), axis=1).sum():
            continue
        compared += 1
        # Short differences: OpenSim's helices settle in steps, the number of which may change within longer ones.
        numerical = numerical_weights(way, points, frames.ravel(), 1e-7)
        np.testing.assert_allclose(weights, numerical, atol=1e-8)
    assert compared >= 4


def test_moving_everything_changes_nothing() -> None:
    points, frames = random_places(3, 2, 1)
    _, weights = over("ellipsoid")(points, np.ones(2), frames)
    forces = weights[:6].reshape(2, 3)
    np.testing.assert_allclose(forces.sum(axis=0) + weights[6:9], 0.0, atol=1e-12)
    moments = np.cross(points.reshape(2, 3) - frames[9:], forces).sum(axis=0)
    np.testing.assert_allclose(moments + weights[9:], 0.0, atol=1e-12)


def test_only_points_within_the_range_and_in_play_are_wrapped() -> None:
    points = np.array([[-0.1, 0.01, 0.0], [0.1, 0.01, 0.0], [-0.1, -0.01, 0.0]]).ravel()
    straight = np.linalg.norm(np.diff(points.reshape(3, 3), axis=0), axis=1)
    first, second = (
        wrapping(surfaces(), (my.Wrap(surface="sphere", first=low, last=low + 1),), points=3) for low in (1, 2)
    )
    for way, wrapped in ((first, 0), (second, 1)):
        (found,), _ = way(points, np.ones(3), IDENTITY)
        assert found > straight.sum() + 1e-3
        assert found - straight[1 - wrapped] == pytest.approx(
            length(over("sphere"), *points.reshape(3, 3)[wrapped : wrapped + 2]), abs=1e-14
        )
    (found,), weights = second(points, np.array([1.0, 0.0, 1.0]), IDENTITY)
    assert found == pytest.approx(0.02, abs=1e-15)  # the range holds one point: nothing to wrap
    assert not weights[3:6].any()


@pytest.mark.parametrize("compiled", COMPILED)
def test_beside_a_torus_the_search_for_its_ring_may_stand_still(compiled: bool) -> None:
    # Both ends on one side of a large ring: no root of OpenSim's condition lies near, its search stops on the way.
    ring = {"ring": my.WrapTorus(frame=FRAME, inner_radius=0.02, outer_radius=0.08)}
    points = np.array([0.18, 0.155, -0.164, 0.143, 0.079, -0.112])
    way = wrapping(ring, (my.Wrap(surface="ring"),), points=2, compiled=compiled)
    (found,), weights = way(points, np.ones(2), IDENTITY)
    assert found > np.linalg.norm(points[3:] - points[:3]) + 0.1
    np.testing.assert_allclose(weights, numerical_weights(way, points, IDENTITY), atol=2e-8)


@pytest.mark.parametrize("compiled", COMPILED)
def test_points_in_one_place_pass_a_torus_by(compiled: bool) -> None:
    way = wrapping(surfaces(), (my.Wrap(surface="torus"),), points=2, compiled=compiled)
    assert way(np.full(6, 0.05), np.ones(2), IDENTITY)[0][0] == 0.0


@pytest.mark.skipif(find_compiler() is None, reason="needs a compiler")
@pytest.mark.parametrize("half", ["all", "x", "-z"])
def test_the_twin_gives_the_same(half: str) -> None:
    wraps = tuple(my.Wrap(surface=name) for name in ("torus", "cylinder", "sphere", "ellipsoid"))
    combinations = [(wrap,) for wrap in wraps] + [wraps[1:3], wraps[1:], wraps]
    for chosen in combinations:
        ways = [wrapping(surfaces(half), chosen, points=3, compiled=compiled) for compiled in (True, False)]
        places = [random_places(seed, 3, len(chosen)) for seed in range(6)]
        points, frames = (np.array(part) for part in zip(*places, strict=True))
        results = [way(points, np.ones((6, 3)), frames) for way in ways]
        np.testing.assert_allclose(results[0][0], results[1][0], atol=1e-12)
        np.testing.assert_allclose(results[0][1], results[1][1], atol=1e-8)
        drawn = [way.points_along(points[0], np.ones(3), frames[0])["path"] for way in ways]
        np.testing.assert_allclose(drawn[0], drawn[1], atol=1e-10)


@pytest.mark.parametrize("name", ["cylinder", "sphere", "ellipsoid"])
def test_the_length_grows_smoothly_as_the_path_meets_the_surface(name: str) -> None:
    way = over(name, shortest=True)
    heights = np.linspace(0.06, 0.005, 1101)
    rows = np.array([[-0.1, height, 0.004, 0.1, height, -0.003] for height in heights])
    lengths, weights = way(rows, np.ones((len(rows), 2)), np.tile(IDENTITY, (len(rows), 1)))
    slopes = weights[:, 1] + weights[:, 4]
    unexplained = np.diff(lengths[:, 0]) - 0.5 * (slopes[1:] + slopes[:-1]) * np.diff(heights)
    assert np.abs(unexplained).max() < 1e-7
    assert lengths[-1, 0] > lengths[0, 0] + 1e-3


def test_jumps_are_found_where_they_are() -> None:
    bodies = {"bone": my.Body(mass=1.0, inertia=0.1)}
    surface = {"roll": my.WrapCylinder(frame=my.Placement(body="ground"), radius=0.03, length=0.04)}
    path = my.PointPath(
        points=(("ground", (-0.1, 0.0, 0.0)), ("bone", (0.1, 0.01, 0.0))), wraps=(my.Wrap(surface="roll"),)
    )
    muscle = my.Muscle(path=path, max_force=100.0, optimal_fibre_length=0.1, tendon_slack_length=0.1)
    slide = my.slider("ground", "bone", coordinate="slide", axis=(0.0, 0.0, 1.0))
    model = my.Model(name="roll", bodies=bodies, joints={"joint": slide}, surfaces=surface, muscles={"muscle": muscle})
    # Where both points of tangency leave the end of the roll, the path slips off it.
    jumps = my.path_jumps(model, "muscle", ranges={"slide": (0.0, 0.2)}, lines=2)
    assert {round(jump.at, 6) for jump in jumps} == {round(jumps[0].at, 6)}
    assert jumps[0].coordinate == "slide"
    assert 0.02 < jumps[0].at < 0.08
    assert jumps[0].size < -1e-3
