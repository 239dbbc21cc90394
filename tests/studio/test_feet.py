import numpy as np
import pytest

import myodyne as my
from myodyne.studio.desk import Desk
from myodyne.studio.feet import foot_message
from myodyne.studio.session import Session, opened

TRUE = my.RollingFoot(0.3, (0.02, 0.22), 0.1, 0.0, (0.0, 0.0), 0.0, 0.0, 0)
ANGLE = np.linspace(0.2, -0.9, 40)
ASKED = {"kind": "foot", "body": "foot", "first": 0.0, "last": 0.6, "level": 0.0}


@pytest.fixture
def rolling(interpreted):
    free = my.planar("ground", "foot", ("x", "y", "turn"))
    model = my.Model(name="foot", bodies={"foot": my.Body(mass=1.0, inertia=0.01)}, joints={"free": free})
    x, y = TRUE.ankle(ANGLE).T
    return model, my.Trajectory(np.linspace(0.0, 0.6, 40), {"x": x, "y": y, "turn": ANGLE})


def test_the_arc_is_that_on_which_the_foot_rolled(rolling):
    found = foot_message(*rolling, ASKED)
    assert [found[name] for name in ("radius", "x", "y", "anchor")] == pytest.approx([0.3, 0.02, 0.22, 0.1], abs=1e-9)
    assert found["rms"] < 1e-9
    np.testing.assert_allclose(found["arc"], found["ankle"], atol=1e-9)
    constraint = eval(found["code"], {"my": my})
    assert constraint.radius == found["radius"]
    assert constraint.at == (found["x"], found["y"], 0.0)


def test_an_arc_by_hand_is_judged_by_its_distance(rolling):
    chosen = {"radius": 0.3, "x": 0.02, "y": 0.22, "anchor": 0.11}
    found = foot_message(*rolling, {**ASKED, "chosen": chosen})
    # The whole path lies one centimetre ahead.
    assert found["rms"] == pytest.approx(0.01, rel=1e-9)
    assert found["error"] == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"body": "fot"}, "foot"),
        ({"last": 0.03}, "at least 5"),
        ({"first": "0"}, "number"),
        ({"chosen": {"radius": 0.3}}, "are expected"),
        ({"chosen": {"radius": -0.3, "x": 0, "y": 0, "anchor": 0}}, "positive"),
    ],
)
def test_what_is_no_foot_says_why(rolling, change, message):
    with pytest.raises(my.MyodyneError, match=message):
        foot_message(*rolling, {**ASKED, **change})


def test_the_desk_fits_the_movement_where_nothing_is_recorded(rolling):
    sent = []
    model, _ = rolling
    session = opened("pendulum")
    start = {"y": 0.2, "turn.speed": -3.0, "x.speed": 1.0}
    recipe = my.simulate(model, 0.1, start=start, scheme=my.RK4(step=0.01)).recipe
    desk = Desk(Session(session.origin, model, recipe, {}), sent.append)
    desk.receive(ASKED)
    assert "no movement yet" in sent[-1].data["reason"]
    desk.begin()
    desk.wait()
    desk.receive({**ASKED, "last": 0.1})
    desk.close()
    # It falls, so that no arc carries its ankle.
    assert "roll" in sent[-1].data["reason"]
