"""Files of OpenSim that hold forces without a model (.xml): the reserve actuators of its tools."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from myodyne.errors import ModelError, unknown_name
from myodyne.files.osim.document import LARGEST_FILE, Element, Reading, read_document
from myodyne.files.osim.forces import actuators
from myodyne.files.osim.forces.muscles import applies
from myodyne.files.osim.forces.surroundings import Surroundings
from myodyne.files.osim.naming import last_part
from myodyne.files.series.table import read_bytes
from myodyne.model import GROUND, Marker, Model, Placement
from myodyne.model.forces import Force
from myodyne.model.units import angles

_READERS = {
    "CoordinateActuator": actuators.coordinate_actuator,
    "PointActuator": actuators.point_actuator,
    "TorqueActuator": actuators.torque_actuator,
    "PointToPointActuator": actuators.line_actuator,
}


def load_forces(path: str | os.PathLike[str], model: Model) -> dict[str, Force]:
    """Read the actuators of an OpenSim force set for a model; ``model.with_parts(forces=...)`` adds them.

    Coordinates and bodies must be those of the model. An actuator that bears a name of the model (OpenSim's reserves
    often have that of their coordinate) is called ``<name>_reserve``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import myodyne as my
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "reserves.xml")
    ...     _ = file.write_text('''<OpenSimDocument Version="40000"><ForceSet><objects>
    ...         <CoordinateActuator name="angle"><coordinate>angle</coordinate>
    ...         <optimal_force>10</optimal_force></CoordinateActuator></objects></ForceSet></OpenSimDocument>''')
    ...     load_forces(file, my.load_model("pendulum"))["angle_reserve"].gain
    10.0
    """
    document = read_document(read_bytes(Path(path), LARGEST_FILE), str(path))
    forces = next((element for element in document.root.walk() if element.tag == "ForceSet"), None)
    if forces is None:
        raise document.root.fault("holds no <ForceSet>")
    frames = cast(Any, _Bodies(model))
    around = Surroundings(Reading(document), forces, frames, cast(Any, None), frozenset(angles(model)))
    taken = {
        *model.bodies,
        *model.coordinates,
        *model.joints,
        *model.muscles,
        *model.forces,
        *model.markers,
        *model.surfaces,
        *model.constraints,
    }
    found: dict[str, Force] = {}
    for element in forces.objects():
        if element.tag == "ObjectGroup" or not applies(element):
            continue
        if element.tag not in _READERS:
            raise element.fault(f"is not read from a force set; {', '.join(f'<{tag}>' for tag in _READERS)} are")
        try:
            force = _READERS[element.tag](around, element)
        except ModelError as error:
            raise element.fault(str(error)) from None
        coordinate = getattr(force, "coordinate", None)
        if coordinate is not None and coordinate not in model.coordinates:
            raise element.fault(unknown_name("coordinate", coordinate, model.coordinates))
        name = f"{element.name}_reserve" if element.name in taken else element.name
        if not name or name in taken or name in found:
            raise element.fault(f"another part is called '{name}' already" if name else "has no name")
        found[name] = force
    return found


@dataclass(frozen=True)
class _Bodies:
    """The bodies of a model, as the frames that the file names."""

    model: Model

    def resolve(self, path: str, element: Element) -> Placement:
        name = last_part(path)
        if name != GROUND and name not in self.model.bodies:
            raise element.fault(unknown_name("body", name, self.model.bodies))
        return Placement(body=name)

    def point(self, path: str, at: tuple[float, float, float], element: Element) -> Marker:
        return Marker(body=self.resolve(path, element).body, at=at)
