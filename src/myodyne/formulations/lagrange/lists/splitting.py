"""A joint split into two points, to find the force in it (Winter 2009, section 8.5)."""

from __future__ import annotations

from dataclasses import replace

from myodyne.errors import ModelError, unknown_name
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.records import GROUND, Coincidence, Coordinate, Point


def split_joint(description: Description, frame: str) -> Description:
    """Return a description in which a frame is cut from its origin and held there by a constraint.

    The origin of the frame gets its own coordinates, ``<frame>_x`` and so on, and a `Coincidence` named after the
    frame keeps it at the joint. Its multipliers ``<frame>_x`` ... are the components, in the ground, of the force that
    the joint exerts on the frame and everything distal to it.

    Examples
    --------
    >>> from myodyne.formulations.lagrange import Frame, Point, Segment
    >>> pendulum = Description(
    ...     name="pendulum", coordinates=["q"], parameters=["l", "m"],
    ...     points={"pivot": Point("ground", (0, 0)), "bob": Point("arm", ("l", 0))},
    ...     frames={"arm": Frame("pivot", ["q"])}, segments={"bob": Segment("bob", "m")},
    ... )
    >>> list(split_joint(pendulum, "arm").coordinates)
    ['q', 'arm_x', 'arm_y']
    """
    if frame not in description.frames:
        raise ModelError(unknown_name("frame", frame, description.frames))
    if frame in description.constraints:
        raise ModelError(f"a constraint '{frame}' exists already: the joint is split, or the name is taken")
    names = [f"{frame}_{axis}" for axis in "xyz"[: description.dimension]]
    origin = f"{frame}_origin"
    taken = [*description.coordinate_table, *description.values, *description.inputs, *description.points]
    for name in [*names, origin]:
        if name in taken:
            raise ModelError(f"the split joint of '{frame}' needs the name '{name}', which is taken")
    record = description.frames[frame]
    return description.with_parts(
        coordinates={name: Coordinate() for name in names},
        points={origin: Point(GROUND, tuple(names))},
        frames={frame: replace(record, origin=origin)},
        constraints={frame: Coincidence(origin, record.origin)},
    )
