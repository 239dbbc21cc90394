"""Set-up files of OpenSim's scale tool (.xml): measurements, factors and the mass of a person."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from myodyne.data import DataError, Measurement
from myodyne.files.osim.document import LARGEST_FILE, Element, read_document
from myodyne.files.series.table import read_bytes
from myodyne.files.setups.section import Section

_NOTHING = ("", "Unassigned")


@dataclass(frozen=True)
class ScaleSetup:
    """Measurements by name, factors by body, and what becomes of masses.

    ``measurements_first`` means that factors replace what measurements gave for the same body; otherwise it
    is the other way round. ``mass`` is in kilograms, ``time_range`` in seconds.

    Examples
    --------
    >>> ScaleSetup(factors={"femur_r": (1.0, 1.1, 1.0)}).merged({"femur_r": (1.2, 1.2, 1.2)})
    {'femur_r': (1.0, 1.1, 1.0)}
    """

    measurements: dict[str, Measurement] = field(default_factory=dict)
    factors: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    measurements_first: bool = True
    mass: float | None = None
    keep_mass_distribution: bool = False
    marker_file: str | None = None
    time_range: tuple[float, float] | None = None

    def merged(self, measured: dict[str, tuple[float, float, float]]) -> dict[str, tuple[float, float, float]]:
        """Return the factors of the file together with those that `scale_factors` took from the measurements."""
        return {**measured, **self.factors} if self.measurements_first else {**self.factors, **measured}


def load_scale_setup(path: str | os.PathLike[str]) -> ScaleSetup:
    """Read measurements and factors of a set-up file of OpenSim's scale tool; what is switched off is left out.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "scale.xml")
    ...     _ = file.write_text('''<OpenSimDocument Version="40000"><ScaleTool><mass>70</mass><ModelScaler>
    ...         <ScaleSet><objects><Scale><scales>1 1.1 1</scales><segment>femur_r</segment><apply>true</apply>
    ...         </Scale></objects></ScaleSet></ModelScaler></ScaleTool></OpenSimDocument>''')
    ...     load_scale_setup(file).factors
    {'femur_r': (1.0, 1.1, 1.0)}
    """
    document = read_document(read_bytes(Path(path), LARGEST_FILE), str(path))
    scaler = next((element for element in document.root.walk() if element.tag == "ModelScaler"), None)
    if scaler is None:
        raise document.root.fault("holds no <ModelScaler>: this is not a set-up of the scale tool")
    tool = document.root.child("ScaleTool") or scaler.parent
    mass = -1.0 if tool is None else tool.number("mass", -1.0)
    return read_scaler(Section("ModelScaler", scaler, Path(path), []), mass)


def read_scaler(section: Section, mass: float) -> ScaleSetup:
    """Return what a ``<ModelScaler>`` says; its sets may be in files of their own."""
    scaler = section.element
    order = scaler.names("scaling_order") or ("measurements", "manualScale")
    strange = [word for word in order if word not in ("measurements", "manualScale")]
    if strange:
        raise scaler.fault(f"<scaling_order> lists 'measurements' and 'manualScale', not {strange[0]!r:.40}")
    named = scaler.text("marker_file", "")
    return ScaleSetup(
        _measurements(section) if "measurements" in order else {},
        _factors(section) if "manualScale" in order else {},
        order[-1] == "manualScale",
        mass if mass > 0.0 else None,
        scaler.flag("preserve_mass_distribution", default=False),
        None if named in _NOTHING else named,
        _range(scaler),
    )


def _measurements(section: Section) -> dict[str, Measurement]:
    found: dict[str, Measurement] = {}
    for element in (part.element for part in section.objects("MeasurementSet")):
        if element.tag != "Measurement" or not element.flag("apply", default=True):
            continue
        pairs = []
        for pair in element.members("MarkerPairSet"):
            names = pair.names("markers")
            if len(names) != 2:
                raise pair.fault(f"<markers> needs two names, not {len(names)}")
            pairs.append((names[0], names[1]))
        bodies = {part.name: "".join(part.names("axes")).lower() for part in element.members("BodyScaleSet")}
        if not pairs or not bodies:
            continue
        if element.name in found:
            raise element.fault("appears twice")
        try:
            found[element.name] = Measurement(pairs, bodies)
        except DataError as error:
            raise element.fault(str(error)) from None
    return found


def _factors(section: Section) -> dict[str, tuple[float, float, float]]:
    found: dict[str, tuple[float, float, float]] = {}
    for element in (part.element for part in section.objects("ScaleSet")):
        if element.tag != "Scale" or not element.flag("apply", default=True):
            continue
        x, y, z = element.numbers("scales", 3)
        found[element.text("segment").rpartition("/")[2]] = (x, y, z)
    return found


def _range(scaler: Element) -> tuple[float, float] | None:
    if not scaler.has("time_range"):
        return None
    first, last = scaler.numbers("time_range", 2, infinite=True)
    # The tool writes a negative beginning where the whole record counts.
    return (first, last) if first >= 0.0 and last >= first else None
