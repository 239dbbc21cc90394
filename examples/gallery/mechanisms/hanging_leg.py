"""A leg of two bodies.

Thigh and shank of a person of 75 kg, hinged at hip and knee, swing from a raised pose; nothing damps them.
"""

import myodyne as my

leg = my.Model(
    name="leg",
    source="Winter 2009, table 4.1, for 75 kg and 1.75 m, rounded",
    bodies={
        "thigh": my.Body(mass=7.5, centre_of_mass=(0.0, -0.186, 0.0), inertia=0.144),
        "shank": my.Body(mass=3.5, centre_of_mass=(0.0, -0.186, 0.0), inertia=0.059),
    },
    joints={
        "hip": my.pin("ground", "thigh", "hip"),
        "knee": my.pin({"body": "thigh", "at": (0.0, -0.429, 0.0)}, "shank", "knee"),
    },
    markers={"ankle": my.Marker(body="shank", at=(0.0, -0.43, 0.0))},
)
run = my.simulate(leg, 0.5, start={"hip": 1.2, "knee": -0.6})
my.animate(run, "hanging_leg.png", poses=7)
print(f"{leg.mass:g} kg; energy error {run.report.energy_error:.0e} after {run.time[-1]:g} s")
