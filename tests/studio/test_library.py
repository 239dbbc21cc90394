"""What a page can open, and that it opens nothing else."""

import json

import pytest

import myodyne as my
from myodyne.data import DataError
from myodyne.studio.desk import Desk
from myodyne.studio.library import Library, forget
from myodyne.studio.session import Session, opened
from myodyne.studio.tasks.task_desk import TaskDesk


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path / "studio")


def items(library, group):
    return {item["name"]: item for found in library.groups() if found["name"] == group for item in found["items"]}


def test_everything_built_in_is_listed_with_a_line_about_it(library):
    assert set(items(library, "Movements")) == set(my.builtin_movements())
    assert set(items(library, "Models")) == set(my.builtin_models())
    assert set(items(library, "Problems")) == set(my.builtin_problems())
    assert items(library, "Saved sessions") == {}
    assert all(item["about"] for group in library.groups() for item in group["items"])


def test_a_saved_session_goes_on_and_a_built_in_one_begins_anew(library):
    file = library.file_of("pendulum")
    desk = Desk(opened("pendulum"), lambda message: None, file)
    desk.receive({"kind": "edit", "edit": {"kind": "SetStart", "name": "angle", "value": 0.7}})
    desk.close()
    (name,) = items(library, "Saved sessions")
    assert items(library, "Saved sessions")[name]["label"] == "pendulum"
    again, same = library.open("Saved sessions", name)
    assert same == file
    assert again.start["angle"] == 0.7
    anew, other = library.open("Models", "pendulum")
    assert isinstance(anew, Session)
    assert "angle" not in anew.start
    assert other != file
    assert file.is_file()
    forget(file)
    assert items(library, "Saved sessions") == {}


def test_a_saved_task_goes_on(library):
    task, file = library.open("Problems", "sliding_mass")
    file.parent.mkdir()
    changed = task[0].to_dict()
    name = next(goal.name for goal in task[0].problem.goals)
    weight = 1.5 * task[0].problem.goals[0].weight
    file.write_text(json.dumps({**changed, "weights": {name: weight}}))
    found, where = library.open("Saved sessions", file.stem)
    desk = TaskDesk(*found, lambda message: None, where)
    desk.close()
    assert desk.history.present.weights[name] == weight


@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("Movements", "../jump"),
        ("Models", "/etc/passwd"),
        ("Saved sessions", "../secret"),
        ("Files", "jump"),
        (None, None),
        (["Models"], {"a": 1}),
        ("Models", 3),
    ],
)
def test_nothing_else_is_opened(library, tmp_path, group, name):
    (tmp_path / "secret.json").write_text("{}")
    with pytest.raises(DataError):
        library.open(group, name)


@pytest.mark.parametrize("content", ["[1]", "{", "{}"])
def test_a_broken_file_is_listed_as_such_and_says_why(library, tmp_path, content):
    (tmp_path / "studio").mkdir()
    (tmp_path / "studio" / "broken.json").write_text(content)
    assert items(library, "Saved sessions")["broken"]["about"] == "cannot be read"
    with pytest.raises(my.MyodyneError, match="cannot be read"):
        library.open("Saved sessions", "broken")
