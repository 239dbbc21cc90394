"""External loads of OpenSim (.xml): which columns of a record are forces on which bodies."""

from __future__ import annotations

import os
from pathlib import Path

from myodyne.data import DataError, ExternalForce, ExternalForces, Trajectory
from myodyne.data.external_forces import Columns
from myodyne.errors import listed
from myodyne.files.osim.document import LARGEST_FILE, Element, read_document
from myodyne.files.places import place_of
from myodyne.files.series.table import read_bytes
from myodyne.files.series.timeseries import load

_NOTHING = ("", "Unassigned")


def load_external_forces(
    path: str | os.PathLike[str], data: Trajectory | str | os.PathLike[str] | None = None
) -> ExternalForces:
    """Read the forces that an OpenSim file of external loads describes, with the record that it names.

    Parameters
    ----------
    path
        The ``.xml`` file with ``<ExternalLoads>``.
    data
        The record of the forces, or its file; None takes the ``<datafile>`` of the XML, relative to it, or of that
        name beside it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> record = Trajectory([0.0, 1.0], {f"right_v{axis}": [0.0, 700.0] for axis in "xyz"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "step.xml")
    ...     _ = file.write_text('''<OpenSimDocument Version="40000"><ExternalLoads><objects>
    ...         <ExternalForce name="right"><applied_to_body>calcn_r</applied_to_body>
    ...         <force_identifier>right_v</force_identifier></ExternalForce>
    ...     </objects></ExternalLoads></OpenSimDocument>''')
    ...     load_external_forces(file, record)
    <ExternalForces: right on calcn_r>
    """
    place = Path(path)
    document = read_document(read_bytes(place, LARGEST_FILE), str(path))
    loads = document.root if document.root.tag == "ExternalLoads" else document.root.child("ExternalLoads")
    if loads is None:
        raise document.root.fault("holds no <ExternalLoads>")
    notes: list[str] = []
    wanted = [element for element in loads.objects() if not _is_skipped(element, notes)]
    if not wanted and not notes:
        raise loads.fault("holds no <ExternalForce>")
    forces: list[ExternalForce] = []
    if wanted:
        record = _record(place, loads, data, notes)
        for element in wanted:
            forces.append(_force(element, record, f"external_{len(forces) + 1}"))
    if loads.text("external_loads_model_kinematics_file", "") not in _NOTHING:
        notes.append("the kinematics of <external_loads_model_kinematics_file> are not used: points are taken as given")
    try:
        return ExternalForces(forces, notes)
    except DataError as error:
        raise loads.fault(str(error)) from None


def _is_skipped(element: Element, notes: list[str]) -> bool:
    if element.tag == "ObjectGroup":
        return True
    if element.tag != "ExternalForce":
        raise element.fault("is not a recorded force; among external loads only <ExternalForce> is read")
    if element.flag("isDisabled", default=False) or not element.flag("appliesForce", default=True):
        notes.append(f"'{element.name}' (line {element.line}) is disabled and left out")
        return True
    return False


def _record(
    path: Path, loads: Element, data: Trajectory | str | os.PathLike[str] | None, notes: list[str]
) -> Trajectory:
    """Return the record: the one given, or the file that the XML names."""
    if isinstance(data, Trajectory):
        return data
    if data is not None:
        return load(data, angles=())
    named = loads.text("datafile", "")
    if named in _NOTHING:
        raise loads.fault("names no <datafile>; give the record of the forces with data=")
    found, note, tried = place_of(named, path.parent)
    if found is None:
        raise loads.fault(f"the <datafile> is at none of {listed(map(str, tried))}; give the record with data=")
    if note:
        notes.append(f"the <datafile> is '{named}', which is missing; {note}")
    return load(found, angles=())


def _force(element: Element, record: Trajectory, usual_name: str) -> ExternalForce:
    body = _body(element.text("applied_to_body"))
    point = _columns(element, "point", record)
    try:
        return ExternalForce(
            name=element.name or usual_name,
            body=body,
            data=record,
            force=_columns(element, "force", record),
            point=point,
            torque=_columns(element, "torque", record),
            force_frame=_body(element.text("force_expressed_in_body", "ground")),
            point_frame=_body(element.text("point_expressed_in_body", "ground")),
        )
    except DataError as error:
        raise element.fault(str(error)) from None


def _columns(element: Element, part: str, record: Trajectory) -> Columns | None:
    """Return the three columns that begin with the identifier of a part, in the order of the record."""
    identifier = element.text(f"{part}_identifier", "")
    if identifier in _NOTHING:
        return None
    found = [name for name in record.names if name.startswith(identifier)]
    # An identifier may be the beginning of others' names: then the axes decide.
    if len(found) != 3:
        exact = [f"{identifier}{axis}" for axis in ("x", "y", "z")]
        if all(name in record for name in exact):
            found = exact
    if len(found) != 3:
        candidates = f"these do: {listed(found)}" if found else f"the file has {listed(record.names, 6)}"
        raise element.fault(
            f"<{part}_identifier> is '{identifier}', with which three columns of the record must begin; {candidates}"
        )
    axes = "".join(name[-1:].lower() for name in found)
    if axes != "xyz" and sorted(axes) == ["x", "y", "z"]:
        # OpenSim takes the first for x, whatever its name: one of the two is wrong, and the file does not say which.
        raise element.fault(
            f"the columns of <{part}_identifier> '{identifier}' are in the order {', '.join(axes)}; "
            "put those of the record in the order x, y, z"
        )
    return found[0], found[1], found[2]


def _body(text: str) -> str:
    # A name, or a path of OpenSim 4: /bodyset/calcn_r.
    return text.rstrip("/").rpartition("/")[2] or "ground"
