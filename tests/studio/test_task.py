import json
import time

import numpy as np
import pytest

import myodyne as my
from myodyne.studio.tasks.chain import task_script
from myodyne.studio.tasks.task import SetSpeed, SetStrength, SetWeight, Task, apply_task, opened_task, task_edit_from
from myodyne.studio.tasks.task_desk import TaskDesk
from myodyne.studio.tasks.watch import Order, Seen, Watch
from support.tasks import carried


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    file = tmp_path_factory.mktemp("task") / "carried.nc"
    my.save(my.solve(carried(), audit=False), file)
    return str(file)


@pytest.fixture(scope="module")
def watching():
    heard = []
    watch = Watch(heard.append)
    yield watch, heard
    watch.close()


def test_a_solve_can_be_watched_and_stopped():
    seen = []

    def watch(iteration):
        seen.append((iteration.number, iteration.objective, iteration.parts(), len(iteration.movement())))
        return len(seen) < 4

    stopped = my.solve(carried(), audit=False, watch=watch)
    assert stopped.report.status == "interrupted"
    assert len(seen) == 4
    assert stopped.report.message.startswith("stopped")
    assert seen[0][2].keys() == {"effort", "smooth"}
    assert seen[0][3] == 11


def test_iterates_come_and_the_answer_is_that_of_solve(watching):
    watch, heard = watching
    number = watch.solve(Order(carried(), 11))
    watch.wait()
    direct = my.solve(carried(), nodes=11, audit=False)
    assert heard[-1].order == number
    assert heard[-1].solution.report.optimum.objective == direct.report.optimum.objective
    iterates = [one for one in heard if isinstance(one, Seen)]
    assert iterates
    assert iterates[0].movement is not None


def resting(watch, heard, order):
    """Give an order that rests after its first iterate; return its number."""
    heard.clear()
    number = watch.solve(order)
    watch.pause()
    until = time.monotonic() + 60
    while not heard and time.monotonic() < until:
        time.sleep(0.01)
    return number


def test_the_latest_order_wins(watching):
    watch, heard = watching
    first = resting(watch, heard, Order(carried(), 11))
    last = watch.solve(Order(carried().with_speed(2.0), 11))
    watch.wait()
    assert heard[-1].order == last
    assert heard[-1].solution.report.status == "completed"
    assert not any(one.order == first and not isinstance(one, Seen) for one in heard)


def test_a_paused_solve_rests_and_goes_on(watching):
    watch, heard = watching
    resting(watch, heard, Order(carried(), 11))
    time.sleep(0.2)
    assert len(heard) == 1
    assert watch.busy
    watch.resume()
    watch.wait()
    assert heard[-1].solution.report.status == "completed"


def test_a_stopped_solve_keeps_what_it_has(watching):
    watch, heard = watching
    resting(watch, heard, Order(carried(), 11))
    watch.stop()
    watch.wait()
    assert heard[-1].solution.report.status == "interrupted"
    assert len(heard[-1].solution) == 11


def test_a_process_that_ends_is_reported_and_replaced():
    heard = []
    watch = Watch(heard.append)
    watch.solve(Order(carried(), 3001))
    watch._process.kill()
    watch.wait()
    assert "ended" in heard[-1].failure
    watch.solve(Order(carried(), 11))
    watch.wait()
    watch.close()
    assert heard[-1].solution.report.status == "completed"


def test_tasks_change_problems_and_say_what_cannot_be(saved):
    task, solution = opened_task(saved)
    assert task.own_speed == 1.0
    assert solution.report.status == "completed"
    changed = apply_task(apply_task(task, SetSpeed(1.5)), SetWeight("effort", 3.0))
    assert [part.speed for part in changed.changed.conditions if part.kind == "average_speed"] == [1.5]
    assert changed.changed.goals[0].weight == 3.0
    assert task.with_changes_of(json.loads(json.dumps(changed.to_dict()))) == changed
    for edit, message in (
        (SetSpeed(99.0), "between 0.4 and 1.8"),
        (SetWeight("efort", 1.0), "effort"),
        (SetStrength("soleus", 0.5), "soleus"),
        (SetSpeed(float("nan")), "between"),
    ):
        with pytest.raises(my.MyodyneError, match=message):
            apply_task(task, edit)
    for data in (None, {"kind": "SetHandle"}, {"kind": "SetSpeed"}, {"kind": "SetSpeed", "value": "fast"}):
        with pytest.raises(my.MyodyneError, match="edit"):
            task_edit_from(data)


def test_strengths_count_for_both_sides():
    task, _ = opened_task("gait2d_predictive")
    weak = apply_task(task, SetStrength("soleus", 0.5))
    forces = {side: weak.changed.model.value(f"{side}_soleus.max_force") for side in ("left", "right")}
    own = task.problem.model.muscles["left_soleus"].max_force
    assert forces == {"left": own / 2, "right": own / 2}


def last_scene(sent):
    return next(message.data for message in reversed(sent) if message.data["kind"] == "scene")


def objective(sent):
    return {row["name"]: row["value"] for row in last_scene(sent)["summary"]}["objective"]


def test_each_change_is_a_solve_that_the_script_repeats_and_undo_goes_back(saved, tmp_path):
    sent, file = [], tmp_path / "task.json"
    desk = TaskDesk(*opened_task(saved), send=sent.append, file=file)
    desk.begin()
    first = objective(sent)
    for value in (1.2, 1.5):
        desk.receive({"kind": "edit", "edit": {"kind": "SetSpeed", "value": value}})
        desk.watch.wait()
    assert last_scene(sent)["status"] == "idle"
    faster = objective(sent)
    assert faster > first
    assert {row["name"]: row["value"] for row in last_scene(sent)["summary"]}["speed"] == pytest.approx(1.5, rel=1e-4)
    task = [message.data for message in sent if message.data["kind"] == "task"][-1]
    scope = {}
    exec(task["script"].replace("my.show(found)", ""), scope)
    assert scope["found"].report.optimum.objective == faster
    desk.receive({"kind": "undo"})
    desk.receive({"kind": "undo"})
    assert objective(sent) == first
    desk.receive({"kind": "redo"})
    desk.receive({"kind": "redo"})
    assert objective(sent) == faster
    desk.receive({"kind": "edit", "edit": {"kind": "SetSpeed", "value": 1e9}})
    assert sent[-1].data["kind"] == "refused"
    desk.close()
    again = TaskDesk(*opened_task(saved), send=sent.append, file=file)
    again.begin()
    again.close()
    assert again.history.present.speed == 1.5
    assert objective(sent) == pytest.approx(faster, rel=1e-12)


def test_problems_of_several_phases_are_refused():
    phases = my.Phases([carried(), carried()])
    with pytest.raises(my.ModelError, match="several phases"):
        from myodyne.studio.tasks.task import _single

        _single(phases, "two")


def test_a_script_without_an_optimum_says_so():
    assert "No movement" in task_script(Task(("problem", "carried"), carried()), None)
    assert np.isclose(Task(("problem", "carried"), carried()).own_speed, 1.0)
