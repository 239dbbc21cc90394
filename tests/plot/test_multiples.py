"""Many lines, percent of the cycle, and axes of one's own."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from myodyne.data import DataError, Provenance, Report, Result, Trajectory
from myodyne.plot import plot


def many(count, shift=0.0):
    time = np.linspace(2.0, 3.0, 11)
    return Trajectory(time, {f"m{k}.activation": np.sin(time + k + shift) for k in range(count)})


def inside(box, whole):
    return box.x0 >= whole.x0 - 1 and box.x1 <= whole.x1 + 1 and box.y0 >= whole.y0 - 1 and box.y1 <= whole.y1 + 1


def test_eighty_lines_become_small_panels_with_a_common_scale():
    run = many(80)
    figure = plot(run, "*")
    assert len(figure.axes) == 80
    assert [axes.get_title() for axes in figure.axes] == list(run.names)
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    for axes, name in zip(figure.axes, run.names, strict=True):
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), run.values(name))
    # No panel covers another one's title, and nothing lies outside the figure.
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    assert all(inside(box, figure.bbox) for box in boxes)
    assert not any(a.overlaps(b) for place, a in enumerate(boxes) for b in boxes[:place])


def test_runs_are_named_once_beside_small_panels():
    figure = plot({"able": many(30), "weak": many(30, 0.4)}, "*")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["able", "weak"]
    assert all(len(axes.lines) == 2 for axes in figure.axes)


def test_a_legend_of_eighty_lines_fits_beside_its_panel():
    figure = plot(many(80), "*", panels="unit")
    legend = figure.axes[0].get_legend()
    assert len(legend.get_texts()) <= 24
    assert legend.get_texts()[-1].get_text() == "80 lines"
    figure.canvas.draw()
    assert inside(legend.get_window_extent(), figure.bbox)
    assert len(figure.axes[0].lines) == 80


def test_percent_runs_from_the_first_row_to_the_last_of_each_run():
    slow = Trajectory([0.0, 1.0, 4.0], {"knee": [0.0, 1.0, 0.0]}, {"knee": "rad"})
    run = Result(slow, Report("completed", events=((1.0, "toe off"),)), Provenance("leg", "ab"))
    quick = Trajectory([5.0, 5.5], {"knee": [0.0, 1.0]}, {"knee": "rad"})
    axes = plot([run, quick], "knee", x="percent", degrees=True).axes[0]
    np.testing.assert_allclose(axes.lines[0].get_xdata(), [0.0, 25.0, 100.0])
    np.testing.assert_allclose(axes.lines[1].get_xdata(), [0.0, 100.0])
    assert axes.get_xlabel() == "cycle (%)"
    assert axes.lines[2].get_xdata()[0] == 25.0
    single = plot(Trajectory([3.0], {"knee": [1.0]}), x="percent").axes[0]
    assert list(single.lines[0].get_xdata()) == [0.0]


def test_given_axes_are_drawn_into_and_returned():
    own = Figure()
    left, right = own.subplots(1, 2)
    run = Trajectory([0.0, 1.0], {"knee": [0.0, 1.0], "force": [1.0, 2.0]}, {"knee": "rad", "force": "N"})
    assert plot(run, "knee", ax=left, degrees=True, title="Knee") is left
    assert left.get_ylabel() == "knee (°)"
    assert left.get_title("left") == "Knee"
    assert not right.lines
    with pytest.raises(DataError, match=r"columns of one unit, but these have 'rad' \(knee\), 'N' \(force\)"):
        plot(run, ax=right)


def test_wrong_choices_are_rejected():
    with pytest.raises(DataError, match="x is 'time' or 'percent', not 'cycle'"):
        plot(many(2), "*", x="cycle")


def test_the_figure_is_a_picture_to_a_notebook_and_unknown_to_pyplot():
    from matplotlib import pyplot

    figure = plot(many(2), "*")
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert pyplot.get_fignums() == []
