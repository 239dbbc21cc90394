"""The model that is written, as its parts see it: how they are found by others."""

from __future__ import annotations

from functools import cached_property
from xml.etree.ElementTree import Element

from myodyne.files.osim_writer.ellipsoids import Scapula, scapulae
from myodyne.files.osim_writer.markup import made
from myodyne.model import Model
from myodyne.model.bodies import GROUND, Placement
from myodyne.model.constraints import MotionConstraint
from myodyne.model.functions import Function
from myodyne.model.paths import MovingPoint


class Surroundings:
    """The paths of bodies and coordinates of a model in its file."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @cached_property
    def turning(self) -> frozenset[str]:
        """The coordinates that OpenSim takes for angles: all that turn an axis."""
        return frozenset(
            name
            for joint in self.model.joints.values()
            for axis in joint.axes
            if axis.motion == "rotation"
            for name in axis.function.coordinates
        )

    @cached_property
    def motions(self) -> dict[str, list[Function]]:
        """The functions of time that coordinates follow, by coordinate: properties of theirs in OpenSim."""
        found: dict[str, list[Function]] = {}
        for part in self.model.constraints.values():
            if isinstance(part, MotionConstraint):
                found.setdefault(part.coordinate, []).append(part.function)
        return found

    @cached_property
    def _held(self) -> dict[str, tuple[float, float]]:
        """The ranges that moving points are held to, by coordinate, where OpenSim has them for the coordinate's own."""
        found: dict[str, tuple[float, float]] = {}
        for part in (*self.model.muscles.values(), *self.model.forces.values()):
            for point in getattr(getattr(part, "path", None), "points", ()):
                if isinstance(point, MovingPoint) and point.range is not None:
                    coordinate = self.model.coordinates[point.coordinates[0]]
                    # What is read is widened to hold the default.
                    low, high = min(point.range[0], coordinate.default), max(point.range[1], coordinate.default)
                    if coordinate.range == (low, high):
                        found.setdefault(point.coordinates[0], point.range)
        return found

    def limits(self, name: str) -> tuple[float, float] | None:
        """Return the range of a coordinate as it is written, at whose ends OpenSim holds moving points."""
        return self._held.get(name, self.model.coordinates[name].range)

    @cached_property
    def scapulae(self) -> dict[str, Scapula]:
        """The shoulder blades, which are one joint in OpenSim, by the first of theirs here."""
        return scapulae(self.model)

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The bodies and joints of shoulder blades that do not show in OpenSim."""
        return frozenset(name for scapula in self.scapulae.values() for name in (scapula.between, scapula.wing))

    @cached_property
    def _owners(self) -> dict[str, str]:
        shown = {scapula.wing: joint for joint, scapula in self.scapulae.items()}
        return {name: shown.get(joint, joint) for joint, part in self.model.joints.items() for name in part.coordinates}

    def body(self, name: str) -> str:
        """Return the path of a body or of the ground."""
        return f"/{GROUND}" if name == GROUND else f"/bodyset/{name}"

    def coordinate(self, name: str) -> str:
        """Return the path of a coordinate."""
        return f"/jointset/{self._owners[name]}/{name}"

    def ends(
        self, sockets: tuple[str, str], places: tuple[Placement, Placement]
    ) -> tuple[dict[str, str], list[Element]]:
        """Return what the two sockets of a part are connected to, and the offset frames that it needs for that."""
        connected: dict[str, str] = {}
        frames: list[Element] = []
        for number, (socket, place) in enumerate(zip(sockets, places, strict=True), start=1):
            if not any(place.at) and not any(place.orientation):
                connected[f"socket_{socket}"] = self.body(place.body)
                continue
            name = f"{place.body}_offset"
            if places[0].body == places[1].body:
                name += f"_{number}"
            connected[f"socket_{socket}"] = name
            frames.append(
                made(
                    "PhysicalOffsetFrame",
                    name,
                    {"socket_parent": self.body(place.body), "translation": place.at, "orientation": place.orientation},
                )
            )
        return connected, [made("frames", inside=frames)] if frames else []
