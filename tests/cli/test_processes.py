"""The command line as the shell meets it: versions, signals, pipes, tracebacks."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import myodyne as my
from myodyne.cli import main
from myodyne.cli.guard import guarded

LONG = ("simulate", "chain", "--duration", "1e5", "--scheme", "rk4:0.001", "--every", "0.1", "--start", "q1=0.5")


def test_version(process) -> None:
    done = process("--version")
    assert (done.code, done.out.strip()) == (0, f"myodyne {my.__version__}")


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    script = (
        "import sys; sys.argv = ['myodyne', '--help']\n"
        "from myodyne.cli.main import run\n"
        "try: run()\n"
        "finally: print([name for name in ('numpy', 'casadi', 'pydantic', 'xarray', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "[]"
    for command in ("demo", "models", "inspect", "simulate", "convert", "bench", "cache", "schema"):
        assert f" {command} " in done.stdout


def test_json_alone_stands_on_stdout(process) -> None:
    done = process("simulate", "pendulum", "--duration", "0.1", "--json")
    assert done.code == 0
    assert done.json["status"] == "completed"


def test_errors_are_one_message_without_traceback(process) -> None:
    done = process("inspect", "pendulm")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: unknown built-in model 'pendulm'")
    assert len(done.err.splitlines()) == 1


def test_debug_shows_the_traceback(process) -> None:
    done = process("--debug", "inspect", "pendulm")
    assert done.code == 2
    assert "Traceback" in done.err
    assert "Error: unknown built-in model" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_keeps_what_was_computed(tmp_path: Path) -> None:
    my.simulate(my.load_model("chain"), duration=0.01, scheme=my.RK4(step=0.001))  # compiles it
    # How long a process needs to begin differs: a signal that comes too early finds nothing to keep.
    for patience in (3, 10, 30):
        run = subprocess.Popen(
            [sys.executable, "-m", "myodyne", *LONG, "--out", "run.nc"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(patience)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
        if (tmp_path / "run.nc").exists():
            break
    assert run.returncode == 130
    assert "Interrupted at" in err
    assert "The partial result is in run.nc." in err
    assert "interrupted" in out
    kept = my.load(tmp_path / "run.nc")
    assert kept.report.status == "interrupted"
    assert 0 < kept.time[-1] < 1e5
    assert kept.report.energy_error < 1e-2


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end differently on Windows")
@pytest.mark.parametrize("words", [("schema",), ("models",), ("inspect", "pendulum"), ("--help",)])
def test_a_reader_that_goes_away_is_met_quietly(words: tuple[str, ...]) -> None:
    run = subprocess.Popen([sys.executable, "-m", "myodyne", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.close()
    told = run.stderr.read()
    run.stderr.close()
    assert (run.wait(timeout=120), told) == (1, b"")


class TestGuard:
    """Errors inside commands, without a process for each."""

    @pytest.mark.parametrize(
        ("error", "code", "told"),
        [
            (my.ModelError("no such knee"), 2, "no such knee"),
            (my.FileError("cut off"), 2, "cut off"),
            (my.SolveError("no solution"), 1, "no solution"),
            (my.MyodyneError("the compiler failed"), 1, "the compiler failed"),
            (PermissionError(13, "Permission denied", "out.nc"), 2, "out.nc: Permission denied"),
        ],
    )
    def test_codes(self, error: Exception, code: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(main.typer.Exit) as left, guarded():
            raise error
        assert left.value.exit_code == code
        assert capsys.readouterr().err == f"Error: {told}\n"

    def test_ctrl_c(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(main.typer.Exit) as left, guarded():
            raise KeyboardInterrupt
        assert left.value.exit_code == 130
        assert capsys.readouterr().err == "Interrupted.\n"

    def test_faults_of_ours_ask_for_a_report(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def broken() -> None:
            raise ZeroDivisionError("division by zero")

        monkeypatch.setattr(main, "app", broken)
        monkeypatch.setattr(sys, "argv", ["myodyne", "models"])
        with pytest.raises(SystemExit) as left:
            main.run()
        assert left.value.code == 1
        told = capsys.readouterr().err
        assert told.startswith("Error: ZeroDivisionError: division by zero")
        assert "--debug" in told
        monkeypatch.setattr(sys, "argv", ["myodyne", "--debug", "models"])
        with pytest.raises(ZeroDivisionError):
            main.run()

    def test_warnings_are_notes(self, capsys: pytest.CaptureFixture[str]) -> None:
        import warnings

        from myodyne.cli.speech import notes_instead_of_warnings

        with notes_instead_of_warnings():
            warnings.simplefilter("always")
            warnings.warn("no C compiler found", stacklevel=1)
        assert capsys.readouterr().err == "Note: no C compiler found\n"


def test_narrow_terminals_cut_prose_but_no_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    from myodyne.cli import speech

    monkeypatch.setattr(speech, "_console", lambda: Console(width=40))
    folded = "a_word_without_blanks_that_is_longer_than_the_line"
    speech.show_table("Things", ("name", ">mass", "…source"), [("a_rather_long_name", "75.25", "prose " * 20)])
    speech.show_table("Things", ("name", "fields"), [("a_rather_long_name", folded)])
    first, second = capsys.readouterr().out.split("Things")[1:]
    assert "a_rather_long_name" in first
    assert "75.25" in first
    assert "…" in first
    assert folded in "".join(second.replace("a_rather_long_name", "").split()).replace("namefields", "").strip("─")
