"""Small problems that several tests solve."""

import myodyne as my


def block(**forces: object) -> my.Model:
    """Return a mass of 2 kg on a rail that a motor of 50 N pushes."""
    push = my.CoordinateActuator(coordinate="way", gain=50.0, control_range=(-1.0, 1.0))
    return my.Model(
        name="block",
        bodies={"block": my.Body(mass=2.0)},
        joints={"rail": my.slider("ground", "block", "way", axis="x")},
        forces={"push": push, **forces},
    )


def bead() -> my.Model:
    """Return a mass of 1 kg in a plane with gravity, pushed along both axes."""
    return my.Model(
        name="bead",
        bodies={"carriage": my.Body(mass=0.0), "bead": my.Body(mass=1.0)},
        gravity=(0.0, -9.81, 0.0),
        joints={
            "along": my.slider("ground", "carriage", "x", axis="x"),
            "up": my.slider("carriage", "bead", "y", axis="y"),
        },
        forces={
            "push_x": my.CoordinateActuator(coordinate="x", gain=1.0, control_range=(-50.0, 50.0)),
            "push_y": my.CoordinateActuator(coordinate="y", gain=1.0, control_range=(-50.0, 50.0)),
        },
    )
