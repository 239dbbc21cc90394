"""A first simulation: build a leg from two bodies, let it swing, read and plot the result. Run it with

    python examples/first_simulation.py

It writes ``leg.nc`` (all numbers), ``leg.png`` (curves) and ``leg.html`` (an animation for the browser) into the
current folder.
"""

from __future__ import annotations

import myodyne as my


def leg() -> my.Model:
    """Return thigh and shank of a person of 75 kg and 1.75 m (Winter 2009, table 4.1, rounded), hung from the hip."""
    return my.Model(
        name="leg",
        source="Winter 2009, table 4.1, for 75 kg and 1.75 m, rounded",
        bodies={
            "thigh": my.Body(mass=7.5, centre_of_mass=(0.0, -0.186, 0.0), inertia=0.144),
            "shank": my.Body(mass=3.5, centre_of_mass=(0.0, -0.186, 0.0), inertia=0.059),
        },
        joints={
            "hip": my.pin("ground", "thigh", "hip"),
            "knee": my.pin({"body": "thigh", "at": (0.0, -0.429, 0.0)}, "shank", "knee", range=(-2.4, 0.0)),
        },
        markers={"ankle": my.Marker(body="shank", at=(0.0, -0.43, 0.0))},
        # A range is only information; a force keeps the knee from hyperextending.
        forces={"knee_stop": my.JointLimit(coordinate="knee", lower=-2.4, upper=0.0, stiffness=500.0, damping=5.0)},
    )


def main() -> None:
    """Simulate, read the result, and plot it."""
    start = {"hip": my.degrees(60), "knee": my.degrees(-80)}
    run = my.simulate(leg(), duration=1.5, start=start)
    print(run.report)
    ankle = run.values("ankle.position_x")
    print(f"\nThe ankle swings from {ankle.max():.3f} m in front of the hip to {-ankle.min():.3f} m behind it.")
    print(f"The knee is stopped with {-run.values('knee_stop.torque').min():.0f} N m at most.")

    # The same leg with a boot of 1.5 kg: models are never changed, only copied.
    boot = my.Body(mass=1.5, centre_of_mass=(0.05, 0.0, 0.0), inertia=0.005)
    booted = leg().with_parts(
        bodies={"boot": boot}, joints={"laces": my.weld({"body": "shank", "at": (0.0, -0.43, 0.0)}, "boot")}
    )
    heavy = my.simulate(booted, duration=1.5, start=start)

    my.save(run, "leg.nc")
    my.plot({"barefoot": run, "with a boot": heavy}, ["hip", "knee"], degrees=True, path="leg.png")
    my.animate(run, "leg.html")


if __name__ == "__main__":
    main()
