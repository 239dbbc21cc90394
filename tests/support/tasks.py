"""Small problems with a speed and weights, for tests of tasks."""

import myodyne as my


def carried():
    """A block that a motor carries along a rail at a mean speed."""
    model = my.Model(
        name="carried",
        bodies={"block": my.Body(mass=2.0)},
        joints={"rail": my.slider("ground", "block", "way", axis="x")},
        forces={"push": my.CoordinateActuator(coordinate="way", gain=50.0, control_range=(-1.0, 1.0))},
    )
    return my.Problem(
        model,
        name="carried",
        duration=1.0,
        goals=[my.Effort(of="controls"), my.Squared(of="way.speed", scale=2.0, label="smooth", weight=0.5)],
        conditions=[my.Start({"way": 0.0, "way.speed": 0.0}), my.End({"way.speed": 0.0}), my.AverageSpeed(1.0)],
        nodes=11,
    )
