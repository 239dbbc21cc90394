"""Set-up files of OpenSim's inverse kinematics (.xml): how much each marker and coordinate counts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from myodyne.files.osim.document import LARGEST_FILE, Element, read_document
from myodyne.files.series.table import read_bytes
from myodyne.files.setups.section import Section

_NOTHING = ("", "Unassigned")
_KINDS = ("IKMarkerTask", "IKCoordinateTask")
_SOURCES = ("default_value", "manual_value", "from_file")


@dataclass(frozen=True)
class IkSetup:
    """Weights of markers and coordinates, and the files that a set-up of inverse kinematics names.

    ``weights`` and ``coordinate_weights`` hold the tasks that are switched on; ``targets`` the values (rad, m) towards
    which coordinates are drawn where the file states them, ``from_file`` the names of those whose values are in
    ``coordinate_file``. All others are drawn to their defaults. ``time_range`` is in seconds.

    Examples
    --------
    >>> IkSetup({"heel": 2.0}).weights
    {'heel': 2.0}
    """

    weights: dict[str, float]
    coordinate_weights: dict[str, float] = field(default_factory=dict)
    targets: dict[str, float] = field(default_factory=dict)
    from_file: tuple[str, ...] = ()
    marker_file: str | None = None
    coordinate_file: str | None = None
    time_range: tuple[float, float] | None = None


def load_ik_setup(path: str | os.PathLike[str]) -> IkSetup:
    """Read the tasks of a set-up file of OpenSim's inverse kinematics, or of a file that holds its task set alone.

    A task set in a file of its own (``<IKTaskSet file="..."/>``) is read from
    there. Tasks that are switched off, or have a weight of zero, are left out.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "setup.xml")
    ...     _ = file.write_text('''<OpenSimDocument Version="40000"><InverseKinematicsTool><IKTaskSet><objects>
    ...         <IKMarkerTask name="heel"><apply>true</apply><weight>2</weight></IKMarkerTask>
    ...         <IKMarkerTask name="toe"><apply>false</apply><weight>1</weight></IKMarkerTask>
    ...     </objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>''')
    ...     load_ik_setup(file).weights
    {'heel': 2.0}
    """
    document = read_document(read_bytes(Path(path), LARGEST_FILE), str(path))
    tasks = next((element for element in document.root.walk() if element.tag == "IKTaskSet"), None)
    if tasks is None:
        raise document.root.fault("holds no <IKTaskSet>: this is not a set-up of inverse kinematics")
    # What holds the tasks is the tool, however its tag is spelt; a file of tasks alone has none.
    tool = tasks.parent if tasks.parent is not document.root else None
    read = read_tasks(Section("", tasks.parent or tasks, Path(path), []))
    return IkSetup(
        read.weights,
        read.coordinate_weights,
        read.targets,
        read.from_file,
        _named(tool, "marker_file"),
        _named(tool, "coordinate_file"),
        _range(tool),
    )


def read_tasks(holder: Section) -> IkSetup:
    """Return the tasks in the ``<IKTaskSet>`` of a section, which may be in a file of their own."""
    weights: dict[str, float] = {}
    coordinate_weights: dict[str, float] = {}
    targets: dict[str, float] = {}
    from_file: list[str] = []
    for task in (section.element for section in holder.objects("IKTaskSet")):
        weight = _weight(task)
        if not weight:
            continue
        table = weights if task.tag == "IKMarkerTask" else coordinate_weights
        if task.name in table:
            raise task.fault("appears twice")
        table[task.name] = weight
        if task.tag == "IKCoordinateTask":
            source = task.text("value_type", "default_value")
            if source not in _SOURCES:
                raise task.fault(f"<value_type> is one of {', '.join(_SOURCES)}, not {source!r:.60}")
            if source == "manual_value":
                targets[task.name] = task.number("value", 0.0)
            elif source == "from_file":
                from_file.append(task.name)
    return IkSetup(weights, coordinate_weights, targets, tuple(from_file))


def _weight(task: Element) -> float:
    """Return the weight of a task, zero where it is switched off."""
    if task.tag == "ObjectGroup":
        return 0.0
    if task.tag not in _KINDS:
        raise task.fault(f"is not a task of inverse kinematics; tasks: {' and '.join(f'<{kind}>' for kind in _KINDS)}")
    if not task.name:
        raise task.fault("has no name")
    if not task.flag("apply", default=True):
        return 0.0
    weight = task.number("weight", 1.0)
    if weight < 0.0:
        raise task.fault(f"<weight> must not be less than 0, as {weight:g} is")
    return weight


def _named(tool: Element | None, tag: str) -> str | None:
    text = "" if tool is None else tool.text(tag, "")
    return None if text in _NOTHING else text


def _range(tool: Element | None) -> tuple[float, float] | None:
    if tool is None or not tool.has("time_range"):
        return None
    first, last = tool.numbers("time_range", 2, infinite=True)
    return first, last
