"""Mutated files for all readers: whatever is in them, an error of ours or a result, within seconds, and no NaN.

``python -m tests.support.fuzzing --count 20000 --seed 1`` runs it from the root of the project and lists what it found.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import myodyne as my

FIXTURES = Path(__file__).parents[1] / "fixtures" / "opensim"
LONGEST = 5.0
_NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
_TAG = re.compile(rb"</?[A-Za-z_:]+[^<>]*>")
_NUMBERS = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e308",
    b"1e-320",
    b"-1",
    b"0",
    b"",
    b"1_000",
    b"0x10",
    b"9" * 40,
    b"1e5",
    b"~[1]",
)
_LETTERS = (b"\x00", b"\xff", b"<", b">", b"&", b"'", b"\t", b"\n", b"\xc3\xa4", b"]]>", b"<!--", b"--", b"/", b"..")


@dataclass
class Findings:
    """How many inputs were read, refused or failed, and the failures themselves."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def _model(path: Path) -> None:
    model = my.load_model(path)
    equations = my.equations_of(model, compiled=False)
    turns, places = equations.body_poses(equations.coordinate_defaults())
    if not (np.isfinite(turns).all() and np.isfinite(places).all()):
        raise AssertionError("poses are not finite")


def _motion(path: Path) -> None:
    table = my.load(path, angles=())
    if not np.isfinite(table.rows()).all():
        raise AssertionError("a table without gaps holds NaN")


def _setup(path: Path) -> None:
    for result in my.run_setup(path, folder=path.parent / "out").results.values():
        values = np.concatenate([result.values(name) for name in result.names if not name.endswith(".error")])
        if result.report.status == "completed" and not np.isfinite(values).all():
            raise AssertionError("completed with NaN")


def _corpus(folder: Path) -> list[tuple[Path, Callable[[Path], object]]]:
    """Write the files that are mutated, and return them with what reads each."""
    rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    times = [0.05 * row for row in range(9)]
    swing = my.Trajectory(times, {"angle": [0.3 * math.sin(time) for time in times]}, {"angle": "rad"})
    places = [[[math.sin(angle), -math.cos(angle), 0.0]] for angle in swing.values("angle").tolist()]
    found: list[tuple[Path, Callable[[Path], object]]] = []
    for name in ("rod.yaml", "rod.osim"):
        my.save_model(rod, folder / name)
        found.append((folder / name, _model))
    for name in ("swing.sto", "swing.mot", "swing.csv", "swing.nc"):
        my.save(swing, folder / name)
        found.append((folder / name, _motion))
    my.save_markers(my.Markers(times, ["tip"], places), folder / "swing.trc")
    found.append((folder / "swing.trc", my.load_markers))
    head, foot = '<OpenSimDocument Version="40000">', "</OpenSimDocument>"
    texts: dict[str, tuple[str, Callable[[Path], object]]] = {
        "id.xml": (
            """<InverseDynamicsTool name="rod"><model_file>rod.osim</model_file><time_range>0 0.3</time_range>
            <coordinates_file>swing.sto</coordinates_file><forces_to_exclude>muscles</forces_to_exclude>
            <lowpass_cutoff_frequency_for_coordinates>-1</lowpass_cutoff_frequency_for_coordinates>
            <results_directory>out</results_directory></InverseDynamicsTool>""",
            _setup,
        ),
        "ik.xml": (
            """<InverseKinematicsTool name="rod"><model_file>rod.osim</model_file><marker_file>swing.trc</marker_file>
            <time_range>0 0.3</time_range><IKTaskSet><objects><IKMarkerTask name="tip"><weight>1</weight></IKMarkerTask>
            <IKCoordinateTask name="angle"><weight>0.1</weight></IKCoordinateTask></objects></IKTaskSet>
            </InverseKinematicsTool>""",
            _setup,
        ),
        "loads.xml": (
            """<ExternalLoads><objects><ExternalForce name="f"><applied_to_body>rod</applied_to_body>
            <force_identifier>v</force_identifier></ExternalForce></objects><datafile>f.sto</datafile></ExternalLoads>""",
            my.load_external_forces,
        ),
        "markers.xml": (
            """<MarkerSet><objects><Marker name="a"><socket_parent_frame>/bodyset/rod</socket_parent_frame>
            <location>0 1 2</location><fixed>true</fixed></Marker></objects></MarkerSet>""",
            lambda path: my.load_marker_set(path, rod),
        ),
    }
    record = my.Trajectory(times, {f"v{axis}": [0.0] * 9 for axis in "xyz"})
    my.save(record, folder / "f.sto")
    for name, (text, read) in texts.items():
        (folder / name).write_text(f"{head}{text}{foot}")
        found.append((folder / name, read))
    for path in sorted(FIXTURES.glob("*.osim")):
        if path.stat().st_size < 30_000:
            copy = folder / path.name
            copy.write_bytes(path.read_bytes())
            found.append((copy, _model))
    return found


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return a file with one thing changed, or a few: numbers, tags, letters, pieces."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        kind = chance.randrange(6)
        places = [match.span() for match in (_NUMBER if kind < 2 else _TAG).finditer(content)]
        if kind < 2 and places:
            begin, end = chance.choice(places)
            content = content[:begin] + chance.choice(_NUMBERS) + content[end:]
        elif kind == 2 and len(places) > 1:
            (a, b), (c, d) = sorted(chance.sample(places, 2))
            content = content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]
        elif kind == 3 and len(content) > 1:
            begin, size = chance.randrange(len(content)), chance.randint(1, 200)
            piece = b"" if chance.random() < 0.5 else content[begin : begin + size] * 2
            content = content[:begin] + piece + content[begin + size :]
        elif kind == 4 and content:
            begin = chance.randrange(len(content))
            content = content[:begin] + chance.choice(_LETTERS) + content[begin + chance.randint(0, 1) :]
        elif content:
            content = content[: chance.randrange(len(content))] if chance.random() < 0.2 else content
    return content


def fuzz(count: int, seed: int) -> Findings:
    """Read and use mutated files; what is not an error of ours, takes too long or gives NaN is a failure."""
    chance = random.Random(seed)
    found = Findings()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = _corpus(folder)
        # What is read beside a mutated file stays as it was.
        contents = {path: path.read_bytes() for path, _ in corpus}
        for number in range(count):
            path, read = chance.choice(corpus)
            path.write_bytes(mutated(contents[path], chance))
            outcome = _outcome(path, read)
            found.counts[outcome.partition("\n")[0].split(":")[0]] += 1
            if outcome not in ("read", "refused"):
                found.failures.append(f"input {number} of seed {seed}, {path.name}: {outcome}")
            path.write_bytes(contents[path])
    return found


def _outcome(path: Path, read: Callable[[Path], object]) -> str:
    begun = time.monotonic()
    outcome = "read"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(path)
    except my.MyodyneError:
        outcome = "refused"
    except Exception:
        outcome = "failed: " + traceback.format_exc(limit=-4)
    spent = time.monotonic() - begun
    return f"slow: {spent:.1f} s" if spent > LONGEST and outcome in ("read", "refused") else outcome


def main() -> int:
    """Fuzz from the command line; the exit code says whether anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = fuzz(options.count, options.seed)
    print(dict(found.counts))
    for failure in found.failures:
        print(failure)
    return 1 if found.failures else 0


if __name__ == "__main__":
    sys.exit(main())
