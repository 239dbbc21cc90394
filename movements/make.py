"""Makes the movements of this folder again.

    python movements/make.py            # all
    python movements/make.py jump walk  # some

Each is computed by myodyne from its own models and problems.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from gait import run, walk
from hop import hop
from reach import reach
from stand_up import stand_up

import myodyne as my

HERE = Path(__file__).resolve().parent


def jump() -> my.Movement:
    """Return the highest jump of `jumper` from its crouch, up to take-off."""
    best = my.solve(my.load_problem("jump_height"))
    assert best.report.optimum is not None
    return my.Movement.from_result(
        best,
        name="jump",
        summary="The jumper pushes off from a crouch to fly as high as it can, until its toes leave the ground.",
        source="optimum of my.load_problem('jump_height')",
    )


def cycle() -> my.Movement:
    """Return two revolutions of sprint cycling with one leg."""
    sys.path.insert(0, str(HERE.parent / "examples"))
    from sprint_cycling import REVOLUTION, one_leg

    pedalling = one_leg()
    shortened = {
        name: my.recorded(
            my.Trajectory(
                (time := np.array(signal.times))[time <= 2 * REVOLUTION + 1e-9],
                {name: np.array(signal.values)[time <= 2 * REVOLUTION + 1e-9]},
            ),
            name,
            smooth=True,
        )
        for name, signal in pedalling.controls.items()
    }
    ride = my.simulate(
        pedalling.model, 2 * REVOLUTION, start=pedalling.start, controls=shortened, every=REVOLUTION / 100
    )
    return my.Movement.from_result(
        ride,
        name="cycle",
        summary="Two revolutions of sprint cycling by one leg at 120 revolutions a minute and about 500 W.",
        source="moments of examples/sprint_cycling.py for cyclist_one_leg, after Casius et al. 2004",
    )


def followed(movement: my.Movement) -> my.Movement:
    """Return a movement that says up to when its run follows what it comes from."""
    target = movement.follows
    if target is None:
        return movement
    run = movement.run()
    times = run.time - run.time[0]
    far = np.zeros(len(times), dtype=bool)
    for name in target.names:
        wanted = np.interp(times, target.time - target.time[0], target.values(name))
        far |= np.abs(run.values(name) - wanted) > 0.01 * max(float(np.ptp(target.values(name))), 0.05)
    until = float(times[np.argmax(far) - 1]) if far.any() else float(times[-1])
    return replace(movement, follows_until=until)


def rounded(movement: my.Movement) -> my.Movement:
    """Return a movement whose target has as many digits as a comparison needs."""
    target = movement.follows
    if target is None:
        return movement
    columns = {name: np.round(target.values(name), 6) for name in target.names}
    return replace(movement, follows=my.Trajectory(target.time, columns, target.units))


MAKERS: dict[str, Callable[[], my.Movement]] = {
    "jump": jump,
    "walk": walk,
    "run": run,
    "hop": hop,
    "cycle": cycle,
    "reach": reach,
    "stand_up": stand_up,
}


def main(names: list[str]) -> None:
    """Write the files of some movements, all if none is named."""
    for name in names or list(MAKERS):
        movement = rounded(followed(MAKERS[name]()))
        my.save_movement(movement, HERE / f"{name}.json")
        size = (HERE / f"{name}.json").stat().st_size
        print(f"{name}: {movement.duration:.3g} s, follows until {movement.follows_until}, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
