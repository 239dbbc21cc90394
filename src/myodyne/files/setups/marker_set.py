"""Marker sets of OpenSim (.xml): where markers are on the bodies of a model."""

from __future__ import annotations

import os
from pathlib import Path

from myodyne.errors import ModelError, listed
from myodyne.files.atomic import atomically
from myodyne.files.osim.document import LARGEST_FILE, read_document
from myodyne.files.osim.naming import last_part
from myodyne.files.osim.skeleton.frames import socket
from myodyne.files.series.table import read_bytes
from myodyne.model import GROUND, Marker, Model


def load_marker_set(path: str | os.PathLike[str], model: Model, remarks: list[str] | None = None) -> dict[str, Marker]:
    """Read the markers of an OpenSim marker set for a model; ``model.with_parts(markers=...)`` adds them.

    Parameters
    ----------
    path
        The ``.xml`` file with ``<MarkerSet>``.
    model
        The model whose bodies the markers are on.
    remarks
        Where markers on bodies that the model lacks are reported; None refuses them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import myodyne as my
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "markers.xml")
    ...     _ = file.write_text('''<OpenSimDocument Version="40000"><MarkerSet><objects>
    ...         <Marker name="tip"><socket_parent_frame>/bodyset/rod</socket_parent_frame>
    ...         <location>0 -1 0</location></Marker></objects></MarkerSet></OpenSimDocument>''')
    ...     my.load_marker_set(file, my.load_model("pendulum"))["tip"].at
    (0.0, -1.0, 0.0)
    """
    document = read_document(read_bytes(Path(path), LARGEST_FILE), str(path))
    group = next((element for element in document.root.walk() if element.tag == "MarkerSet"), None)
    if group is None:
        raise document.root.fault("holds no <MarkerSet>")
    found: dict[str, Marker] = {}
    lacking: list[str] = []
    for element in group.objects("Marker"):
        frame = socket(element, "parent_frame", "reference_frame", "body")
        body = "" if frame is None else last_part(frame)
        if element.own_name() in found:
            raise element.fault("appears twice")
        if body != GROUND and body not in model.bodies:
            if remarks is None:
                raise element.fault(f"is on '{body}', which is not a body of '{model.name}'")
            lacking.append(f"{element.name} on '{body}'")
            continue
        x, y, z = element.numbers("location", 3, (0.0, 0.0, 0.0))
        found[element.name] = Marker(body=body, at=(x, y, z), fixed=element.flag("fixed", default=False))
    if lacking and remarks is not None:
        remarks.append(f"markers on bodies that the model lacks, left out: {listed(lacking)}")
    if not found:
        raise group.fault("holds no marker of this model" if lacking else "holds no <Marker>")
    return found


def save_marker_set(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the markers of a model as a marker set of OpenSim."""
    from xml.etree.ElementTree import Element as Markup, SubElement, indent, tostring

    if not model.markers:
        raise ModelError(f"'{model.name}' has no markers that could be written")
    document = Markup("OpenSimDocument", {"Version": "40500"})
    objects = SubElement(SubElement(document, "MarkerSet", {"name": model.name}), "objects")
    for name, marker in model.markers.items():
        part = SubElement(objects, "Marker", {"name": name})
        frame = "/ground" if marker.body == GROUND else f"/bodyset/{marker.body}"
        SubElement(part, "socket_parent_frame").text = frame
        SubElement(part, "location").text = " ".join(map(repr, marker.at))
        SubElement(part, "fixed").text = str(marker.fixed).lower()
    indent(document, space="\t")
    with atomically(path) as unfinished:
        unfinished.write_bytes(tostring(document, encoding="UTF-8", xml_declaration=True) + b"\n")
