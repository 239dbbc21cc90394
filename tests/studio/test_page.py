"""The studio's page beside its curves: the library, and angles that are drawn."""

import pytest

from support.studios import Running, pull_body


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    running = Running(None, "pendulum", "--new")
    yield running
    running.end()


@pytest.fixture
def shown(studio, page):
    from playwright.sync_api import expect

    page.goto(studio.url)
    expect(page.get_by_test_id("status")).to_have_text("idle", timeout=60_000)
    return page


def opened(page, group, name):
    """Open something by the keyboard alone."""
    from playwright.sync_api import expect

    page.get_by_role("button", name="Open …").focus()
    page.keyboard.press("Enter")
    section = page.get_by_role("dialog", name="Open").get_by_role("group", name=group)
    expect(section).to_be_visible(timeout=20_000)
    page.keyboard.type(name)
    entry = section.get_by_role("button").filter(has=page.get_by_text(name, exact=True))
    expect(entry).to_be_visible()
    for _ in range(20):
        page.keyboard.press("ArrowDown")
        if entry.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name, timeout=20_000)
    expect(page.get_by_test_id("status")).to_have_text("idle", timeout=30_000)


def test_another_model_is_opened_by_the_keyboard(shown):
    from playwright.sync_api import expect

    opened(shown, "Models", "double_pendulum")
    expect(shown.get_by_test_id("script")).to_contain_text('my.load_model("double_pendulum")')
    shown.get_by_role("button", name="Open …").click()
    shown.get_by_label("Search the library").fill("no such thing")
    expect(shown.get_by_text("Nothing of that name.")).to_be_visible()
    shown.keyboard.press("Escape")
    expect(shown.get_by_role("dialog", name="Open")).to_be_hidden()
    opened(shown, "Models", "pendulum")
    expect(shown.get_by_test_id("script")).to_contain_text('my.load_model("pendulum")')
    assert "double_pendulum" not in shown.get_by_test_id("script").inner_text()


def test_the_forces_follow_an_angle_that_is_drawn(shown):
    from playwright.sync_api import expect

    shown.get_by_label("Duration (s)").fill("0.4")
    shown.get_by_label("Duration (s)").press("Enter")
    shown.get_by_text("Draw the angles").click()
    shown.get_by_role("button", name="Compute the forces").click()
    handle = shown.get_by_role("slider", name="angle handle 4", exact=True)
    expect(handle).to_be_visible(timeout=20_000)
    script = shown.get_by_test_id("script")
    before = script.text_content()
    handle.focus()
    shown.keyboard.press("PageUp")
    expect(script).not_to_have_text(before, timeout=20_000)
    expect(shown.get_by_test_id("status")).to_have_text("idle", timeout=20_000)
    asked = float(handle.get_attribute("aria-valuenow"))
    assert asked > 0.3
    scope = {}
    exec(script.text_content().replace("my.show(run)", ""), scope)
    run, course = scope["run"], scope["course"]
    assert abs(run.values("angle") - course.values("angle")).max() < 1e-3
    assert shown.get_by_role("group", name="angle_motor").is_visible()
    shown.get_by_role("button", name="Undo").click()
    expect(script).to_have_text(before, timeout=20_000)
    shown.get_by_text("Eigenvalues", exact=True).click()
    shown.get_by_role("button", name="At the time shown").click()
    expect(shown.get_by_role("table", name="Eigenvalues").get_by_role("row")).not_to_have_count(0, timeout=20_000)
    shown.get_by_text("Freeze or couple").click()
    shown.get_by_label("freeze angle").check()
    expect(script).to_contain_text("my.SpeedConstraint", timeout=20_000)
    shown.get_by_label("freeze angle").uncheck()
    expect(script).not_to_contain_text("my.SpeedConstraint", timeout=20_000)
    opened(shown, "Movements", "jump")
    shown.get_by_text("Draw the angles").click()
    shown.get_by_role("button", name="Compute the forces").click()
    expect(shown.get_by_role("alert")).to_contain_text("has muscles")


def test_a_body_is_dragged_in_the_middle_of_its_movement(shown):
    from playwright.sync_api import expect

    opened(shown, "Models", "pendulum")
    shown.get_by_label("Duration (s)").fill("0.4")
    shown.get_by_label("Duration (s)").press("Enter")
    expect(shown.get_by_test_id("summary-duration")).to_have_text("0.400000", timeout=20_000)
    shown.get_by_label("Time", exact=True).fill("0.2")
    shown.get_by_label("Drag the body").check()
    script, clock = shown.get_by_test_id("script"), shown.get_by_test_id("clock")
    expect(clock).to_have_text("0.200 s")
    pull_body(shown)
    expect(script).to_contain_text("my.reproduce", timeout=20_000)
    expect(shown.get_by_test_id("status")).to_have_text("idle", timeout=20_000)
    expect(shown.get_by_test_id("reach")).to_contain_text("from 0.000 to 0.400 s")
    expect(shown.get_by_text("These had no motor and were given one: angle.")).to_be_visible()
    expect(clock).to_have_text("0.200 s")
    scope = {}
    exec(script.text_content().replace("my.show(run)", ""), scope)
    run, course = scope["run"], scope["course"]
    middle = len(run) // 2
    assert run.time[middle] == pytest.approx(0.2)
    # It hung still, and was pulled to the right.
    assert course.values("angle")[middle] > 0.02
    assert abs(run.values("angle") - course.values("angle")).max() < 1e-3
    for _ in range(2):
        shown.get_by_role("button", name="Undo").click()
    expect(script).not_to_contain_text("my.reproduce", timeout=20_000)
    opened(shown, "Movements", "jump")
    shown.get_by_label("Time", exact=True).fill("0.2")
    shown.get_by_label("Drag the body").check()
    expect(clock).to_have_text("0.000 s")


def test_two_tabs_show_the_same_session(shown):
    from playwright.sync_api import expect

    other = shown.context.new_page()
    other.goto(shown.url)
    expect(other.get_by_test_id("status")).to_have_text("idle", timeout=30_000)
    other.get_by_label("Duration (s)").fill("0.37")
    other.get_by_label("Duration (s)").press("Enter")
    for page in (shown, other):
        expect(page.get_by_test_id("summary-duration")).to_have_text("0.370000", timeout=20_000)
        expect(page.get_by_label("Duration (s)")).to_have_value("0.37")
    shown.get_by_role("button", name="Undo").click()
    for page in (shown, other):
        expect(page.get_by_test_id("summary-duration")).not_to_have_text("0.370000", timeout=20_000)
    assert other.get_by_test_id("script").text_content() == shown.get_by_test_id("script").text_content()
