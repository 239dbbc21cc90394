"""OpenSim's own models against OpenSim 4.6: accelerations, moment arms, inverse dynamics, start-up, simulation.

Both run on the same files in one run and are clocked in turns; OpenSim runs in a process of its own, see
``opensim_peer.py``. The models and the recorded walk are read from ``../shared`` beside the repository, or from the
folder that the variable MYODYNE_SHARED names. Before anything is clocked, both sides must agree on what they compute.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from timing import against, below, figure, seconds

import myodyne as my

PEER = "OpenSim 4.6"
ACTIVATION = 0.3
POSES, SEED = 10, 5
REPEATS = 7

_LOAD = """
import time, myodyne as my
t = time.perf_counter()
my.load_model({model!r})
print(time.perf_counter() - t)
"""
_FIRST = """
import time, numpy as np, myodyne as my
model = my.load_model({model!r})
t = time.perf_counter()
eq = my.equations_of(model, compiled=True)
x = eq.state()
rates = eq.derivative(x, np.full(len(eq.controls), 0.3))
print(time.perf_counter() - t)
assert np.isfinite(rates).all()
"""


class OpenSim:
    """The process in which OpenSim runs."""

    def __init__(self) -> None:
        if importlib.util.find_spec("opensim") is None:
            raise ModuleNotFoundError("OpenSim is not installed", name="opensim")
        script = Path(__file__).with_name("opensim_peer.py")
        self._folder = tempfile.TemporaryDirectory()
        # OpenSim tells its troubles at length; what stops it comes back as an answer.
        self._process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self._folder.name,
        )

    def __enter__(self) -> OpenSim:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def ask(self, do: str, **question: Any) -> Any:
        """Return the answer to one question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **question}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"OpenSim ended while it was asked for '{do}'")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"OpenSim, asked for '{do}': {answer['error']}")
        return answer["answer"]


class Case:
    """One model on both sides, with the same poses and muscles in balance."""

    def __init__(self, peer: OpenSim, file: Path) -> None:
        self.peer, self.file = peer, str(file)
        self.model = my.load_model(file)
        self.equations = eq = my.equations_of(self.model, compiled=True)
        self.q, self.v = _poses(eq)
        active = dict.fromkeys(eq.layout.activations, ACTIVATION)
        self.x = np.array(
            [
                eq.state(active | dict(zip((*eq.coordinates, *eq.speeds), (*q, *v), strict=True)))
                for q, v in zip(self.q.tolist(), self.v.tolist(), strict=True)
            ]
        )
        self.u = np.zeros(len(eq.controls))  # as in OpenSim where nothing controls
        # Couplings that we have solved are still open in OpenSim: it is given all coordinates.
        numbers = np.array(self.model.free_numbers, dtype=float)
        values, rates, _ = eq.kernel("all_coordinates")(self.q, self.v, np.zeros_like(self.v), numbers)
        names = tuple(self.model.coordinates)
        poses = [
            {"values": dict(zip(names, a, strict=True)), "speeds": dict(zip(names, b, strict=True))}
            for a, b in zip(values.tolist(), rates.tolist(), strict=True)
        ]
        peer.ask("poses", model=self.file, poses=poses, activation=ACTIVATION)

    @property
    def name(self) -> str:
        return Path(self.file).stem

    def accelerations(self, at_least: float, exact: bool) -> list[dict[str, Any]]:
        """Return the rows about full-model accelerations."""
        eq, size = self.equations, len(self.equations.coordinates)
        options: dict[str, Any] = {"exact_paths": True} if exact else {}
        ours = eq.derivative(self.x[0], self.u, **options)[size : 2 * size]
        theirs = np.array(self.peer.ask("accelerations", model=self.file, names=eq.coordinates)[0])
        off = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
        # What OpenSim's muscles do over surfaces is not always the derivative of their length (Rajagopal2016's
        # gastrocnemius at a straight knee), and a fit moves forces that nearly cancel.
        allowed = 1e-6 if not eq.path_fits else 0.05 if exact else 0.2
        if not off < allowed:
            raise AssertionError(f"{self.name}: the accelerations differ by {off:.2g} of the largest")

        def work() -> None:
            for x in self.x:
                eq.derivative(x, self.u, **options)

        best, best_peer = _turns(
            lambda: seconds(work, 1, 20) / POSES,
            lambda: self.peer.ask("time_accelerations", model=self.file, rounds=3),
        )
        how = "" if not eq.path_fits else ", exact wrapping" if exact else ", fitted paths"
        rows = [against(f"accelerations of {self.name}{how}", best, best_peer, PEER, at_least)]
        if not exact:
            many = np.tile(self.x, (100, 1))
            controls = np.tile(self.u, (len(many), 1))
            per_row = seconds(lambda: eq.derivative(many, controls)) / len(many)
            rows.append(_remark(f"- per row of {len(many)} in one call", per_row, best_peer))
        return rows

    def moment_arms(self, at_least: float) -> list[dict[str, Any]]:
        """Return the rows about the exact moment arms of all muscles about all coordinates."""
        eq = self.equations
        eq.moment_arms(self.q[0])
        best, best_peer = _turns(
            lambda: seconds(lambda: [eq.moment_arms(q) for q in self.q], 1, 10) / POSES,
            lambda: self.peer.ask("time_moment_arms", model=self.file),
            3,
        )
        many = np.tile(self.q, (100, 1))
        per_row = seconds(lambda: eq.moment_arms(many), 3) / len(many)
        return [
            against(f"all moment arms of {self.name}", best, best_peer, PEER, at_least),
            _remark(f"- per row of {len(many)} in one call", per_row, best_peer),
        ]


def _poses(equations: my.Equations) -> tuple[Any, Any]:
    """Return poses near the default and their speeds, the first at rest."""
    rng = np.random.default_rng(SEED)
    shape = (POSES, len(equations.coordinates))
    q = equations.coordinate_defaults() + rng.uniform(-0.1, 0.1, shape)
    for column, name in enumerate(equations.coordinates):
        ends = equations.model.coordinates[name].range
        if ends is not None:
            q[:, column] = np.clip(q[:, column], *ends)
    v = rng.uniform(-0.5, 0.5, shape)
    v[0] = 0.0
    return q, v


def _turns(ours: Any, theirs: Any, repeats: int = REPEATS) -> tuple[float, float]:
    """Return the best time of each side, measured in turns so that a slow spell of the machine hits both."""
    best = [float("inf"), float("inf")]
    for _ in range(repeats):
        for number, measure in enumerate((ours, theirs)):
            best[number] = min(best[number], measure())
    return best[0], best[1]


def _remark(what: str, ours: float, theirs: float) -> dict[str, Any]:
    return {**against(what, ours, theirs, PEER, 0.0), "target": None, "met": None}


def _inverse_dynamics(peer: OpenSim, folder: Path, at_least: float) -> list[dict[str, Any]]:
    """Inverse dynamics of a recorded walk with ground forces and filter, without files and with them.

    OpenSim's tool has no way around files: what it takes to read and write the same files is clocked and taken off.
    """
    trial = folder / "opensim_subject01_walk"
    files = {"model": f"{folder / 'opensim_subject01.osim'}", "motion": f"{trial}_IK.mot"}
    xml, recording, stored = f"{trial}_grf.xml", f"{trial}_grf.mot", my.load(f"{trial}_ID.sto")
    model = my.load_model(files["model"])
    cutoff, end = 6.0, float(stored.time[-1])
    with tempfile.TemporaryDirectory() as place:
        files |= {"results": place, "loads": f"{place}/loads.xml"}
        peer.ask("loads", xml=xml, data=recording, target=files["loads"])

        def ours() -> my.Result:
            motion = my.load(files["motion"], model=model)
            forces = my.load_external_forces(xml, recording)
            found = my.inverse_dynamics(model, motion, forces, cutoff=cutoff, passive=True)
            my.save(found, f"{place}/ours.sto")
            return found

        def theirs() -> float:
            return float(peer.ask("time_inverse_dynamics", files=files, cutoff=cutoff, end=end))

        found = ours()
        theirs()
        expected = my.load(f"{place}/moments.sto")
        for name in expected.names:
            mine = found.values(name.removesuffix("_moment").removesuffix("_force") + ".moment")[: len(expected)]
            off = np.abs(mine - expected.values(name)).max() / np.abs(expected.values(name)).max()
            if not off < 1e-3:
                raise AssertionError(f"inverse dynamics: '{name}' differs by {off:.2g} of its peak")
        motion, forces = my.load(files["motion"], model=model), my.load_external_forces(xml, recording)
        alone, with_files = _turns(
            lambda: seconds(lambda: my.inverse_dynamics(model, motion, forces, cutoff=cutoff, passive=True), 1, 5),
            theirs,
        )
        filing = min(float(peer.ask("time_files", files=files, recording=recording)) for _ in range(REPEATS))
        ours_with_files = seconds(ours)
    rows = f"inverse dynamics of a walk, {len(found.time)} rows, with filter"
    return [
        against(f"{rows}, without files", alone, with_files - filing, PEER, at_least),
        _remark("- files read and written", ours_with_files, with_files),
    ]


def _start_up(file: Path) -> list[dict[str, Any]]:
    """How long a user waits for a model; each in a process of its own, imports not counted."""
    with tempfile.TemporaryDirectory() as cache:
        load = min(_measured(_LOAD.format(model=str(file)), cache) for _ in range(3))
        script = _FIRST.format(model=str(file))
        first = _measured(script, cache)
        again = min(_measured(script, cache) for _ in range(3))
    name = file.stem
    return [
        below(f"load_model of {name}", load, "s", 1.5),
        below(f"first equations_of {name}: fits, compilation, a state, its rates", first, "s", 60.0),
        below("- the same from the cache", again, "s", 1.0),
    ]


def _measured(script: str, cache: str) -> float:
    environment = {**os.environ, "MYODYNE_CACHE": cache}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"a start-up script failed: {done.stderr.strip()[-500:]}")
    return float(done.stdout)


def _simulation(peer: OpenSim, file: Path, at_least: float) -> list[dict[str, Any]]:
    """One second of free fall with weakly active muscles; each side's error is against a tight run of its own."""
    activation = 0.05
    eq = my.equations_of(my.load_model(file), compiled=True)
    start = dict.fromkeys(eq.layout.activations, activation)
    controls = dict.fromkeys(eq.controls, activation)

    def ours(tolerance: float, duration: float = 1.0) -> tuple[float, Any]:
        scheme = my.Rosenbrock(relative=tolerance, absolute=tolerance)
        started = time.perf_counter()
        run = my.simulate(eq, duration, start=start, controls=controls, scheme=scheme, progress=False)
        return time.perf_counter() - started, np.array([run.final[name] for name in eq.coordinates])

    def theirs(accuracy: float, duration: float = 1.0) -> tuple[float, Any]:
        answer = peer.ask(
            "simulation",
            model=str(file),
            activation=activation,
            duration=duration,
            accuracy=accuracy,
            names=eq.coordinates,
        )
        return answer["seconds"], np.array(answer["last"])

    # Later the knees leave their range, where OpenSim holds back the moving points of paths but not their derivatives.
    within = 0.15
    apart = float(np.abs(ours(1e-9, within)[1] - theirs(1e-9, within)[1]).max())
    if not apart < 1e-4:
        raise AssertionError(f"the two simulations are apart by {apart:.1e} after {within:g} s")
    accuracy = 1e-5
    exact, exact_peer = ours(1e-9)[1], theirs(1e-9)[1]
    error_peer = float(np.abs(theirs(accuracy)[1] - exact_peer).max())
    for tolerance in (1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8):
        error = float(np.abs(ours(tolerance)[1] - exact).max())
        if error <= error_peer:
            break
    else:
        raise AssertionError(f"no tolerance of ours reaches OpenSim's error of {error_peer:.1e}")
    best, best_peer = _turns(lambda: ours(tolerance)[0], lambda: theirs(accuracy)[0], 3)
    return [
        against(
            f"1 s of {file.stem}, errors {error:.0e} (tolerance {tolerance:g}) and {error_peer:.0e}",
            best,
            best_peer,
            f"{PEER}, accuracy {accuracy:g}",
            at_least,
        ),
        figure(f"- how far the two tight runs are apart after {within:g} s, largest coordinate", apart, "rad or m"),
    ]


def run() -> list[dict[str, Any]]:
    shared = Path(os.environ.get("MYODYNE_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    models, walk = shared / "models_osim", shared / "data" / "winter_appendix"
    rows: list[dict[str, Any]] = []

    def there(file: Path) -> bool:
        if not file.is_file():
            rows.append({**figure(f"skipped: '{file}' is missing, see MYODYNE_SHARED", 0.0, ""), "ours": None})
        return file.is_file()

    with OpenSim() as peer:
        for name in ("gait2392_thelen2003muscle", "gait2392_millard2012muscle", "Rajagopal2016"):
            if not there(models / f"{name}.osim"):
                continue
            case = Case(peer, models / f"{name}.osim")
            rows += case.accelerations(50, exact=False)
            if case.equations.path_fits:
                rows += case.accelerations(5, exact=True)
            rows += case.moment_arms(1000)
        for name in ("arm26", "MoBL_ARMS"):
            if there(models / f"{name}.osim"):
                rows += Case(peer, models / f"{name}.osim").moment_arms(1000)
        if there(walk / "opensim_subject01.osim"):
            rows += _inverse_dynamics(peer, walk, 50)
        if there(models / "Rajagopal2016.osim"):
            rows += _start_up(models / "Rajagopal2016.osim")
        if there(models / "gait2392_thelen2003muscle.osim"):
            rows += _simulation(peer, models / "gait2392_thelen2003muscle.osim", 20)
    return rows
