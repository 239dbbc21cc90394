"""Processes that solve one guess after the other, fed through pipes.

A pool of `multiprocessing` imports the user's script again in every process, which fails in scripts without a guard
and for code typed into an interpreter or a notebook. These processes import myodyne alone; `main`
reads pickled tasks from the standard input and writes pickled answers to the standard output.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import IO, Any, TypeVar

from myodyne.errors import SolveError

T = TypeVar("T")


class WorkerDiedError(SolveError):
    """A process ended before it answered."""


# Bytes that announce the length of a message.
_LENGTH = 8


class Worker:
    """A process that evaluates functions of importable modules."""

    def __init__(self) -> None:
        self._process = launched(__name__)

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """Return the value of a function, evaluated in the process."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, (function, arguments))
            answer: T | BaseException = receive(process.stdout)
        except (BrokenPipeError, EOFError):
            raise WorkerDiedError(
                f"a worker process ended (exit code {process.wait()}); if memory ran out, use fewer processes"
            ) from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def launched(module: str) -> subprocess.Popen[bytes]:
    """Return a process that imports a module and calls its `main`, with pipes to it and from it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    # The user's folder may hold files named like modules; -P keeps it off the path.
    command = [sys.executable, "-P", "-c", f"from {module} import main; main()"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


class Workers:
    """Several processes that evaluate tasks side by side, until the block is left.

    Examples
    --------
    >>> with Workers(2) as workers:
    ...     sorted(workers.evaluated(divmod, [(7, 2), (9, 4)]))
    [(0, (3, 1)), (1, (2, 1))]
    """

    def __init__(self, processes: int) -> None:
        self._workers = [Worker() for _ in range(processes)]
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(processes)

    def evaluated(self, function: Callable[..., T], tasks: Iterable[tuple[object, ...]]) -> Iterator[tuple[int, T]]:
        """Yield the number and the value of each task, as they come."""

        def one(task: tuple[object, ...]) -> T:
            worker = self._idle.get()
            try:
                return worker.call(function, *task)
            finally:
                self._idle.put(worker)

        waiting: dict[Future[T], int] = {self._threads.submit(one, task): number for number, task in enumerate(tasks)}
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(wait=True, cancel_futures=True)


def send(pipe: IO[bytes], message: object) -> None:
    """Write a message to a pipe between processes of this module."""
    data = pickle.dumps(message)
    pipe.write(len(data).to_bytes(_LENGTH, "little") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:  # noqa: ANN401 - the other side knows what it sent
    """Return the next message of a pipe; its end is an EOFError."""
    length = int.from_bytes(_read(pipe, _LENGTH), "little")
    return pickle.loads(_read(pipe, length))


def _read(pipe: IO[bytes], count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = pipe.read(count)
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Answer tasks until there are none."""
    while True:
        try:
            function, arguments = receive(tasks)
        except EOFError:
            return
        try:
            answer: object = function(*arguments)
        except Exception as error:
            answer = error
        send(answers, answer)


def answering_pipe() -> IO[bytes]:
    """Return the pipe for answers; what solvers print goes to the standard error from now on, not between them."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def main() -> None:
    """Serve."""
    answers = answering_pipe()
    with contextlib.suppress(KeyboardInterrupt):
        _serve(sys.stdin.buffer, answers)
