"""Rows on a cluster, by Dask."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from myodyne.errors import MyodyneError
from myodyne.study.engines.engine import Batches, Crew, Job
from myodyne.study.engines.remote import packed, rows_of

if TYPE_CHECKING:
    from myodyne.study.rows import Row
    from myodyne.study.study import Study

# Batches that wait at each thread of the cluster, besides the one that it computes.
_WAITING = 1
# So often a batch is sent to another worker when its own dies.
_RETRIES = 10
# Time (s) within which the workers of a local cluster must have started.
_PATIENCE = 120


@dataclass(frozen=True)
class Dask:
    """Rows on a cluster of Dask, or in processes of this machine that Dask manages.

    Parameters
    ----------
    cluster
        The address of a scheduler, such as ``"tcp://10.0.0.1:8786"``, or a client of `dask.distributed`, also one of
        dask-jobqueue (SLURM) or dask-kubernetes. None starts workers on this machine.
    count
        How many workers to start on this machine; by default one for each processor.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Dask("tcp://10.0.0.1:8786")
    Dask(cluster='tcp://10.0.0.1:8786', count=None)
    """

    cluster: Any = None
    count: int | None = None

    @contextmanager
    def started(self, study: Study) -> Iterator[Crew]:
        """Give the crew of a study; a cluster that was given goes on after the block."""
        try:
            from distributed import Client
        except ImportError:
            raise MyodyneError("my.Dask needs Dask: pip install 'myodyne[cluster]'") from None
        if isinstance(self.cluster, Client):
            yield _Cluster(self.cluster, packed(study), study.families)
        elif self.cluster is not None:
            with _client(str(self.cluster)) as client:
                yield _Cluster(client, packed(study), study.families)
        else:
            with _local_cluster(self.count or os.cpu_count() or 1) as client:
                yield _Cluster(client, packed(study), study.families)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    from distributed import Client

    try:
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise MyodyneError(f"my.Dask: no scheduler answers at '{address}': {error}") from error
    try:
        yield client
    finally:
        client.close()


@contextmanager
def _local_cluster(count: int) -> Iterator[Any]:
    """Give a client whose workers are commands of their own: those of Dask would import the user's script again."""
    from distributed import LocalCluster

    cluster = LocalCluster(n_workers=0, dashboard_address=None, protocol="tcp://", silence_logs=50)
    command = [sys.executable, "-P", "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
    command += ["--nworkers", str(count), "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    workers = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with _client(cluster.scheduler_address) as client:
            client.wait_for_workers(count, timeout=_PATIENCE)
            yield client
    finally:
        workers.terminate()
        try:
            workers.wait(timeout=20)
        except subprocess.TimeoutExpired:
            workers.kill()
            workers.wait()
        cluster.close()


@dataclass(frozen=True)
class _Cluster:
    client: Any
    study: bytes
    families: tuple[int, ...] | None = None

    def rows(self, jobs: Iterable[Job]) -> Iterator[list[Row]]:
        from distributed import as_completed

        batches, done = Batches(jobs, self.families), as_completed(loop=self.client.loop)
        under_way = 0
        while True:
            most = (1 + _WAITING) * max(1, sum(self.client.nthreads().values()))
            while under_way < most and (batch := batches.next()):
                # Not pure: the same batch sent twice, as a search may, is computed twice.
                done.add(self.client.submit(rows_of, self.study, batch, pure=False, retries=_RETRIES))
                under_way += 1
            if not under_way:
                return
            rows, seconds = self._answer(next(done))
            under_way -= 1
            batches.took(len(rows), seconds)
            yield rows

    @staticmethod
    def _answer(future: Any) -> tuple[list[Row], float]:  # noqa: ANN401 - of Dask, which has no types
        from concurrent.futures import CancelledError

        try:
            found: tuple[list[Row], float] = future.result()
        except (CancelledError, OSError, TimeoutError) as error:
            raise MyodyneError(
                f"the cluster of my.Dask is gone ({type(error).__name__}: {error}); rows that were written are safe: "
                "start it again and use run(..., resume=True)"
            ) from error
        future.release()
        return found
