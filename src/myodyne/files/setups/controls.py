"""Controls over time from the files that OpenSim's controllers name: control sets (.xml) and tables (.sto)."""

from __future__ import annotations

from pathlib import Path

from myodyne.data.curves.signals import Signal, piecewise_constant, piecewise_linear
from myodyne.files.osim.document import LARGEST_FILE, Element, read_document
from myodyne.files.series.table import read_bytes
from myodyne.files.series.timeseries import load


def load_controls(path: Path) -> dict[str, Signal]:
    """Return the control of each actuator; control sets of straight lines and of constants are read."""
    if path.suffix.lower() != ".xml":
        table = load(path, angles=())
        return {
            name.rstrip("/").rpartition("/")[2].removesuffix(".excitation"): piecewise_linear(
                table.time, table.values(name)
            )
            for name in table.names
        }
    document = read_document(read_bytes(path, LARGEST_FILE), str(path))
    group = next((element for element in document.root.walk() if element.tag == "ControlSet"), None)
    if group is None:
        raise document.root.fault("holds no <ControlSet>")
    found: dict[str, Signal] = {}
    for element in group.objects():
        if element.tag == "ObjectGroup":
            continue
        # OpenSim 2 called the control of an actuator <actuator>.excitation.
        name = element.own_name().removesuffix(".excitation")
        if element.tag not in ("ControlLinear", "ControlConstant"):
            raise element.fault("is not read; controls are <ControlLinear> or <ControlConstant>")
        found[name] = _linear(element) if element.tag == "ControlLinear" else _constant(element)
    return found


def _linear(element: Element) -> Signal:
    nodes = [(node.number("t"), node.number("value")) for node in element.members("x_nodes")]
    if not nodes:
        raise element.fault("has no <x_nodes>")
    times, values = zip(*nodes, strict=True)
    if len(nodes) == 1:
        return piecewise_linear([times[0], times[0] + 1.0], [values[0]] * 2)
    steps = element.flag("use_steps", default=False)
    return (piecewise_constant if steps else piecewise_linear)(times, values)


def _constant(element: Element) -> Signal:
    value = element.number("x")
    return piecewise_linear([0.0, 1.0], [value, value])
