import subprocess
import sys

import numpy as np
import pytest

from myodyne.data import DataError, Provenance, Report, Result, Trajectory
from myodyne.errors import FileError
from myodyne.plot import plot


def a_run(scale=1.0, events=((0.4, "toe off"),)):
    time = np.linspace(0.0, 1.0, 21)
    columns = {
        "knee": scale * np.sin(time),
        "hip": np.cos(time),
        "soleus.force": 900 * time,
        "knee.speed": scale * np.cos(time),
    }
    units = {"knee": "rad", "hip": "rad", "soleus.force": "N", "knee.speed": "rad/s"}
    return Result(Trajectory(time, columns, units), Report("completed", events=events), Provenance("leg", "ab"))


def data_lines(axes):
    return [line for line in axes.lines if len(line.get_xdata()) > 2]


def event_lines(axes):
    return [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 2]


def test_one_panel_for_each_unit_with_the_data_of_the_run():
    run = a_run()
    figure = plot(run, ["knee", "hip", "soleus.force"])
    angles, forces = figure.axes
    for line, name in zip(data_lines(angles), ["knee", "hip"], strict=True):
        np.testing.assert_array_equal(line.get_xdata(), run.time)
        np.testing.assert_array_equal(line.get_ydata(), run.values(name))
    np.testing.assert_array_equal(data_lines(forces)[0].get_ydata(), run.values("soleus.force"))
    assert angles.get_ylabel() == "angle (rad)"
    assert forces.get_ylabel() == "soleus.force (N)"
    assert forces.get_xlabel() == "time (s)"
    assert [text.get_text() for text in angles.get_legend().get_texts()] == ["knee", "hip"]
    assert forces.get_legend() is None
    assert angles.get_shared_x_axes().joined(angles, forces)


def test_degrees_change_angles_and_their_rates_only():
    run = a_run()
    figure = plot(run, ["knee", "knee.speed", "soleus.force"], degrees=True)
    angle, rate, force = figure.axes
    np.testing.assert_allclose(data_lines(angle)[0].get_ydata(), np.degrees(run.values("knee")))
    np.testing.assert_allclose(data_lines(rate)[0].get_ydata(), np.degrees(run.values("knee.speed")))
    np.testing.assert_array_equal(data_lines(force)[0].get_ydata(), run.values("soleus.force"))
    assert [axes.get_ylabel() for axes in figure.axes] == ["knee (°)", "knee.speed (°/s)", "soleus.force (N)"]


def test_without_names_the_coordinates_are_shown_and_patterns_choose():
    assert len(data_lines(plot(a_run()).axes[0])) == 2
    figure = plot(a_run(), "knee*", panels="name")
    assert [axes.get_ylabel() for axes in figure.axes] == ["knee (rad)", "knee.speed (rad/s)"]


def test_events_are_marked_in_every_panel_and_named_once():
    figure = plot(a_run(events=[(0.4, "toe off"), (0.41, "apex")]), ["knee", "soleus.force"])
    for axes in figure.axes:
        assert event_lines(axes) == [0.4, 0.41]
    named = {text.get_text(): text for text in figure.axes[0].texts}
    assert set(named) == {"toe off", "apex"}
    # Names of events that lie close together stand in different rows.
    assert named["toe off"].xyann[1] != named["apex"].xyann[1]
    assert not figure.axes[1].texts


def test_several_runs_are_laid_over_each_other():
    runs = {"weak": a_run(1.0), "strong": a_run(2.0, events=[(0.5, "toe off")])}
    figure = plot(runs, ["knee", "soleus.force"])
    assert len(figure.axes) == 2
    lines = data_lines(figure.axes[0])
    np.testing.assert_array_equal(lines[0].get_ydata(), runs["weak"].values("knee"))
    np.testing.assert_array_equal(lines[1].get_ydata(), runs["strong"].values("knee"))
    assert lines[0].get_color() != lines[1].get_color()
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["weak", "strong"]
    assert event_lines(figure.axes[0]) == [0.4, 0.5]
    by_unit = plot(list(runs.values()), ["knee", "hip"], panels="unit")
    names = [text.get_text() for text in by_unit.axes[0].get_legend().get_texts()]
    assert names == ["knee, run 1", "hip, run 1", "knee, run 2", "hip, run 2"]
    assert len({line.get_linestyle() for line in data_lines(by_unit.axes[0])}) == 2


def test_names_are_shown_as_they_stand():
    run = Trajectory([0.0, 1.0, 2.0], {"_under": [1, 2, 3], "$\\broken{": [3, 2, 1], "100%_$x$": [0, 0, 0]})
    figure = plot(run, title="$\\frac{")
    figure.canvas.draw()
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == list(run.names)
    assert figure.get_suptitle() == "$\\frac{"


def test_many_columns_have_different_colours_and_one_row_is_a_point():
    many = Trajectory([0.0, 1.0, 2.0], {f"c{number}": [0, number, 1] for number in range(20)})
    assert len({line.get_color() for line in data_lines(plot(many).axes[0])}) == 20
    single = plot(Trajectory([0.5], {"a": [2.0]})).axes[0].lines[0]
    assert (single.get_marker(), list(single.get_xdata()), list(single.get_ydata())) == ("o", [0.5], [2.0])


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_path_writes_the_figure(tmp_path, ending):
    path = tmp_path / f"figure.{ending}"
    plot(a_run(), "knee", path=path)
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(begins)
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(DataError, match="unknown column 'kneee': did you mean 'knee'"):
        plot(a_run(), ["kneee"])
    with pytest.raises(DataError, match="plot takes a run"):
        plot([])
    with pytest.raises(DataError, match="plot takes a run"):
        plot({"a": [1, 2]})
    with pytest.raises(DataError, match="panels is 'unit' or 'name'"):
        plot(a_run(), panels="colour")
    with pytest.raises(DataError, match="has no columns"):
        plot(Trajectory([0.0], {}))
    with pytest.raises(DataError, match="'a' has the unit 'm' in run 2 and 'mm' elsewhere"):
        plot([Trajectory([0.0], {"a": [1.0]}, {"a": unit}) for unit in ("mm", "m")])
    with pytest.raises(FileError, match=r"figures are written as .*\.png"):
        plot(a_run(), path="figure.docx")


def test_global_settings_and_backend_are_left_alone():
    script = """
import sys
from myodyne.plot import plot
assert "matplotlib" not in sys.modules, "importing must not load matplotlib"
import matplotlib
before = matplotlib.rcParams.copy()
from myodyne.data import Trajectory
plot(Trajectory([0.0, 1.0], {"a": [1.0, 2.0]}), title="t").canvas.draw()
after = matplotlib.rcParams.copy()
assert all(dict.__getitem__(after, key) == dict.__getitem__(before, key) for key in before)
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
