"""Mutated files for all readers: whatever is in them, an error of ours or a result, within seconds, and no NaN.

``python -m tests.support.fuzzing --count 20000 --seed 1`` runs it from the root of the project and lists what it found.
"""

from __future__ import annotations

import argparse
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

from tests.support.fuzz_corpus import corpus_in

import myodyne as my

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


def fuzz(count: int, seed: int, kept: Path | None = None) -> Findings:
    """Read and use mutated files; what is not an error of ours, takes too long or gives NaN is a failure.

    Inputs that fail are copied to the folder ``kept``.
    """
    chance = random.Random(seed)
    found = Findings()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = corpus_in(folder)
        # What is read beside a mutated file stays as it was.
        contents = {path: path.read_bytes() for path, _ in corpus}
        for number in range(count):
            path, read = chance.choice(corpus)
            path.write_bytes(mutated(contents[path], chance))
            outcome = _outcome(path, read)
            if kept is not None and outcome not in ("read", "refused"):
                (kept / f"{seed}-{number}-{path.name}").write_bytes(path.read_bytes())
            found.counts[outcome.partition("\n")[0].split(":")[0]] += 1
            if outcome not in ("read", "refused"):
                found.failures.append(f"input {number} of seed {seed}, {path.name}: {outcome}")
            path.write_bytes(contents[path])
    return found


def _outcome(path: Path, read: Callable[[Path], object]) -> str:
    # Processor time: what other programs take is no hang of ours.
    begun = time.process_time()
    outcome = "read"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(path)
    except my.MyodyneError:
        outcome = "refused"
    except Exception:
        outcome = "failed: " + traceback.format_exc(limit=-4)
    spent = time.process_time() - begun
    return f"slow: {spent:.1f} s" if spent > LONGEST and outcome in ("read", "refused") else outcome


def main() -> int:
    """Fuzz from the command line; the exit code says whether anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for inputs that fail")
    options = parser.parse_args()
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    found = fuzz(options.count, options.seed, options.keep)
    print(dict(found.counts))
    for failure in found.failures:
        print(failure)
    return 1 if found.failures else 0


if __name__ == "__main__":
    sys.exit(main())
