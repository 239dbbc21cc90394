"""Progress: shown after a second, where somebody watches, and gone afterwards."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType

import pytest

from myodyne import progress

# Long enough for a line to appear, with the short delay that these tests set.
_WAIT = 0.4


class Terminal(io.StringIO):
    """A terminal that keeps all that is written to it."""

    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a board of its own that shows lines soon."""
    monkeypatch.setattr(progress, "_board", progress._Board())
    monkeypatch.setattr(progress, "_DELAY", 0.1)
    monkeypatch.setattr(progress, "_INTERVAL", 0.02)
    monkeypatch.delenv("MYODYNE_PROGRESS", raising=False)


@pytest.fixture
def on_terminal(board: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Return what makes stderr a terminal of 100 columns; pytest sets stderr anew after its fixtures."""

    def attach() -> Terminal:
        found = Terminal()
        monkeypatch.setattr(sys, "stderr", found)
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setenv("TERM", "xterm")
        return found

    return attach


@pytest.fixture
def notebook(board: None, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Let a Jupyter kernel run this; return what it was asked to display, one entry for each change."""
    shown: list[dict[str, str]] = []

    class ZMQInteractiveShell:
        pass

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(data)

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert not shown, "one line is changed; there is no second one"
        assert display_id
        Handle().update(data, raw=raw)
        return Handle()

    ipython, displays = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = ZMQInteractiveShell  # type: ignore[attr-defined]
    displays.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    return shown


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds; the rest of the machine may be busy."""
    until = time.monotonic() + 10.0
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


class TestTerminal:
    def test_amount_and_time_left(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()
        with progress.task("Simulating 'jumper'", total=3.0, unit="s") as task:
            task.update(1.5)
            eventually(lambda: "1.5 of 3 s, about" in terminal.getvalue())
        assert "Simulating 'jumper'" in terminal.getvalue()
        # The last thing written shows the cursor again and erases the line.
        assert terminal.getvalue().rstrip().endswith("\x1b[2K")
        assert "\x1b[?25h" in terminal.getvalue()

    def test_estimated_duration(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()
        with progress.task("Compiling rates of 'jumper'", seconds=500.0):
            eventually(lambda: "about 8 min" in terminal.getvalue())

    def test_longer_than_estimated(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()
        with progress.task("Compiling", seconds=0.01) as task:
            eventually(lambda: "0 s so far" in terminal.getvalue())
            assert task.fraction == 0.98
            assert task.remaining is None

    def test_note(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()
        with progress.task("Solving 'walk'") as task:
            task.update(note="iteration 3, objective 0.12, violation 1e-03", left=70.0)
            eventually(lambda: "violation 1e-03, about 1 min 10 s left" in terminal.getvalue())

    def test_innermost(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()
        with progress.task("Simulating", total=1.0, unit="s") as outer:
            with progress.task("Compiling"):
                eventually(lambda: "Compiling" in terminal.getvalue())
                terminal.truncate(0)
                eventually(lambda: "Compiling" in terminal.getvalue())
                assert "Simulating" not in terminal.getvalue()
            outer.update(0.5)
            eventually(lambda: "Simulating" in terminal.getvalue())
            # The time that went into compiling says nothing about how long the simulation will take.
            assert outer.remaining is not None
            assert outer.remaining < outer.age

    def test_short_work(self, on_terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch) -> None:
        terminal = on_terminal()
        monkeypatch.setattr(progress, "_DELAY", 100.0)
        with progress.task("Simulating", total=1.0) as task:
            time.sleep(_WAIT)
            assert not task.watched
        assert terminal.getvalue() == ""

    @pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
    def test_errors_pass_through(self, on_terminal: Callable[[], Terminal], error: type[BaseException]) -> None:
        terminal = on_terminal()
        with pytest.raises(error), progress.task("Simulating"):
            eventually(lambda: "Simulating" in terminal.getvalue())
            raise error
        assert terminal.getvalue().rstrip().endswith("\x1b[2K")
        assert sys.stderr is terminal

    def test_a_terminal_that_is_gone(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()
        with progress.task("Simulating") as task:
            eventually(lambda: "Simulating" in terminal.getvalue())
            terminal.close()
            eventually(lambda: not task.visible)

    def test_threads(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()

        def work() -> None:
            for _ in range(200):
                with progress.task("Inner", total=2) as task:
                    task.advance()

        threads = [threading.Thread(target=work) for _ in range(4)]
        with progress.task("Outer", total=4):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            eventually(lambda: "Outer" in terminal.getvalue())
        assert progress._board._tasks == []

    def test_output_to_a_file_stays_there(
        self, on_terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        terminal = on_terminal()
        file = io.StringIO()
        monkeypatch.setattr(sys, "stdout", file)
        with progress.task("Simulating"):
            eventually(lambda: "Simulating" in terminal.getvalue())
            print("result")
        assert file.getvalue() == "result\n"
        assert "result" not in terminal.getvalue()


class TestNotebook:
    def test_one_line(self, notebook: list[dict[str, str]]) -> None:
        with progress.task("Solving <walk>", total=4, unit="rows") as task:
            task.advance()
            eventually(lambda: len(notebook) > 2)
        assert notebook[0]["text/plain"].startswith("Solving <walk>: 1 of 4 rows, about ")
        assert "&lt;walk&gt; <progress" in notebook[0]["text/html"]
        assert notebook[-1] == {"text/plain": "", "text/html": ""}

    def test_without_ipython_nothing_is_shown(
        self, notebook: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "IPython.display", None)
        with progress.task("Solving") as task:
            eventually(lambda: not task.visible)
        assert notebook == []


class TestWhetherToShow:
    def test_nobody_watches(self, board: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        with progress.task("Simulating") as task:
            assert not task.visible
        assert progress._board._ticker is None

    @pytest.mark.parametrize("stream", [None, "closed"])
    def test_no_stderr(self, board: None, monkeypatch: pytest.MonkeyPatch, stream: str | None) -> None:
        closed = io.StringIO()
        closed.close()
        monkeypatch.setattr(sys, "stderr", closed if stream else None)
        with progress.task("Simulating") as task:
            assert not task.visible

    def test_environment(self, on_terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch) -> None:
        on_terminal()
        monkeypatch.setenv("MYODYNE_PROGRESS", "0")
        with progress.task("Simulating", show=True) as task:
            assert not task.visible
        monkeypatch.setenv("MYODYNE_PROGRESS", "1")
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        with progress.task("Simulating") as task:
            assert task.visible
            eventually(lambda: "Simulating" in sys.stderr.getvalue())  # type: ignore[attr-defined]

    def test_tasks_inside_a_hidden_one(self, on_terminal: Callable[[], Terminal]) -> None:
        terminal = on_terminal()
        with progress.task("Solving"), progress.task("Simulating", show=False), progress.task("Compiling") as inner:
            assert not inner.visible
            eventually(lambda: "Solving" in terminal.getvalue())
        assert "Simulating" not in terminal.getvalue()
        assert "Compiling" not in terminal.getvalue()


def test_rich_is_imported_only_to_show_something() -> None:
    text = (
        "import sys, time\n"
        "from myodyne import progress\n"
        "with progress.task('Simulating', show=True):\n"
        "    time.sleep(0.3)\n"
        "with progress.task('Simulating'):\n"
        "    time.sleep(1.5)\n"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"
    assert done.stderr == ""
