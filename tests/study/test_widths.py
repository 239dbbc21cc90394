"""Rows do not depend on how many the processor computes at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from myodyne.errors import MyodyneError
from myodyne.native.compiler import find_compiler
from myodyne.native.libraries import library_file

STUDIES = {
    "chain": """
study = my.Study(
    my.load_model("chain"),
    vary=my.sample({f"start:q{k}": (-0.5, 0.5) for k in range(1, 6)}, 10, seed=1),
    measure=["q5.final", "q1.rms", "energy.kinetic.max"],
    duration=0.3,
    scheme=my.RK4(step=1e-3),
)
""",
    "planar_arm": """
model = my.load_model("planar_arm")
study = my.Study(
    model,
    vary=my.sample({f"control:{name}.value.0": (0.05, 0.6) for name in model.muscles}, 10, seed=1),
    measure=["elbow.final", "elbow_flexor.force.mean", "energy.kinetic.rms"],
    duration=0.1,
    controls={name: my.constant(0.1) for name in model.muscles},
    scheme=my.Rosenbrock(step=2e-3),
)
""",
    "jumper": """
jumper = my.load_model("jumper")
timing = my.Onsets({name: muscle.default_activation for name, muscle in jumper.muscles.items()})
study = my.Study(
    jumper,
    vary=my.sample(dict.fromkeys(timing.names, (0.0, 0.25)), 10, seed=2),
    measure=["com.velocity_y.final", "knee.min", "stance.force_y.mean", "soleus.force.max"],
    duration=0.8,
    controls=timing,
    scheme=my.Rosenbrock(step=2e-3),
    until=my.falls_through_zero("stance.force_y"),
)
""",
}
RUN = """
from myodyne.study.rows import Runner
import json

runner = Runner(study)
assert runner.side_by_side
rows = runner.rows([(number, study.vary[number]) for number in range(len(study.vary))])
lanes = my.equations_of(study.model).runtime.lanes
print(json.dumps([lanes, [row.measures for row in rows], [row.reason for row in rows]]))
"""


def rows_of(name: str, lanes: str) -> list[object]:
    """Return how many rows are computed at once, the measures of a study, and why some have none."""
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    script = f"import myodyne as my\n{STUDIES[name]}{RUN}"
    environment = {**os.environ, "MYODYNE_LANES": lanes}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found: list[object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", ["chain", "planar_arm", pytest.param("jumper", marks=pytest.mark.long)])
def test_rows_are_the_same_by_fours_and_by_eights(name: str) -> None:
    fours, eights = rows_of(name, "4"), rows_of(name, "8")
    assert (fours[0], eights[0]) == (4, 8)
    assert fours[1:] == eights[1:]


def test_without_a_wish_the_processor_decides() -> None:
    assert rows_of("chain", "")[0] in (4, 8)


def test_other_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    monkeypatch.setenv("MYODYNE_LANES", "6")
    with pytest.raises(MyodyneError, match="MYODYNE_LANES is 4 or 8, not '6'"):
        library_file.__wrapped__("together", compiler)
