"""What if a muscle were 10 % stronger? Run it with

    python examples/what_if_stronger.py

A question of Casius, Bobbert and van Soest (2004): how does the height of a squat jump change, and how should the
excitations adapt? The jumper leaps from a crouch when its six muscles are switched on one after the other. Each muscle
in turn becomes 10 % stronger while the onsets stay the same: with a stronger soleus the jump is lower, because the
heels leave the ground too early. Then the onsets are tuned to the stronger soleus, and the jump becomes higher. The
script prints heights and writes ``what_if_stronger.png`` into the current folder.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

import myodyne as my

# When the muscles are switched on (s): the best onsets of the original jumper, found with `tuned`.
ONSETS = {
    "soleus": 0.0158,
    "gastrocnemius": 0.02,
    "vasti": 0.0,
    "rectus_femoris": 0.0652,
    "glutei": 0.0038,
    "hamstrings": 0.0,
}
GRAVITY = 9.81


def jump(jumper: my.Model, onsets: dict[str, float]) -> my.Result:
    """Return a jump until the toes leave the ground."""
    rest = {name: muscle.default_activation for name, muscle in my.load_model("jumper").muscles.items()}
    return my.simulate(
        jumper,
        1.0,
        controls={name: my.step(at=onset, before=rest[name]) for name, onset in onsets.items()},
        scheme=my.DOP853(relative=1e-7, absolute=1e-7),
        until=my.falls_through_zero("stance.force_y"),
        every=0.002,
    )


def height(run: my.Result) -> float:
    """Return the peak height of the centre of mass (m)."""
    return float(run.final["com.position_y"] + run.final["com.velocity_y"] ** 2 / (2 * GRAVITY))


def tuned(jumper: my.Model, onsets: dict[str, float], tries: int) -> dict[str, float]:
    """Return onsets with which the jumper jumps higher, after a number of tries."""
    first = np.array(list(onsets.values()))

    def loss(times: np.ndarray) -> float:
        return -height(jump(jumper, dict(zip(onsets, np.maximum(times, 0.0).tolist(), strict=True))))

    simplex = np.vstack([first, first + 0.01 * np.eye(len(first))])
    found = minimize(loss, first, method="Nelder-Mead", options={"maxfev": tries, "initial_simplex": simplex})
    return dict(zip(onsets, np.maximum(found.x, 0.0).tolist(), strict=True))


def main() -> None:
    """Strengthen each muscle in turn; then adapt the onsets."""
    jumper = my.load_model("jumper")
    # Free parameters can be changed without compiling again.
    jumper = jumper.free(*(f"{name}.max_force" for name in jumper.muscles))
    before = jump(jumper, ONSETS)
    print(f"The jumper flies {height(before):.4f} m high.\n\n10 % stronger        higher by (mm)")
    for name in jumper.muscles:
        stronger = jumper.with_values({f"{name}.max_force": 1.1 * jumper.value(f"{name}.max_force")})
        print(f"{name:<18}{1000 * (height(jump(stronger, ONSETS)) - height(before)):+14.1f}")

    stronger = jumper.with_values({"soleus.max_force": 1.1 * jumper.value("soleus.max_force")})
    same = jump(stronger, ONSETS)
    adapted = jump(stronger, tuned(stronger, ONSETS, tries=80))
    print(f"\nWith onsets that suit the stronger soleus: {1000 * (height(adapted) - height(before)):+.1f} mm")
    my.plot(
        {"as it is": before, "soleus 10 % stronger": same, "onsets adapted": adapted},
        ["toe", "soleus.force", "com.velocity_y"],
        title="A squat jump with a stronger soleus",
        path="what_if_stronger.png",
    )


if __name__ == "__main__":
    main()
