"""The figure of a gait report: a panel for each curve, people's bands where there are some."""

from __future__ import annotations

import myodyne as my
from support.walks import people


def test_every_curve_has_a_panel() -> None:
    model, motion, forces = people()
    report = my.gait_report(motion, model, forces=forces)
    figure = my.plot(report, title="Winter")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    # Angles, moments and powers of three joints, and two forces in the plane; no muscles in a recording.
    assert len(titles) == 11
    assert titles[2] == "ankle angle, dorsiflexion + (°)"
    knee = figure.axes[1]
    assert len(knee.collections) == 1, "the band of people"
    assert not figure.axes[4].collections, "moments are ours alone"
    assert len(knee.lines[1].get_xdata()) == 101
