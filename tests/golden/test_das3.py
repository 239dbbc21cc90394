"""The Dynamic Arm Simulator at rest: its stored equilibrium and printed results (acceptance, DAS3 block).

The printed numbers are those of the release's own test: contact forces (N), eigenvalues (1/s), time constants (s),
moment arms (mm).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

import myodyne as my
from support.das3 import FOLDER, HERE, REASON, Floats, stored

pytestmark = pytest.mark.skipif(not HERE, reason=REASON)

CONTACT = {"trigonum_spinae": (83.2593, 123.6619, 217.9835), "inferior_angle": (42.9447, 28.3786, 211.3670)}
SLOWEST = (-1.0838, -1.1769, -1.3227, -1.3227, -1.9228)
FASTEST = (1.8509e-6, 1.9748e-6, 2.3240e-6, 3.2712e-6, 3.4194e-6)
# Largest and smallest moment arm of all muscles.
MOMENT_ARMS = {
    "SC_y": (132.1, -120.3),
    "SC_z": (116.9, -200.1),
    "SC_x": (164.9, -87.1),
    "AC_y": (58.8, -118.2),
    "AC_z": (148.8, -163.8),
    "AC_x": (68.7, -62.5),
    "GH_y": (31.8, -17.7),
    "GH_z": (28.3, -73.7),
    "GH_yy": (20.4, -14.9),
    "EL_x": (81.6, -19.7),
    "PS_y": (8.7, -17.3),
}


@pytest.fixture(scope="module")
def equations() -> my.Equations:
    # A few evaluations: to compile 138 muscles would take most of the time.
    return my.equations_of(my.load_model(FOLDER / "rel2_model.json"), compiled=False)


@pytest.fixture(scope="module")
def eigenvalues(equations: my.Equations) -> Floats:
    x = stored().equilibrium
    by_state, by_rate, _ = equations.jacobians(x, np.zeros(298), np.zeros(138))
    return np.linalg.eigvals(-np.linalg.solve(by_rate.toarray(), by_state.toarray()))


def at_rest(equations: my.Equations, x: Floats) -> dict[str, float]:
    """Return all outputs of a state without motion."""
    values = equations.output_values(x, np.zeros(298), np.zeros(138))
    return dict(zip(equations.outputs, np.asarray(values).ravel(), strict=True))


def test_002_6_the_stiffness_of_the_thorax(equations: my.Equations) -> None:
    contacts = [force for force in equations.model.forces.values() if isinstance(force, my.EllipsoidContact)]
    assert [contact.stiffness for contact in contacts] == [20_000.0, 20_000.0]


def test_002_6_stored_equilibrium_is_one(equations: my.Equations, printed: Any) -> None:
    bogert = printed("van den Bogert et al. 2011")
    sizes = {"coordinates": 11, "muscles": 138, "states": 298}
    for name, said in sizes.items():
        bogert(f"3.2, {name} of the arm", said, len(getattr(equations, name)), within=0)
    x = stored().equilibrium
    residual = equations.residual(x, np.zeros(298), np.zeros(138))
    # N m at the joints, maximal forces in the muscles.
    assert np.abs(residual).max() < 1e-10


@pytest.mark.long
def test_equilibrium_is_found_from_the_hanging_arm(equations: my.Equations) -> None:
    x, still, silent = equations.state(), np.zeros(298), np.zeros(138)
    for _ in range(60):
        residual = equations.residual(x, still, silent)
        step = -spsolve(equations.jacobians(x, still, silent)[0].tocsc(), residual)
        if np.abs(step).max() < 1e-11:
            break
        size = 1.0
        while np.linalg.norm(equations.residual(x + size * step, still, silent)) > np.linalg.norm(residual):
            size /= 2
            assert size > 1e-9, "the search for the equilibrium stands still"
        x = x + size * step
    assert x == pytest.approx(stored().equilibrium, abs=1e-8)


def test_lengths_and_forces_of_all_muscles(equations: my.Equations) -> None:
    x = stored().equilibrium
    lengths, forces = stored().fibre_lengths, stored().forces
    found = at_rest(equations, x)
    assert len(forces) == 138
    along_tendon = dict(zip(equations.muscles, x[22:160], strict=True))
    for muscle, force in forces.items():
        # Printed to three decimals.
        assert found[f"{muscle}.force"] == pytest.approx(force, abs=0.00051)
        assert along_tendon[muscle] == pytest.approx(lengths[muscle], abs=0.00051)


@pytest.mark.parametrize("place", CONTACT)
def test_contact_of_the_scapula(equations: my.Equations, place: str, printed: Any) -> None:
    force = at_rest(equations, stored().equilibrium)[f"{place}.force"]
    said = float(np.linalg.norm(CONTACT[place]))
    printed("DAS3, release 2")(f"contact force at the {place.replace('_', ' ')}", said, force, within=2e-4, unit="N")


def test_the_force_in_the_glenohumeral_joint(equations: my.Equations, printed: Any) -> None:
    x = stored().equilibrium
    outputs = at_rest(equations, x)
    columns = dict(zip(equations.coordinates, x[:11], strict=True))
    columns |= {f"{name}.force": outputs[f"{name}.force"] for name in equations.muscles}
    still = my.Trajectory(np.arange(8) / 10, {name: np.full(8, value) for name, value in columns.items()})
    file = FOLDER / "rel2_model.json"
    found = my.glenohumeral_force(equations.model, still, file, as_published=True).final
    das3 = printed("DAS3, release 2")
    for axis, said in zip("xyz", (-18.3646, 29.2334, 18.0681), strict=True):
        force = found[f"glenohumeral.force_{axis}"]
        das3(f"force in the glenohumeral joint, {axis}", said, force, within=1e-4, unit="N")
    das3("glenohumeral stability", -0.2234, found["glenohumeral.stability"], within=5e-5)
    # With a unit vector from the glenoid to the humeral head the same force points out of the glenoid.
    ours = my.glenohumeral_force(equations.model, still, file).final["glenohumeral.stability"]
    assert ours == pytest.approx(0.0782, abs=1e-4)


def test_a_force_into_the_middle_of_the_glenoid_is_the_most_stable() -> None:
    """The published turn misses the middle by nine degrees; ours maps it onto itself."""
    from myodyne.analyse.glenohumeral import stability

    rng = np.random.default_rng(2)
    directions = rng.normal(size=(20_000, 3)) - np.array([1.0, 0.0, 0.0])
    best = directions[np.argmin(stability(directions))]
    assert stability(best) == pytest.approx(-1.0, abs=2e-3)
    # The unit vector from the humeral head to the middle of the glenoid, in the axes of the scapula.
    middle = np.array([-0.98162192, 0.1177217, 0.15019989])
    assert best / np.linalg.norm(best) == pytest.approx(middle, abs=0.03)
    assert stability(middle) == pytest.approx(-1.0, abs=1e-9)
    assert stability(middle, as_published=True) > -0.98
    assert stability(np.zeros(3)) == -1.0


def test_landmarks_of_the_scapula_on_the_thorax(equations: my.Equations, printed: Any) -> None:
    x = stored().equilibrium[:11]
    turns, places = equations.body_poses(x)
    bodies = equations.bodies
    scapula, thorax = bodies.index("scapular"), bodies.index("thorax")
    for place, said in (("trigonum_spinae", -0.0231), ("inferior_angle", -0.0132)):
        contact = equations.model.forces[place]
        assert isinstance(contact, my.EllipsoidContact)
        point = places[scapula] + turns[scapula] @ np.array(contact.point.at) - places[thorax]
        inside = turns[thorax].T @ point - np.array(contact.centre)
        found = float(np.sum((inside / np.array(contact.radii)) ** 2) - 1.0)
        printed("DAS3, release 2")(f"equation of the thorax at the {place.replace('_', ' ')}", said, found, within=5e-5)


@pytest.mark.long
def test_002_9_slowest_and_fastest_motions(eigenvalues: Floats, printed: Any) -> None:
    # The published fibres are damped along the tendon, ours along themselves: a thousandth and less.
    das3 = printed("DAS3, release 2")
    for number, (said, ours) in enumerate(zip(SLOWEST, np.sort(eigenvalues.real)[::-1], strict=False), start=1):
        das3(f"slowest eigenvalue {number}", said, ours, within=1e-3 * abs(said), unit="1/s")
    for number, (said, ours) in enumerate(zip(FASTEST, np.sort(1 / np.abs(eigenvalues)), strict=False), start=1):
        das3(f"shortest time constant {number}", said, ours, within=1e-4 * said, unit="s")


@pytest.mark.long
def test_fastest_oscillation(eigenvalues: Floats, printed: Any) -> None:
    fastest = np.abs(eigenvalues.imag).max()
    printed("DAS3, release 2")("fastest oscillation", 7374.0, fastest, within=0.006 * 7374.0, unit="rad/s")


@pytest.mark.parametrize("coordinate", MOMENT_ARMS)
def test_moment_arms(equations: my.Equations, coordinate: str, printed: Any) -> None:
    """Printed for the middle of all ranges, 0.001 rad added to each angle."""
    coordinates = equations.model.coordinates
    pose = np.array([sum(part.range) / 2 + 0.001 for part in coordinates.values()])
    arms = np.asarray(equations.moment_arms(pose))[:, list(coordinates).index(coordinate)]
    das3 = printed("DAS3, release 2")
    for which, said, ours in zip(
        ("largest", "smallest"), MOMENT_ARMS[coordinate], (arms.max(), arms.min()), strict=True
    ):
        das3(f"{which} moment arm about {coordinate}", said, 1000 * ours, within=0.051, unit="mm")
