"""Standing on a chain of three segments.

Shanks, thighs and trunk are a chain of `my.newton_euler`; the chain becomes a model that stands upright, but not by
itself. `my.linearise` shows how fast it falls. Feedback of angles and speeds, the cheapest for the linear system, holds
it after a push. The chain's equations then give the force under the feet and where it acts. Segments are ours.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import myodyne as my

ne = my.newton_euler
ANKLE = 0.08  # height of the ankle above the ground (m); the feet have no mass
person = ne.Chain(
    [
        ne.Segment("shanks", length=0.43, centre=0.24, mass=7.0, inertia=0.12),
        ne.Segment("thighs", length=0.43, centre=0.24, mass=15.0, inertia=0.27),
        ne.Segment("trunk", length=0.80, centre=0.32, mass=51.0, inertia=3.6),
    ],
    joints=["ankle", "knee", "hip", "head"],
)
up = np.pi / 2
model = ne.to_model(person, ne.Motion([up, up, up], base=(0.0, ANKLE)))
linear = my.linearise(model)
print("eigenvalues of the fall (1/s):", np.round(np.sort(linear.eigenvalues.real)[::-1][:3], 2))
# Unit weights for angles (rad) and speeds (rad/s); 100 N m count as much as 1 rad, at the knee as 1/3.
price = np.diag([1.0, 9.0, 1.0]) / 100.0**2
gains = np.linalg.solve(price, linear.B.T @ solve_continuous_are(linear.A, linear.B, np.eye(6), price))
rest = {name: up if name == "ankle_angle" else 0.0 for name in linear.states}


def law(at):
    """Return the moments that answer the deviations from upright."""
    return {
        control: -sum(gain * (at[name] - rest[name]) for gain, name in zip(row, linear.states, strict=True))
        for control, row in zip(linear.controls, gains, strict=True)
    }


held = my.linearise(model, feedback=my.Feedback(law)).eigenvalues
print(f"slowest eigenvalue with feedback: {held.real.max():.2f} 1/s")
figure, (lean, under) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for push in (0.1, 0.2, 0.3):  # speed of the ankle after the push (rad/s, forwards)
    run = my.simulate(model, 3.0, start={"ankle_angle.speed": -push}, feedback=my.Feedback(law), every=0.01)
    turns = [
        np.cumsum([run.values(f"{joint}_angle{what}") for joint in person.joints[:3]], axis=0).T
        for what in ("", ".speed", ".acceleration")
    ]
    motion = ne.Motion(turns[0], turns[1], base=(0.0, ANKLE))
    known = ne.weight(person) | {f"{name}.angular_acceleration": turns[2][:, k] for k, name in enumerate(person.names)}
    feet = ne.solve(person, motion, known, ne.inverse_unknowns(person))
    along, upward = feet["ankle.reaction_force_x"], feet["ankle.reaction_force_y"]
    centre = (feet["ankle.moment"] - ANKLE * along) / upward
    apart = np.abs(feet["ankle.moment"] - run.values("ankle_moment.control")).max()
    print(
        f"push of {push} rad/s: centre of pressure {centre.min():+.3f} to {centre.max():+.3f} m, "
        f"moments both ways within {apart:.0e} N m"
    )
    lean.plot(run.time, run.values("com.position_x"), label=f"{push} rad/s")
    under.plot(run.time, centre)
lean.set(xlabel="time (s)", ylabel="centre of mass, x (m)")
under.set(xlabel="time (s)", ylabel="centre of pressure, x (m)")
under.axhline(0.2, color="black", linewidth=0.8)
lean.legend()
figure.savefig("balance.png", dpi=90)
