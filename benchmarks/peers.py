"""One chain of bodies in three programs: the mechanics that speed is compared on.

``n`` equal links hang one below the other; the pins turn about z and x in turn. All three forms have the same
coordinates in the same order.
"""

from __future__ import annotations

from typing import Any

from myodyne.model import Body, Inertia, Model, Placement, pin

LENGTH = 0.3  # m
MASS = 1.5  # kg
MOMENTS = (0.012, 0.002, 0.011)  # kg m², about the centre of mass; the links are long in y
GRAVITY = (0.0, -9.81, 0.0)
AXES = ("z", "x")
CENTRE = (0.02, -0.5 * LENGTH, 0.01)


def chain_model(n: int = 11) -> Model:
    """Return the chain as a model of myodyne."""
    xx, yy, zz = MOMENTS
    link = Body(mass=MASS, centre_of_mass=CENTRE, inertia=Inertia(xx=xx, yy=yy, zz=zz))
    joints = {}
    for number in range(n):
        parent = Placement(body=f"link{number - 1}", at=(0.0, -LENGTH, 0.0)) if number else "ground"
        joints[f"pin{number}"] = pin(parent, f"link{number}", f"angle{number}", axis=AXES[number % len(AXES)])
    return Model(name=f"chain of {n}", gravity=GRAVITY, bodies={f"link{i}": link for i in range(n)}, joints=joints)


def pinocchio_chain(n: int = 11) -> Any:
    """Return the chain as a ``pinocchio.Model``."""
    import numpy as np
    import pinocchio

    kinds = {"x": pinocchio.JointModelRX, "y": pinocchio.JointModelRY, "z": pinocchio.JointModelRZ}
    model = pinocchio.Model()
    model.gravity.linear = np.array(GRAVITY)
    inertia = pinocchio.Inertia(MASS, np.array(CENTRE), np.diag(MOMENTS))
    joint = 0
    for number in range(n):
        place = pinocchio.SE3(np.eye(3), np.array([0.0, -LENGTH if number else 0.0, 0.0]))
        joint = model.addJoint(joint, kinds[AXES[number % len(AXES)]](), place, f"angle{number}")
        model.appendBodyToJoint(joint, inertia, pinocchio.SE3.Identity())
    return model


def mujoco_chain(n: int = 11) -> str:
    """Return the chain as MuJoCo's XML, for ``mujoco.MjModel.from_xml_string``."""
    directions = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
    opening = ""
    for number in range(n):
        opening += (
            f'<body name="link{number}" pos="0 {-LENGTH if number else 0.0} 0">'
            f'<joint name="angle{number}" type="hinge" axis="{directions[AXES[number % len(AXES)]]}"/>'
            f'<inertial pos="{_text(CENTRE)}" mass="{MASS}" diaginertia="{_text(MOMENTS)}"/>'
        )
    return (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option gravity="{_text(GRAVITY)}"><flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{opening}{'</body>' * n}</worldbody></mujoco>"
    )


def _text(numbers: tuple[float, ...]) -> str:
    return " ".join(map(repr, numbers))
