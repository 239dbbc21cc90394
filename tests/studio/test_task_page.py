"""A task in the browser: sliders, the watched solve, undo."""

import pytest

import myodyne as my
from support.studios import Running
from support.tasks import carried


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    my.save(my.solve(carried(), audit=False), folder / "carried.nc")
    running = Running(None, str(folder / "carried.nc"), "--new")
    yield running
    running.end()


def text(page, name):
    return page.get_by_test_id(f"summary-{name}").text_content()


def test_a_slider_finds_another_movement_and_undo_the_former(studio, page):
    from playwright.sync_api import expect

    page.goto(studio.url)
    expect(page.get_by_test_id("status")).to_have_text("idle", timeout=60_000)
    first = text(page, "objective")
    slider = page.get_by_role("slider", name="speed", exact=True)
    slider.focus()
    page.keyboard.press("PageUp")
    expect(page.get_by_test_id("summary-objective")).not_to_have_text(first, timeout=60_000)
    expect(page.get_by_test_id("status")).to_have_text("idle", timeout=60_000)
    faster, asked = text(page, "objective"), float(page.get_by_label("speed as a number").input_value())
    assert asked > 1.05
    assert float(text(page, "speed")) == pytest.approx(asked, rel=1e-4)
    expect(page.get_by_test_id("iterate")).to_contain_text("iteration")
    scope = {}
    page.get_by_test_id("script").evaluate("script => script.closest('details').open = true")
    exec(page.get_by_test_id("script").text_content().replace("my.show(found)", ""), scope)
    assert float(faster) == pytest.approx(scope["found"].report.optimum.objective, rel=1e-5)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("summary-objective")).to_have_text(first, timeout=30_000)
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_test_id("summary-objective")).to_have_text(faster, timeout=30_000)
    page.get_by_label("weight effort as a number").fill("1000")
    page.get_by_label("weight effort as a number").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("between 0.1 and 10")


@pytest.mark.long
def test_a_walk_is_watched_paused_resumed_and_its_speed_changed(tmp_path, page):
    from playwright.sync_api import expect

    walk = my.load_problem("gait2d_predictive").with_speed(1.2)
    my.save(my.solve(walk, guess=walk.guess, nodes=walk.nodes, audit=False), tmp_path / "walk.nc")
    running = Running(None, str(tmp_path / "walk.nc"), "--new")
    try:
        page.goto(running.url)
        expect(page.get_by_test_id("status")).to_have_text("idle", timeout=60_000)
        page.get_by_label("speed as a number").fill("1.4")
        page.get_by_label("speed as a number").press("Enter")
        expect(page.get_by_test_id("iterate")).to_contain_text("iteration", timeout=60_000)
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_test_id("status")).to_have_text("paused", timeout=10_000)
        # The iteration that was under way comes to its end.
        page.wait_for_timeout(4000)
        rested = page.get_by_test_id("iterate").text_content()
        page.wait_for_timeout(1000)
        assert page.get_by_test_id("iterate").text_content() == rested
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_test_id("status")).to_have_text("idle", timeout=120_000)
        assert float(text(page, "speed")) == pytest.approx(1.4, rel=1e-3)
    finally:
        running.end()
