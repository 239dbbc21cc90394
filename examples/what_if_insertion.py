"""What if a muscle were attached elsewhere, or the saddle were higher? Run it with

    python examples/what_if_insertion.py

Two questions of Casius, Bobbert and van Soest (2004), for a cyclist with muscles. One leg turns the crank at 120
revolutions a minute; each muscle is switched on and off once per revolution. The soleus runs straight from the shank to
the heel. The script moves its insertion by a centimetre, back or forth, and the saddle by two, up or down. Each change
is one call and needs no compilation, because these values are free parameters. The timing of the muscles stays the
same, so the answers hold for this cyclist, not for the best possible one. The script prints the power and writes
``what_if_insertion.png`` into the current folder.
"""

from __future__ import annotations

import numpy as np

import myodyne as my

# One revolution (s), and when muscles are on in it: fractions of a revolution after the crank was upright. Found by
# `sprint_timing.py`, 1500 evaluations: 713 W, where 640 W were before.
REVOLUTION = 0.5
ON = {
    "soleus": (0.799, 1.232),
    "gastrocnemius": (-0.153, 0.492),
    "vasti": (0.948, 1.083),
    "rectus_femoris": (0.807, 0.998),
    "glutei": (1.037, 1.215),
    "hamstrings": (0.058, 0.244),
}
INSERTION, SADDLE = "soleus.path.points.1.at.x", "saddle.second.at.y"


def cyclist() -> my.Model:
    """Return the built-in cyclist with a soleus from the shank to the heel (m, in the axes of both).

    The points are chosen so that its moment arm is within 3 mm of that of the built-in one. Its tendon is longer by as
    much as the muscle is.
    """
    model = my.load_model("cyclist_one_leg_muscles")
    path = my.PointPath(points=(("shank", (-0.02, 0.3, 0.0)), ("foot", (-0.181, 0.052, 0.0))))
    soleus = model.muscles["soleus"]
    longer = soleus.model_copy(update={"path": path, "tendon_slack_length": soleus.tendon_slack_length + 0.0288})
    return model.with_parts(muscles={"soleus": longer}).free(INSERTION, SADDLE)


def excitation(on: float, off: float, revolution: float = REVOLUTION) -> my.Signal:
    """Return a signal that is 1 in part of each of three revolutions, and rises and falls within 2 ms."""
    times, values = [], []
    for turn in range(-2, 4):
        start, end = (turn + on) * revolution, (turn + off) * revolution
        times += [start - 0.001, start + 0.001, end - 0.001, end + 0.001]
        values += [0.0, 1.0, 1.0, 0.0]
    return my.piecewise_linear(times, values)


def ride(model: my.Model) -> my.Result:
    """Return three revolutions; by the last the motion repeats itself."""
    return my.simulate(
        model,
        3 * REVOLUTION,
        controls={name: excitation(*on) for name, on in ON.items()},
        scheme=my.DOP853(relative=1e-7, absolute=1e-7),
        every=0.0025,
    )


def mean_power(run: my.Result, name: str) -> float:
    """Return the mean (W) of a power over the last of three revolutions."""
    revolution = run.time[-1] / 3
    last = run.time >= 2 * revolution - 1e-9
    return float(np.trapezoid(run.values(name)[last], run.time[last]) / revolution)


def main() -> None:
    """Compare the variants."""
    as_is = cyclist()
    heel, saddle = as_is.value(INSERTION), as_is.value(SADDLE)
    models = {
        "as it is": as_is,
        "insertion 1 cm back": as_is.with_values({INSERTION: heel - 0.01}),
        "insertion 1 cm forth": as_is.with_values({INSERTION: heel + 0.01}),
        "saddle 2 cm up": as_is.with_values({SADDLE: saddle + 0.02}),
        "saddle 2 cm down": as_is.with_values({SADDLE: saddle - 0.02}),
    }
    runs = {what: ride(model) for what, model in models.items()}
    print(f"{'':<22}{'both legs W':>12}{'soleus W':>10}{'its force N':>13}")
    for what, run in runs.items():
        # The drive keeps the crank speed constant: it absorbs the power of the leg.
        power, soleus = -2 * mean_power(run, "drive.power"), mean_power(run, "soleus.power")
        print(f"{what:<22}{power:12.0f}{soleus:10.1f}{run.values('soleus.force').max():13.0f}")
    shown = {what: runs[what] for what in ("as it is", "insertion 1 cm back", "insertion 1 cm forth")}
    my.plot(
        shown,
        ["ankle", "soleus.force", "soleus.power", "drive.power"],
        title="A soleus that is attached elsewhere",
        path="what_if_insertion.png",
    )


if __name__ == "__main__":
    main()
