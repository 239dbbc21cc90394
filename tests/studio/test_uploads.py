import numpy as np
import pytest

import myodyne as my
from myodyne.studio.desk import Desk
from myodyne.studio.session import opened
from myodyne.studio.uploads import uploaded_curve


@pytest.fixture(scope="module")
def jump():
    return opened("jump")


def test_a_curve_comes_from_the_column_of_its_name(jump, tmp_path):
    times = np.linspace(0.0, 0.3, 7)
    columns = {"vasti": np.full(7, 0.2), "soleus": np.linspace(0.0, 1.2, 7)}
    my.save(my.Trajectory(times, columns), tmp_path / "mine.sto")
    curve = uploaded_curve(jump, "soleus", "mine.sto", (tmp_path / "mine.sto").read_text())
    np.testing.assert_allclose(curve(times), np.minimum(columns["soleus"], 1.0), atol=1e-9)


@pytest.mark.parametrize(
    ("control", "name", "text", "message"),
    [
        ("soleus", "mine.txt", "time,soleus\n0,1\n1,1\n", "curves come from"),
        ("soleus", "../../etc/passwd", "x", "curves come from"),
        ("soleus", "mine.csv", "time,a,b\n0,1,1\n1,1,1\n", "no column 'soleus'"),
        ("soleus", "mine.csv", "time,soleus\n0,nan\n1,1\n", "not a number"),
        ("soleus", "mine.csv", "time,soleus\n0,inf\n1,1\n", "not a number"),
        ("soleus", "mine.csv", "", "mine.csv"),
        ("solues", "mine.csv", "time,soleus\n0,1\n1,1\n", "soleus"),
        ("soleus", "mine.csv", None, "needs a control"),
        (7, "mine.csv", "", "needs a control"),
    ],
)
def test_what_is_no_curve_says_why_and_names_no_folder(jump, control, name, text, message):
    with pytest.raises(my.MyodyneError, match=message) as caught:
        uploaded_curve(jump, control, name, text)
    assert "myodyne-upload" not in str(caught.value)


def test_the_desk_takes_the_curve_as_an_edit_that_can_be_undone():
    sent = []
    desk = Desk(opened("pendulum"), sent.append)
    desk.receive({"kind": "curve", "control": "motor", "name": "mine.csv", "text": "time,motor\n0,1\n1,2\n"})
    assert "control" in sent[-1].data["reason"]
    desk.close()
