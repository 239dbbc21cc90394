"""How two feet share the ground force in double support. Run it with

    python examples/shared_reactions.py

A recorded motion fixes the sum of the forces under the feet, not their shares (Winter 2009, 8.0.1). The predicted walk
of the library knows its own forces, so the shares that are assumed can be judged: by minimum norm, by minimum norm
without feet that pull, and with one plate measured. The script prints the errors, as the table of
``docs/guide/inverse_dynamics.md``, and writes ``shared_reactions.png`` into the current folder.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import myodyne as my

FEET = {"right": ("right_heel", "right_toe"), "left": ("left_heel", "left_toe")}
JOINTS = ("hip", "knee", "ankle")
LOADED = 10.0  # N, from which a foot is on the ground


class Walk:
    """The library's walk: motion, contacts and the forces that it knows."""

    def __init__(self) -> None:
        movement = my.load_movement("walk")
        self.model, self.run = movement.model, movement.run()
        names = [name for feet in FEET.values() for name in feet]
        parts = {name: self.model.forces[name] for name in names}
        self.contacts = {name: my.Marker(body=part.body, at=part.at) for name, part in parts.items()}
        self.weight = 9.80665 * sum(body.mass for body in self.model.bodies.values())
        self.loaded = {foot: self.foot(foot, "y") > LOADED for foot in FEET}
        self.double = self.loaded["right"] & self.loaded["left"]

    def foot(self, foot: str, axis: str) -> np.ndarray:
        """Return the force of the walk under a foot (N)."""
        return np.sum([self.run.values(f"{name}.force_{axis}") for name in FEET[foot]], axis=0)

    def known(self, *feet: str) -> my.ExternalForces:
        """Return the forces of the walk under some feet, as plates would measure them."""
        forces = []
        for name in (name for foot in feet for name in FEET[foot]):
            part = self.contacts[name]
            columns = {f"{name}.force_{axis}": self.run.values(f"{name}.force_{axis}") for axis in "xyz"}
            columns |= {f"at_{axis}": np.full(len(self.run), at) for axis, at in zip("xyz", part.at, strict=True)}
            force, point = tuple(columns)[:3], tuple(columns)[3:]
            record = my.Trajectory(self.run.time, columns)
            forces.append(my.ExternalForce(name, part.body, record, force, point, point_frame=part.body))
        return my.ExternalForces(forces)

    def touching(self) -> dict[str, np.ndarray]:
        """Return when contacts touch: both points of a foot that is on the ground."""
        return {name: self.loaded[foot] for foot, names in FEET.items() for name in names}

    def moments(self, forces: my.ExternalForces) -> dict[str, np.ndarray]:
        """Return the moments of both legs by joint (N m)."""
        found = my.inverse_dynamics(self.model, self.run, forces)
        return {joint: np.array([found.values(f"{side}_{joint}.moment") for side in FEET]) for joint in JOINTS}


def ways(walk: Walk) -> dict[str, my.ExternalForces]:
    """Return the forces under both feet by each way."""
    touching = walk.touching()
    least = my.shared_reactions(walk.model, walk.run, walk.contacts, touching=touching)
    pushing = my.shared_reactions(walk.model, walk.run, walk.contacts, touching=touching, by="pushing")
    left = {name: point for name, point in walk.contacts.items() if name in FEET["left"]}
    plate = walk.known("right")
    rest = my.shared_reactions(walk.model, walk.run, left, measured=plate)
    measured = my.ExternalForces([*plate.values(), *rest.values()])
    return {"minimum norm": least, "pushing": pushing, "right plate measured": measured}


def main() -> None:
    """Print the errors of each way and draw the forces."""
    walk = Walk()
    true = walk.moments(walk.known("right", "left"))
    print("| shares | vertical (% weight) | fore-aft (% weight) | hip (N m) | knee (N m) | ankle (N m) |")
    print("|---|---|---|---|---|---|")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    for name, forces in ways(walk).items():
        applied = forces.at(walk.run.time)
        right = sum(applied[contact].force for contact in FEET["right"])
        errors = [
            100 * np.sqrt(np.mean((right[:, k] - walk.foot("right", axis))[walk.double] ** 2)) / walk.weight
            for k, axis in ((1, "y"), (0, "x"))
        ]
        errors += [np.abs(moment - true[joint]).max() for joint, moment in walk.moments(forces).items()]
        print(f"| {name} | " + " | ".join(f"{error:.1f}" for error in errors) + " |")
        for k in (0, 1):
            axes[k].plot(walk.run.time, right[:, 1 - k] / walk.weight, label=name)
    for k, axis in enumerate("yx"):
        axes[k].plot(walk.run.time, walk.foot("right", axis) / walk.weight, "k--", label="of the walk")
        axes[k].set(xlabel="time (s)", ylabel=f"right foot, {axis} (weights)")
    axes[1].legend(fontsize=8)
    share = 100 * walk.double.mean()
    print(
        f"\nDouble support: {share:.0f} % of the cycle. Errors of forces: RMS in double support; of moments: largest."
    )
    figure.savefig("shared_reactions.png", dpi=90)


if __name__ == "__main__":
    main()
