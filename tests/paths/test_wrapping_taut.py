"""Taut strings over surfaces: as short as closed forms and as anything an optimiser finds, and without jumps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

import myodyne as my
from myodyne.model import PointPath
from myodyne.model.surfaces import Surface
from myodyne.native.compiler import find_compiler
from myodyne.paths.wrapping.lengths import WrappedLengths as Wrapping
from myodyne.types import Floats
from support.samples import one_in

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a compiler")

FRAME = my.Placement(body="ground")
# The distances of points from a surface, and the normals there.
Outside = Callable[[Floats], tuple[Floats, Floats]]
IDENTITY = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
SHORTEST = {"wrapping": "shortest"}
MODELS = Path(__file__).resolve().parents[3] / "shared" / "models_osim"


def over(*surfaces: Surface, points: int = 2) -> Wrapping:
    """Return a path over surfaces, each on a body of its own; their frames are given later."""
    parts = {
        f"s{k}": surface.model_copy(update={"frame": my.Placement(body=f"b{k}")}) for k, surface in enumerate(surfaces)
    }
    path = my.PointPath(
        points=tuple(("ground", (0.0, 0.0, 0.0)) for _ in range(points)),
        wraps=tuple(my.Wrap(surface=name) for name in parts),
    )
    model = my.Model(
        name="taut",
        surfaces=parts,
        wrapping="shortest",
        bodies={f"b{k}": my.Body(mass=1.0) for k in range(len(parts))},
        joints={f"j{k}": my.pin("ground", f"b{k}", f"q{k}") for k in range(len(parts))},
    )
    return Wrapping(model, {"path": path})


def length(wrapping: Wrapping, points: ArrayLike, frames: Floats = IDENTITY) -> float:
    points = np.asarray(points, dtype=float)
    return float(wrapping(points.ravel(), np.ones(len(points)), frames)[0][0])


def ellipsoid(radii: tuple[float, float, float], half: str = "all") -> my.WrapEllipsoid:
    return my.WrapEllipsoid(frame=FRAME, radii=radii, half=half)


def ring(half: str = "all") -> my.WrapTorus:
    return my.WrapTorus(frame=FRAME, inner_radius=0.01, outer_radius=0.04, half=half)


def around_circle(radius: float, p: ArrayLike, q: ArrayLike) -> float:
    """Return the length of two tangents to a circle and of the arc between them."""
    off = np.linalg.norm([p, q], axis=1)
    turn = np.arccos(np.dot(p, q) / np.prod(off)) - np.arccos(radius / off).sum()
    return float(np.sqrt(off**2 - radius**2).sum() + radius * turn)


def test_over_a_round_ellipsoid_runs_a_great_circle() -> None:
    ball, same = over(my.WrapSphere(frame=FRAME, radius=0.03)), over(ellipsoid((0.03, 0.03, 0.03)))
    rng = np.random.default_rng(1)
    for _ in range(20):
        p, q = rng.normal(size=3), rng.normal(size=3)
        p, q = 0.03 * rng.uniform(1.001, 3.0) * p / np.linalg.norm(p), 0.07 * q / np.linalg.norm(q)
        assert length(same, [p, q]) == pytest.approx(length(ball, [p, q]), abs=1e-13)


@pytest.mark.parametrize("height", [0.02, 0.0300001, 0.032])
def test_round_the_middle_of_a_spindle_runs_a_circle(height: float) -> None:
    p, q = np.array([-0.05, -0.004]), np.array([0.004, height])
    found = length(over(ellipsoid((0.03, 0.03, 0.2))), [[*p, 0.0], [*q, 0.0]])
    # A point within shrinks the surface to where the point lies.
    assert found == pytest.approx(around_circle(min(0.03, float(np.linalg.norm(q))), p, q), abs=1e-13)


def test_along_a_symmetry_of_an_ellipsoid_runs_an_ellipse() -> None:
    from scipy.integrate import quad
    from scipy.optimize import brentq

    a, b = 0.05, 0.03
    p = np.array([-0.07, 0.002])
    # Where the tangent from the point touches the upper half; the path is its own mirror image.
    at = brentq(lambda t: p[0] * np.cos(t) / a + p[1] * np.sin(t) / b - 1.0, 0.5 * np.pi, np.pi - 0.05, xtol=1e-15)
    touch = np.array([a * np.cos(at), b * np.sin(at)])
    half = (
        np.linalg.norm(touch - p)
        + quad(lambda t: np.hypot(a * np.sin(t), b * np.cos(t)), 0.5 * np.pi, at, epsabs=1e-14)[0]
    )
    found = length(over(ellipsoid((a, b, 0.08))), [[p[0], p[1], 0.0], [-p[0], p[1], 0.0]])
    assert found == pytest.approx(2.0 * half, abs=1e-12)


class Sheet:
    """A surface as an optimiser sees it: points by parameters, and the points where tangents from a given point touch."""

    def __init__(self, surface: Surface, frame: Floats) -> None:
        self.surface, self.turn, self.origin = surface, frame[:9].reshape(3, 3), frame[9:]
        self.numbers = 3 if surface.kind == "ellipsoid" else 2

    def at(self, u: Floats) -> Floats:
        s = self.surface
        if s.kind == "ellipsoid":
            x = np.array(s.radii) * u / np.linalg.norm(u, axis=-1, keepdims=True)
        else:
            off = s.outer_radius + s.inner_radius * np.cos(u[..., 1])
            x = np.stack([off * np.cos(u[..., 0]), off * np.sin(u[..., 0]), s.inner_radius * np.sin(u[..., 1])], -1)
        return np.asarray(x @ self.turn.T + self.origin)

    def touch(self, point: ArrayLike, number: float) -> Floats:
        """Return the parameters of the point where one of the tangents touches; the number selects it."""
        s, p = self.surface, (np.asarray(point) - self.origin) @ self.turn
        if s.kind == "ellipsoid":
            u = p / s.radii
            far = np.linalg.norm(u)
            first = np.cross(u, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(u, [0.0, 0.0, 1.0]))
            across = np.cos(number) * first + np.sin(number) * np.cross(u / far, first)
            return np.asarray(u / far**2 + np.sqrt(1.0 - 1.0 / far**2) * across)
        out = s.outer_radius - p[0] * np.cos(number) - p[1] * np.sin(number)
        wide = np.arccos(-s.inner_radius / np.hypot(out, p[2]))
        angles = (np.arctan2(-p[2], out) + np.array([wide, -wide])) % (2.0 * np.pi)
        return np.array([number, angles[np.argmin(np.cos(angles))]])  # on the inner side of the tube


def relaxed(p: ArrayLike, q: ArrayLike, sheet: Sheet, start: tuple[float, float]) -> float:
    """Return the least length an optimiser finds for a string over one surface.

    It begins and ends where tangents from the points touch, and is a polynomial of degree ten in between; its length is
    measured by quadrature. Geodesics are not used.
    """
    from numpy.polynomial import chebyshev, legendre
    from scipy.optimize import minimize

    nodes, weights = legendre.leggauss(40)
    bubble = chebyshev.chebvander(nodes, 8)
    slopes = (
        -2.0 * nodes[:, None] * bubble
        + (1.0 - nodes**2)[:, None] * chebyshev.chebval(nodes, chebyshev.chebder(np.eye(9))).T
    )
    bubble = (1.0 - nodes**2)[:, None] * bubble

    def whole(x: Floats) -> float:
        own, ends = x[2:].reshape(9, -1), [sheet.touch(p, x[0]), sheet.touch(q, x[1])]
        at = 0.5 * np.outer(1.0 - nodes, ends[0]) + 0.5 * np.outer(1.0 + nodes, ends[1]) + bubble @ own
        step = 1e-5 * (0.5 * (ends[1] - ends[0]) + slopes @ own)
        speed = np.linalg.norm(sheet.at(at + step) - sheet.at(at - step), axis=1) / 2e-5
        return float(np.linalg.norm(sheet.at(ends[0]) - p) + weights @ speed + np.linalg.norm(sheet.at(ends[1]) - q))

    found = minimize(
        whole,
        np.concatenate([start, np.zeros(9 * sheet.numbers)]),
        method="BFGS",
        options={"gtol": 1e-8, "maxiter": 500},
    )
    return float(found.fun)


E = ellipsoid((0.03, 0.02, 0.05))


def rim(x: ArrayLike, towards: ArrayLike) -> float:
    """Return which of the tangents from a point to the ellipsoid touches farthest in a direction."""
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    return float(max(angles, key=lambda angle: Sheet(E, IDENTITY).touch(x, angle) @ np.asarray(towards)))


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ((-0.08, 0.01, -0.02), (0.06, 0.012, 0.05)),
        ((-0.05, 0.004, 0.03), (0.07, 0.008, -0.06)),
        ((-0.031, 0.002, 0.001), (0.05, 0.006, 0.04)),
    ],
)
def test_nothing_shorter_is_found_over_an_ellipsoid(p: tuple[float, ...], q: tuple[float, ...]) -> None:
    start = rim(p, (0.0, 1.0, 0.0)), rim(q, (0.0, 1.0, 0.0))
    ours, found = length(over(E), [p, q]), relaxed(p, q, Sheet(E, IDENTITY), start)
    assert ours <= found + 1e-9
    # The relaxation itself stops up to 4e-9 m above the shortest way, by how a processor rounds.
    assert ours == pytest.approx(found, abs=1e-8)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ((0.05, 0.02, -0.05), (0.045, -0.01, 0.06)),
        ((0.038, 0.002, -0.06), (0.036, 0.012, 0.05)),
    ],
)
def test_nothing_shorter_is_found_through_a_ring(p: tuple[float, ...], q: tuple[float, ...]) -> None:
    at = np.arctan2(p[1] + q[1], p[0] + q[0])
    expected = relaxed(p, q, Sheet(ring(), IDENTITY), (at, at))
    assert length(over(ring()), [p, q]) == pytest.approx(expected, abs=1e-9)


def test_over_two_surfaces_at_once_all_places_are_taut() -> None:
    from scipy.optimize import minimize

    roll = my.WrapCylinder(frame=FRAME, radius=0.02, length=1.0)
    frames = np.array([IDENTITY, IDENTITY])
    frames[1, 9:] = [0.07, 0.005, 0.0]
    p, q = (-0.08, -0.004, 0.01), (0.14, -0.003, -0.02)
    found = length(over(E, roll), [p, q], frames.ravel())
    assert found > max(length(over(E), [p, q]), length(over(roll), [p, q], frames[1])) + 1e-4
    # Their order in the file does not matter.
    assert length(over(roll, E), [p, q], frames[::-1].ravel()) == pytest.approx(found, abs=1e-14)

    # Each alone is checked above. Both together: over each alone to a point between them, at the best such point.
    one, other = over(E), over(roll)

    def through(x: Floats) -> float:
        return length(one, [p, x]) + length(other, [x, q], frames[1])

    best = minimize(
        through, (0.035, -0.022, 0.0), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14, "maxfev": 2000}
    )
    assert found == pytest.approx(best.fun, abs=1e-9)


def numerical_weights(wrapping: Wrapping, points: Floats, frames: Floats, step: float = 1e-5) -> Floats:
    """Return the derivatives of the length by differences of fourth order."""
    from scipy.spatial.transform import Rotation

    def at(number: int, change: float) -> float:
        places, moved = points.copy(), frames.copy().reshape(-1, 12)
        if number < points.size:
            places.flat[number] += change
        else:
            use, part = divmod(number - points.size, 6)
            motion = change * np.eye(6)[part]
            moved[use, :9] = (Rotation.from_rotvec(motion[3:]).as_matrix() @ moved[use, :9].reshape(3, 3)).ravel()
            moved[use, 9:] += motion[:3]
        return length(wrapping, places, moved.ravel())

    return np.array(
        [
            (8 * (at(i, step) - at(i, -step)) - (at(i, 2 * step) - at(i, -2 * step))) / (12 * step)
            for i in range(points.size + frames.size // 2)
        ]
    )


HELD = [
    my.WrapSphere(frame=FRAME, radius=0.03, half="y"),
    ellipsoid((0.03, 0.03, 0.05), "y"),
    ellipsoid((0.03, 0.02, 0.05), "-x"),
]
PLACES = {
    "passing on the wrong side": [[-0.08, -0.004, 0.01], [0.07, -0.007, -0.02]],
    "one point within": [[-0.02, 0.004, 0.012], [0.07, -0.006, -0.02]],
    "both points within": [[-0.012, 0.006, 0.012], [0.015, 0.008, -0.01]],
    "close above": [[-0.0299, 0.0052, 0.0001], [0.07, 0.006, -0.02]],
}


@pytest.mark.parametrize("case", PLACES)
@pytest.mark.parametrize("surface", [E, ring(), *HELD], ids=lambda s: f"{s.kind} {s.half}")
def test_weights_are_the_derivatives_wherever_points_lie(surface: Surface, case: str) -> None:
    wrapping, points = over(surface), np.array(PLACES[case])
    _, weights = wrapping(points.ravel(), np.ones(2), IDENTITY)
    numerical = numerical_weights(wrapping, points, IDENTITY, 2e-6 if case == "close above" else 1e-5)
    np.testing.assert_allclose(weights, numerical, atol=1e-8)


def random_surface(rng: np.random.Generator) -> Surface:
    half, kind = str(rng.choice(["all", "x", "-y", "z"])), rng.integers(4)
    if kind == 0:
        return my.WrapCylinder(frame=FRAME, radius=rng.uniform(0.005, 0.04), length=rng.uniform(0.02, 1.0), half=half)
    if kind == 1:
        return my.WrapSphere(frame=FRAME, radius=rng.uniform(0.005, 0.04), half=half)
    if kind == 2:
        return my.WrapEllipsoid(frame=FRAME, radii=tuple(rng.uniform(0.008, 0.08, 3)), half=half)
    return my.WrapTorus(frame=FRAME, inner_radius=rng.uniform(0.002, 0.01), outer_radius=rng.uniform(0.02, 0.04))


@pytest.mark.parametrize("seed", [5, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(5))])
def test_weights_are_the_derivatives_over_random_surfaces(seed: int) -> None:
    from scipy.spatial.transform import Rotation

    # They may overlap, and points may lie inside: the weights of the string that is found are its derivatives.
    rng = np.random.default_rng(seed)
    for _ in range(6):
        surfaces = [random_surface(rng) for _ in range(rng.integers(1, 4))]
        count = len(surfaces)
        turns = Rotation.random(count, random_state=int(rng.integers(1000))).as_matrix().reshape(count, 9)
        frames = np.hstack([turns, rng.normal(scale=0.03, size=(count, 3))]).ravel()
        wrapping, points = over(*surfaces, points=3), rng.normal(scale=0.06, size=(3, 3))
        (found,), weights = wrapping(points.ravel(), np.ones(3), frames)
        assert found >= np.linalg.norm(np.diff(points, axis=0), axis=1).sum() - 1e-12
        forces = weights[:9].reshape(3, 3).sum(axis=0) + weights[9:].reshape(count, 6)[:, :3].sum(axis=0)
        np.testing.assert_allclose(forces, 0.0, atol=1e-9)
        errors = [
            np.abs(weights - numerical_weights(wrapping, points, frames, step)).max() for step in (1e-5, 1e-6, 1e-7)
        ]
        assert min(errors) < 1e-7


# Surfaces of two bodies that overlap so that the string lies in the groove between them: radii of a ball or an ellipsoid,
# and of a cylinder; their rotation vectors; where the cylinder is, and the ends of the string.
GROOVES = {
    "in over the ball, out over the cylinder": (
        (0.03, 0.03, 0.03),
        0.021,
        [[2.38, -0.75, -0.44], [0.47, -0.12, -2.72]],
        [-0.013, -0.016, -0.026],
        [[0.018, -0.008, 0.051], [-0.045, -0.011, -0.019]],
    ),
    "in and out over the ball": (
        (0.03, 0.03, 0.03),
        0.012,
        [[-2.13, -0.18, 0.07], [2.14, -0.98, -0.92]],
        [-0.018, 0.011, 0.007],
        [[-0.022, 0.056, -0.008], [0.027, -0.035, 0.023]],
    ),
    "in over the ellipsoid, out over the cylinder": (
        (0.03, 0.038, 0.048),
        0.009,
        [[0.57, 1.67, -1.47], [-0.42, 1.76, -0.25]],
        [0.015, 0.033, 0.013],
        [[-0.034, 0.108, -0.066], [0.066, -0.069, 0.08]],
    ),
}


def in_groove(case: str) -> tuple[Wrapping, Floats, Floats, list[Outside]]:
    """Return a path, the ends of the string, the frames, and for both surfaces a function: distance and normals."""
    from scipy.spatial.transform import Rotation

    radii, radius, turns, at, points = GROOVES[case]
    wrapping = over(ellipsoid(radii), my.WrapCylinder(frame=FRAME, radius=radius, length=1.0))
    frames = np.hstack([Rotation.from_rotvec(turns).as_matrix().reshape(2, 9), [[0.0, 0.0, 0.0], at]])

    def outside(number: int, x: Floats) -> tuple[Floats, Floats]:
        turn, half_axes = frames[number, :9].reshape(3, 3), np.array([radii, (radius, radius, np.inf)][number])
        local = (x - frames[number, 9:]) @ turn
        slope = local / half_axes**2
        steep = np.linalg.norm(slope, axis=1)
        return 0.5 * (((local / half_axes) ** 2).sum(axis=1) - 1.0) / steep, slope / steep[:, None] @ turn.T

    return wrapping, np.array(points), frames, [lambda x: outside(0, x), lambda x: outside(1, x)]


def chain_length(nodes: Floats, outsides: list[Outside]) -> float:
    """Return the length of a chain pulled tight: each node between its neighbours, and projected out of surfaces."""
    for sweep in range(20 * len(nodes)):
        for start in (1, 2):
            own = slice(start, -1, 2)
            step = 0.5 * (nodes[start - 1 : -2 : 2] + nodes[start + 1 :: 2]) - nodes[own]
            x = nodes[own] + (1.9 if sweep < 16 * len(nodes) else 1.0) * step
            for _ in range(6):
                for outside in outsides:
                    depth, normal = outside(x)
                    x = x - np.minimum(depth, 0.0)[:, None] * normal
            nodes[own] = x
    return float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum())


@pytest.mark.parametrize("case", one_in(3, GROOVES))
def test_strings_lie_in_grooves(case: str) -> None:
    wrapping, points, frames, outsides = in_groove(case)
    drawn = wrapping.points_along(points.ravel(), np.ones(2), frames.ravel())["path"]
    depths = np.array([outside(drawn[1:-1])[0] for outside in outsides])
    assert depths.min() > -1e-9
    assert (np.abs(depths).max(axis=0) < 1e-9).sum() > 10  # on both surfaces at once
    found = length(wrapping, points, frames.ravel())
    # A chain, which uses no geodesics and grooves, extrapolated from two numbers of nodes, is no shorter.
    shares = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(drawn, axis=0), axis=1))])
    coarse, fine = (
        chain_length(
            np.stack([np.interp(np.linspace(0.0, shares[-1], count), shares, part) for part in drawn.T], axis=1),
            outsides,
        )
        for count in (61, 121)
    )
    assert found == pytest.approx(fine + (fine - coarse) / 3.0, abs=4e-6)
    assert found > fine
    (_, weights) = wrapping(points.ravel(), np.ones(2), frames.ravel())
    np.testing.assert_allclose(weights, numerical_weights(wrapping, points, frames), atol=1e-8)
    # The forces of a string pulled at both ends balance, and so do their moments.
    forces = weights[:6].reshape(2, 3)
    pushes = weights[6:].reshape(2, 6)
    np.testing.assert_allclose(forces.sum(axis=0) + pushes[:, :3].sum(axis=0), 0.0, atol=1e-10)
    moments = np.cross(points, forces).sum(axis=0) + (pushes[:, 3:] + np.cross(frames[:, 9:], pushes[:, :3])).sum(
        axis=0
    )
    np.testing.assert_allclose(moments, 0.0, atol=1e-10)


def test_lengths_go_on_as_surfaces_come_to_overlap() -> None:
    # A roller sinks into the ball over which the string runs: first it bridges them, then it lies in the groove.
    wrapping, points, frames, outsides = in_groove("in over the ball, out over the cylinder")
    away = np.array([-0.013, -0.016, -0.026]) / np.linalg.norm([-0.013, -0.016, -0.026])
    shifts = np.linspace(-0.002, 0.006, 801)
    rows = np.repeat(frames.ravel()[None], len(shifts), axis=0)
    rows[:, 21:] += shifts[:, None] * away
    lengths, weights = wrapping(np.repeat(points.ravel()[None], len(shifts), axis=0), np.ones((len(shifts), 2)), rows)
    slopes = weights[:, 12:15] @ away
    unexplained = np.abs(np.diff(lengths[:, 0]) - 0.5 * (slopes[1:] + slopes[:-1]) * np.diff(shifts))
    assert unexplained.max() < 1e-7
    in_both = []
    for row in rows[[0, -1]]:
        drawn = wrapping.points_along(points.ravel(), np.ones(2), row)["path"]
        moved = drawn - (row[21:] - frames[1, 9:])
        in_both.append(((np.abs(outsides[0](drawn)[0]) < 1e-9) & (np.abs(outsides[1](moved)[0]) < 1e-9)).sum())
    assert in_both[0] > 10
    assert in_both[1] == 0


@pytest.mark.parametrize("surface", [E, *HELD], ids=lambda s: f"{s.kind} {s.half}")
def test_lengths_go_on_as_a_line_passes_through(surface: Surface) -> None:
    wrapping = over(surface)
    heights = np.linspace(-0.06, 0.06, 2401)
    rows = np.array([[-0.1, height, 0.004, 0.1, height + 0.002, -0.003] for height in heights])
    lengths, weights = wrapping(rows, np.ones((len(rows), 2)), np.tile(IDENTITY, (len(rows), 1)))
    slopes = weights[:, 1] + weights[:, 4]
    unexplained = np.abs(np.diff(lengths[:, 0]) - 0.5 * (slopes[1:] + slopes[:-1]) * np.diff(heights))
    # Where the other side becomes shorter, or a half begins to hold, there is a kink; nowhere a jump.
    assert unexplained.max() < 1e-4
    assert np.sort(unexplained)[-3] < 2e-6


def rolling(surface: Surface, *points: Any) -> my.Model:
    """Return a bone that slides and turns in a plane, with a muscle from the ground over a surface in the origin."""
    path = my.PointPath(points=(("ground", (-0.1, 0.0, 0.0)), *points), wraps=(my.Wrap(surface="roll"),))
    joint = my.planar(
        "ground",
        "bone",
        ("x", "y", "turn"),
        x={"range": (-0.05, 0.05)},
        y={"range": (-0.1, 0.1)},
        turn={"range": (-0.05, 0.05)},
    )
    muscle = my.Muscle(path=path, max_force=100.0, optimal_fibre_length=0.1, tendon_slack_length=0.1)
    return my.Model(
        name="roll",
        bodies={"bone": my.Body(mass=1.0, inertia=0.1)},
        joints={"joint": joint},
        surfaces={"roll": surface},
        muscles={"muscle": muscle},
        wrapping="shortest",
    )


END = ("bone", (0.1, 0.004, 0.01))


@pytest.mark.parametrize(
    "surface", [E, ellipsoid((0.03, 0.02, 0.05), "y"), ellipsoid((0.02, 0.03, 0.06), "-x")], ids=str
)
def test_over_ellipsoids_no_jump_is_left(surface: Surface) -> None:
    model = rolling(surface, END)
    lengths = my.equations_of(model).muscle_lengths(np.array([[0.0, y, 0.0] for y in np.linspace(-0.02, 0.02, 9)]))
    assert lengths.max() > 0.2002  # it is touched
    assert not my.path_jumps(model, "muscle", lines=6)


def test_jumps_name_their_cause() -> None:
    roll = my.WrapCylinder(frame=FRAME, radius=0.03, length=0.023)
    straight = my.WrapCylinder(frame=FRAME, radius=0.03, length=1.0, half="-y")
    held = rolling(straight, ("bone", (0.0, 0.06, 0.0)))
    ended = rolling(roll, ("bone", (0.1, 0.0, 0.03)))
    condition = my.ConditionalPoint(body="bone", at=(0.05, 0.05, 0.0), coordinate="y", range=(0.0, 1.0))
    switched = rolling(roll, condition, ("bone", (0.1, 0.1, 0.0)))
    causes = [{jump.cause for jump in my.path_jumps(model, "muscle", lines=4)} for model in (held, ended, switched)]
    assert causes[0] == {"side of 'roll'"}
    assert causes[1] == {"end of 'roll'"}
    assert "conditional point" in causes[2]
    theirs = my.path_jumps(ended.with_values({"wrapping": "opensim"}), "muscle", lines=4)
    assert {jump.cause for jump in theirs} == {"rules of OpenSim"}


def test_surfaces_of_one_body_that_overlap_count_as_one() -> None:
    # A shaft and its head: the string runs over the one that lengthens it most, not along the groove between them.
    head = my.WrapSphere(frame=FRAME, radius=0.03)
    shaft = my.WrapCylinder(frame=my.Placement(body="ground", at=(0.0, 0.0, 0.02)), radius=0.02, length=0.3)
    model = rolling(head, END)
    path = model.muscles["muscle"].path.model_copy(
        update={"wraps": (my.Wrap(surface="roll"), my.Wrap(surface="shaft"))}
    )
    muscle = model.muscles["muscle"].model_copy(update={"path": path})
    both = model.with_parts(surfaces={"shaft": shaft}).with_parts(muscles={"muscle": muscle})
    alone = [rolling(surface, END) for surface in (head, shaft)]
    q = np.array([[0.0, y, turn] for y in (-0.02, 0.0, 0.01, 0.025) for turn in (-0.04, 0.03)])
    found, *single = (my.equations_of(part).muscle_lengths(q) for part in (both, *alone))
    np.testing.assert_allclose(found, np.maximum(*single), atol=1e-15)
    assert not my.path_jumps(both, "muscle", lines=6)


def test_without_a_compiler_the_choice_is_refused() -> None:
    model = rolling(E, END)
    path = model.muscles["muscle"].path
    assert isinstance(path, PointPath)
    with pytest.raises(my.ModelError, match=r"wrapping: shortest.*need a C compiler"):
        Wrapping(model, {"muscle": path}, compiled=False)
