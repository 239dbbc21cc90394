"""Andrews' squeezer: seven bodies in a plane, three loops, one degree of freedom."""

from __future__ import annotations

from myodyne.model.bodies import Body, Marker, Placement
from myodyne.model.constraints import PointConstraint
from myodyne.model.forces import BodyTorque, PointSpring
from myodyne.model.joints import pin
from myodyne.model.model import Model

_A, _B, _C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
_CRANK, _ROD, _PLATE, _LINK, _ARM = 0.007, 0.028, 0.035, 0.02, 0.04

# Consistent angles at the start (rad), to the digits of the published problem.
_START = {
    "beta": -0.06171389001427645,
    "Theta": 0.0,
    "gamma": 0.45527981916307037,
    "Phi": 0.22266839016588588,
    "delta": 0.48736497954384256,
    "Omega": -0.22266839016588588,
    "epsilon": 1.2305474445498212,
}


def andrews_squeezer() -> Model:
    """Return the mechanism with its loops kept as constraints: all rods meet in the point E.

    Driven by a constant torque of 0.033 N m on the crank against a spring; no gravity.

    Examples
    --------
    >>> list(andrews_squeezer().coordinates)
    ['beta', 'Theta', 'gamma', 'delta', 'Phi', 'epsilon', 'Omega']
    """
    bodies = {
        "K1": Body(mass=0.04325, centre_of_mass=(0.00092, 0.0, 0.0), inertia=2.194e-6),
        "K2": Body(mass=0.00365, centre_of_mass=(-0.0115, 0.0, 0.0), inertia=4.41e-7),
        "K3": Body(mass=0.02373, centre_of_mass=(0.01043, -0.01874, 0.0), inertia=5.255e-6),
        "K4": Body(mass=0.00706, centre_of_mass=(0.0, -(_LINK - 0.01421), 0.0), inertia=5.667e-7),
        "K5": Body(mass=0.0705, centre_of_mass=(0.02308, 0.00916, 0.0), inertia=1.169e-5),
        "K6": Body(mass=0.00706, centre_of_mass=(_LINK - 0.01421, 0.0, 0.0), inertia=5.667e-7),
        "K7": Body(mass=0.05498, centre_of_mass=(0.00449, -0.01228, 0.0), inertia=1.912e-5),
    }

    def turning(name: str, parent: str, at: tuple[float, float, float], child: str) -> tuple[str, object]:
        return f"{name}_pin", pin(Placement(body=parent, at=at), child, name, axis="z", default=_START[name])

    joints = dict(
        [
            turning("beta", "ground", (0.0, 0.0, 0.0), "K1"),
            turning("Theta", "K1", (_CRANK, 0.0, 0.0), "K2"),
            turning("gamma", "ground", _B, "K3"),
            turning("delta", "ground", _A, "K5"),
            turning("Phi", "K5", (_ARM, 0.0, 0.0), "K4"),
            turning("epsilon", "ground", _A, "K7"),
            turning("Omega", "K7", (0.0, -_ARM, 0.0), "K6"),
        ]
    )
    meeting = Marker(body="K2", at=(-_ROD, 0.0, 0.0))
    return Model(
        name="andrews_squeezer",
        source=(
            "Andrews' squeezer mechanism: Schiehlen 1990, Multibody Systems Handbook; Hairer and Wanner, Solving "
            "Ordinary Differential Equations II, section VII.7. Angles and parameters as there"
        ),
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        joints=joints,
        markers={"E": meeting},
        forces={
            "drive": BodyTorque(body="K1", torque=(0.0, 0.0, 0.033)),
            "spring": PointSpring(
                start=Marker(body="ground", at=_C),
                end=Marker(body="K3", at=(0.02, -0.018, 0.0)),
                stiffness=4530.0,
                rest_length=0.07785,
            ),
        },
        constraints={
            "loop_3": PointConstraint(first=meeting, second=Marker(body="K3", at=(0.0, -_PLATE, 0.0)), axes="xy"),
            "loop_4": PointConstraint(first=meeting, second=Marker(body="K4", at=(0.0, -_LINK, 0.0)), axes="xy"),
            "loop_6": PointConstraint(first=meeting, second=Marker(body="K6", at=(_LINK, 0.0, 0.0)), axes="xy"),
        },
    )
