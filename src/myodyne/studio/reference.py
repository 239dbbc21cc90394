"""A recorded motion beside the movement: its ghost, and how far each coordinate is from it."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees

import numpy as np

from myodyne.analyse import compare
from myodyne.data import Trajectory
from myodyne.errors import ModelError, MyodyneError, listed
from myodyne.files import load
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.studio.showing import Beside
from myodyne.studio.summary import Fact
from myodyne.view.actors import actor_of


@dataclass(frozen=True, eq=False)
class Reference:
    """A recorded motion, and the file that a script loads it from.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.simulate(my.load_model("pendulum"), 0.5, start={"angle": 0.4})
    >>> [fact.value for fact in Reference("swing.nc", swing).facts(swing, my.load_model("pendulum"))]
    [0.0, 0.0]
    """

    file: str
    motion: Trajectory

    def shared(self, model: Model) -> tuple[str, ...]:
        """Return the coordinates of a model that the recording has."""
        return tuple(name for name in model.moving if name in self.motion)

    def ghost(self, model: Model) -> Beside:
        """Return the recorded motion as a second body."""
        # A plain trajectory: a recording may lack coordinates, which a run must not.
        chosen = self.motion.select(self.shared(model))
        return Beside(actor_of(model, Trajectory.from_rows(chosen.time, chosen.names, chosen.rows()), "recorded"))

    def facts(self, run: Trajectory, model: Model) -> tuple[Fact, ...]:
        """Return the root mean square distance of each coordinate from the recording, and of all angles together."""
        names = self.shared(model)
        found = compare(run, self.motion, names)
        turning = angles(model)
        facts = [
            Fact(
                f"rms-{column.name}",
                f"{column.name} from the recording, RMS",
                degrees(column.rms) if column.name in turning else column.rms,
                "°" if column.name in turning else "m",
            )
            for column in found.columns
        ]
        squares = [column.rms**2 for column in found.columns if column.name in turning]
        if squares:
            whole = degrees(float(np.sqrt(np.mean(squares))))
            facts.insert(0, Fact("rms", "All angles from the recording, RMS", whole, "°"))
        return tuple(facts)

    def facts_or_note(self, run: Trajectory, model: Model) -> tuple[tuple[Fact, ...], list[str]]:
        """Return the distances, or why there are none, such as times that do not meet."""
        try:
            return self.facts(run, model), []
        except MyodyneError as error:
            return (), [f"not compared with {self.file}: {error}"]


def opened_reference(file: str, model: Model) -> Reference:
    """Return a recorded motion of a model from a file; one without its coordinates is an error."""
    reference = Reference(file, load(file))
    if not reference.shared(model):
        raise ModelError(
            f"{file}: holds no coordinate of '{model.name}' ({listed(tuple(model.moving), 6)}); it has "
            f"{listed(reference.motion.names, 6)}"
        )
    return reference
