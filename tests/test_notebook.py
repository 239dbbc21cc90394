"""A notebook in a real Jupyter kernel: progress below the cell that runs, and models and results that print."""

from __future__ import annotations

import base64
import os
from typing import Any

import nbclient
import nbformat
import pytest

SLOW = """\
import time
import myodyne as my

rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})
slow = my.Sampled(lambda at: time.sleep(0.05) or {"motor": 0.0}, period=0.02)
run = my.simulate(rod, 0.8, feedback=slow)
"""
PRINTED = ["rod", "rod.forces", "run", "run.report", "run['angle']", "my.equations_of(rod, compiled=False)"]
FIGURE = "my.plot(run, 'angle', degrees=True)"
WIDGET = "my.show(run)"
# Where matplotlib's own display is active as well, the figure must still come once.
INLINE = """\
import matplotlib.pyplot as plt
my.plot(run, 'angle')
"""
INTO = """\
_, axes = plt.subplots()
my.plot(run, 'angle', x='percent', ax=axes);
"""
CELLS = [SLOW, *PRINTED, FIGURE, WIDGET, INLINE, INTO]


class Listening(nbclient.NotebookClient):
    """A client that keeps what the kernel displays, also what it takes back."""

    def __init__(self, notebook: Any) -> None:
        super().__init__(notebook, timeout=60, kernel_name="python3")
        self.displayed: list[tuple[int, str, dict[str, str]]] = []

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        if msg["msg_type"] in ("display_data", "update_display_data"):
            self.displayed.append((cell_index, msg["msg_type"], msg["content"]["data"]))
        return super().process_message(msg, cell, cell_index)


@pytest.fixture(scope="module")
def client() -> Listening:
    variables = {"MYODYNE_PROGRESS": "", "JUPYTER_PLATFORM_DIRS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
        client = Listening(notebook)
        client.execute()
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
    return client


def test_progress_is_shown_below_the_cell_and_taken_away(client: Listening) -> None:
    bars = [(kind, data) for cell, kind, data in client.displayed if cell == 0]
    texts = [data["text/plain"] for _, data in bars]
    # Compiling comes first where the cache is empty.
    simulating = [text for text in texts if text.startswith("Simulating 'pendulum': ")]
    assert simulating
    assert "of 0.8 s" in simulating[-1]
    assert "left" in simulating[-1]
    assert all("<progress" in data["text/html"] for _, data in bars[:-1])
    kinds = [kind for kind, _ in bars]
    # One line that changes, not a line for each change.
    assert kinds == ["display_data"] + ["update_display_data"] * (len(kinds) - 1)
    assert len(kinds) > 2
    assert texts[-1] == ""
    assert [output["data"]["text/plain"] for output in client.nb.cells[0].outputs] == [""]


def shown(client: Listening, source: str) -> str:
    outputs = client.nb.cells[CELLS.index(source)].outputs
    assert [output.output_type for output in outputs] == ["execute_result"], source
    text: str = outputs[0].data["text/plain"]
    return text


@pytest.mark.parametrize("source", PRINTED)
def test_objects_print_what_they_are_in_a_few_lines(client: Listening, source: str) -> None:
    text = shown(client, source)
    assert len(text.splitlines()) < 40
    assert len(text) < 3000
    assert " object at 0x" not in text


def test_models_and_results_say_their_names(client: Listening) -> None:
    assert shown(client, "rod") == "<Model 'pendulum': 1 body, 1 coordinate, 1 force, 1 marker>"
    assert shown(client, "run") == "<Result: 101 rows, 42 columns, 0 to 0.8 s, completed>"
    assert "completed" in shown(client, "run.report")


def outputs_of(client: Listening, source: str) -> list[Any]:
    return list(client.nb.cells[CELLS.index(source)].outputs)


@pytest.mark.parametrize("source", ["rod", "rod.forces", "run", "run.report"])
def test_tables_are_shown(client: Listening, source: str) -> None:
    (output,) = outputs_of(client, source)
    assert "<table" in output.data["text/html"]


@pytest.mark.parametrize("source", [FIGURE, INLINE, INTO])
def test_a_figure_is_shown_once_without_a_magic_command(client: Listening, source: str) -> None:
    pictures = [one.data["image/png"] for one in outputs_of(client, source) if "image/png" in one.get("data", {})]
    assert len(pictures) == 1
    assert base64.b64decode(pictures[0]).startswith(b"\x89PNG")


def test_show_gives_a_widget(client: Listening) -> None:
    (output,) = outputs_of(client, WIDGET)
    view = output.data["application/vnd.jupyter.widget-view+json"]
    states = client.nb.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    assert states[view["model_id"]]["model_name"] == "AnyModel"
