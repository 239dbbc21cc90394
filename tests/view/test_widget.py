import pytest

import myodyne as my
from myodyne.view.actors import scene_of


def test_a_widget_carries_the_scene_and_the_viewer():
    pytest.importorskip("anywidget", reason="the extra 'notebook' is not installed")
    from myodyne.view.widget import viewer_of

    widget = viewer_of(scene_of(my.load_model("pendulum")))
    assert widget.header["actors"][0]["bodies"] == ["rod"]
    assert len(widget.block) > 0
    assert "export" in str(widget._esm)
