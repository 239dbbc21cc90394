import re

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from myodyne.view import page as pages
from myodyne.view.actors import actor_of, scene_of
from myodyne.view.scene import Scene

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=alert(2)>'\"&@SCENE@"


@pytest.fixture(scope="module")
def swing():
    return my.simulate(my.load_model("double_pendulum"), 1.0, start={"angle1": 1.2})


@pytest.fixture
def shown(swing, page, tmp_path):
    my.animate(swing, tmp_path / "swing.html")
    page.goto((tmp_path / "swing.html").as_uri())
    return page


def colours(page):
    """Return how many different colours the stage shows: an empty one has a single colour."""
    from io import BytesIO

    from PIL import Image

    picture = Image.open(BytesIO(page.locator("canvas[role=img]").screenshot())).convert("RGB")
    return len(picture.getcolors(1_000_000))


@pytest.mark.long
def test_eighty_muscles_in_space_play(page, tmp_path):
    """Long: to assemble the equations of so large a model takes most of it."""
    from playwright.sync_api import expect

    model = my.load_model("gait3d")
    times = np.linspace(0.0, 1.0, 31)
    swings = {name: 0.2 * np.sin(6.0 * times) for name in ("hip_flexion_r", "arm_flex_l")}
    my.animate(model, tmp_path / "swing.html", my.Trajectory(times, swings))
    page.goto((tmp_path / "swing.html").as_uri())
    assert len(model.muscles) == 80
    assert colours(page) > 50
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_test_id("clock")).not_to_have_text("0.000 s")


def test_the_page_shows_the_body_and_plays(shown):
    from playwright.sync_api import expect

    assert colours(shown) > 50
    clock = shown.get_by_test_id("clock")
    expect(clock).to_have_text("0.000 s")
    shown.get_by_role("button", name="Play").click()
    expect(clock).not_to_have_text("0.000 s")
    shown.get_by_role("button", name="Pause").click()
    shown.get_by_label("Time", exact=True).fill("0.5")
    expect(clock).to_have_text("0.500 s")
    shown.get_by_role("button", name="Next frame").click()
    expect(clock).not_to_have_text("0.500 s")


def test_columns_are_found_by_name_and_plotted(shown):
    from playwright.sync_api import expect

    panels = shown.locator(".panel")
    expect(panels).to_have_count(1)
    shown.get_by_label("Search columns to plot").fill("kinetic")
    shown.get_by_label("energy.kinetic").check()
    expect(panels).to_have_count(2)
    shown.get_by_label("Search columns to plot").fill("no such column")
    expect(shown.get_by_text("No column of that name.")).to_be_visible()
    assert panels.count() == 2


def test_views_themes_and_keys(shown):
    from playwright.sync_api import expect

    before = shown.locator("canvas[role=img]").screenshot()
    shown.get_by_label("View", exact=True).and_(shown.locator("select")).select_option("above")
    assert shown.locator("canvas[role=img]").screenshot() != before
    shown.get_by_role("button", name="Light or dark").click()
    expect(shown.locator(".myodyne-viewer.dark")).to_be_visible()
    shown.locator(".myodyne-viewer").focus()
    shown.keyboard.press("ArrowRight")
    expect(shown.get_by_test_id("clock")).not_to_have_text("0.000 s")


def test_two_runs_are_overlaid_or_side_by_side(swing, page, tmp_path):
    other = my.simulate(my.load_model("double_pendulum"), 1.0, start={"angle1": 0.6})
    my.animate([swing, other], tmp_path / "two.html", labels=["high", "low"])
    page.goto((tmp_path / "two.html").as_uri())
    assert page.locator("header .entry").all_text_contents() == ["high", "low"]
    page.get_by_label("Side by side").check()
    assert colours(page) > 50


WALKS = {"able": "gait2d_tracking", "prosthesis": "gait2d_prosthesis"}


def blue(page):
    """Return how much of the stage has the colour of a second body, without muscles."""
    from io import BytesIO

    from PIL import Image

    page.get_by_label("Muscles").uncheck()
    page.get_by_label("Time", exact=True).fill("0.3")
    picture = Image.open(BytesIO(page.locator("canvas[role=img]").screenshot())).convert("RGB")
    red, _, blue = np.moveaxis(np.asarray(picture, dtype=float), -1, 0)
    return int(np.sum(blue - red > 60.0))


def check_walks(page, folder, actors):
    """Show an able walk alone, then a prosthetic one on top of it."""
    from playwright.sync_api import expect

    pages.write_page(Scene(actors[:1], "walk", True, True), folder / "able.html")
    page.goto((folder / "able.html").as_uri())
    alone = blue(page)
    pages.write_page(Scene(actors, "walks", True, True), folder / "walks.html")
    page.goto((folder / "walks.html").as_uri())
    expect(page.locator("header .entry")).to_contain_text(list(WALKS))
    assert blue(page) > alone + 500
    page.get_by_label("Search columns to plot").fill("right_ankle")
    page.get_by_label("right_ankle", exact=True).check()
    for label in WALKS:
        expect(page.get_by_text(f"right_ankle, {label}", exact=True)).to_be_visible()
    on_top = page.locator("canvas[role=img]").screenshot()
    page.get_by_label("Side by side").check()
    assert page.locator("canvas[role=img]").screenshot() != on_top
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_test_id("clock")).not_to_have_text("0.300 s")


def test_an_able_and_a_prosthetic_walk_are_overlaid(page, tmp_path, interpreted):
    """As the searches of both begin: Winter's mean walk, and the same on a foot that does not turn."""
    problems = {label: my.load_problem(name) for label, name in WALKS.items()}
    actors = tuple(actor_of(problem.model, problem.guess, label) for label, problem in problems.items())
    assert [np.ptp(actor.series.values("right_ankle")) > 0.1 for actor in actors] == [True, False]
    # The muscles of the ankle are gone.
    assert len(actors[0].lines) - len(actors[1].lines) == 3
    check_walks(page, tmp_path, actors)


@pytest.mark.long
def test_solved_walks_are_overlaid(page, tmp_path):
    solved = {label: my.solve(my.load_problem(name), audit=False) for label, name in WALKS.items()}
    actors = scene_of(list(solved.values()), labels=list(solved)).actors
    turns = [np.degrees(np.ptp(run.values("right_ankle"))) for run in solved.values()]
    assert turns[0] > 25.0
    assert turns[1] < 4.0
    check_walks(page, tmp_path, actors)


def test_names_reach_the_page_as_text(page, tmp_path):
    model = my.load_model("pendulum").model_copy(update={"name": HOSTILE})
    motion = my.Trajectory([0.0, 1.0], {"angle": [0.0, 1.0], HOSTILE: [0.0, 1.0]})
    my.animate(model, tmp_path / "hostile.html", motion)
    page.goto((tmp_path / "hostile.html").as_uri())
    assert page.evaluate("() => window.broken") is None
    assert page.title() == HOSTILE
    assert page.locator("header .entry").text_content() == HOSTILE


def test_the_page_needs_nothing_else(swing):
    text = pages.page_of(scene_of(swing))
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=", text)
    assert not re.search(r"@(TITLE|STYLE|SCENE|BLOCK|CODE)@", text)


def test_pages_that_no_browser_could_open_are_refused(swing, monkeypatch):
    monkeypatch.setattr(pages, "_MOST", 100)
    with pytest.raises(DataError, match="too large to open"):
        pages.page_of(scene_of(swing))


def test_a_viewer_that_was_not_built_says_how_to_get_it(swing, monkeypatch, tmp_path):
    monkeypatch.setattr("myodyne.view.assets.resources.files", lambda package: tmp_path)
    with pytest.raises(my.FileError, match="the viewer is not installed"):
        pages.page_of(scene_of(swing))


def test_show_writes_a_page_outside_notebooks(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = my.show(my.load_model("pendulum"), {"angle": 0.3})
    assert path.suffix == ".html"
    assert opened == [path.as_uri()]
    assert "pendulum" in path.read_text(encoding="utf-8")


def test_films_are_written_where_there_is_an_encoder(swing, tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="the extra 'video' is not installed")
    my.animate(swing, tmp_path / "swing.mp4")
    data = (tmp_path / "swing.mp4").read_bytes()
    assert data[4:8] == b"ftyp"
    assert np.isfinite(len(data))
