"""A gait report as text and as HTML: the same tables in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from myodyne.analyse.gait.verdict import LABELS
from myodyne.notebook import Table, html_of

if TYPE_CHECKING:
    from myodyne.analyse.gait.norms import Range
    from myodyne.analyse.gait.report import GaitReport

_OURS = "ours alone"


def tables(report: GaitReport) -> list[Table]:
    """Return the tables of a report."""
    found = [_measures(report), _curves(report)]
    if report.costs:
        found.append(_costs(report))
    if report.muscles:
        found.append(_muscles(report))
    return found


def report_text(report: GaitReport) -> str:
    """Return the report for a terminal."""
    lines = [f"{report.model}: {report.kind} at {report.speed:.2f} m/s", f"  {report.verdict}"]
    lines += [f"  note: {note}" for note in report.notes]
    for table in tables(report):
        rows = [table.headings, *table.rows]
        widths = [max(len(row[number]) for row in rows) for number in range(len(table.headings))]
        lines += ["", table.title]
        lines += [
            "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
    return "\n".join(lines)


def report_html(report: GaitReport) -> str:
    """Return the report for a notebook."""
    title = f"{report.model}: {report.kind} at {report.speed:.2f} m/s"
    return html_of(title, (report.verdict, *report.notes), tables(report))


def _measures(report: GaitReport) -> Table:
    landings = ", ".join(dict.fromkeys(stance.landing for stance in report.stances))
    rows = [("lands first", landings, "heel" if report.kind == "walking" else "", "", "")]
    for name, one in report.measures.items():
        people, source = _people(one.norm)
        rows.append((name.replace("_", " "), f"{one.value:.3g} {one.unit}".strip(), people, _mark(one.usual), source))
    return Table("Measures", ("", "here", "people", "", "source"), rows)


def _people(norm: Range | None) -> tuple[str, str]:
    if norm is None:
        return "", _OURS
    return f"{norm.low:.3g}" if norm.low == norm.high else f"{norm.low:.3g} to {norm.high:.3g}", norm.source


def _mark(usual: bool | None) -> str:
    return {None: "", True: "as people", False: "unlike"}[usual]


def _curves(report: GaitReport) -> Table:
    rows = []
    for name in dict.fromkeys(curve.name for curve in report.curves):
        both = [curve for curve in report.curves if curve.name == name]
        peaks = " / ".join(f"{curve.values.min():.2f} to {curve.values.max():.2f}" for curve in both)
        norm = both[0].norm
        cells = tuple(
            "" if norm is None else " / ".join(f"{getattr(curve, what) or float('nan'):.2f}" for curve in both)
            for what in ("correlation", "rms", "distance")
        )
        label = LABELS.get(name, name.replace("_", " "))
        rows.append((label, both[0].unit, peaks, *cells, _OURS if norm is None else norm.source))
    sides = " / ".join(dict.fromkeys(curve.side for curve in report.curves))
    headings = ("", "unit", "from ... to", "r", "RMS", "SD", "norm")
    return Table(f"Curves over the cycle ({sides})", headings, rows)


def _costs(report: GaitReport) -> Table:
    rows = []
    for one in report.costs:
        people, source = _people(one.norm)
        usual = None if one.norm is None else one.gross in one.norm
        rows.append(
            (one.model, f"{one.muscles:.2f}", f"{one.net:.2f}", f"{one.gross:.2f}", people, _mark(usual), source)
        )
    rest = report.costs[0].resting
    title = f"Metabolic cost of transport (J/kg/m; gross with {rest:g} W/kg at rest)"
    return Table(title, ("model", "muscles (W/kg)", "net", "gross", "people, gross", "", "source"), rows)


def _muscles(report: GaitReport) -> Table:
    rows = []
    for one in report.muscles:
        people = "" if one.norm is None else f"{_spans(one.norm.bursts)} ({one.norm.muscle})"
        agreement = _OURS if one.agreement is None else f"{100 * one.agreement:.0f} %"
        rows.append((f"{one.side} {one.muscle}", f"{one.peak:.2f}", _spans(one.bursts), people, agreement))
    sources = dict.fromkeys(one.norm.source for one in report.muscles if one.norm)
    title = "Muscles on (% of the cycle)" + (f"; people: {', '.join(sources)}" if sources else "")
    return Table(title, ("", "peak", "on", "people", "agrees"), rows)


def _spans(spans: Sequence[tuple[float, float]]) -> str:
    shown = [f"{begin:.0f}-{end if end <= 100 else end - 100:.0f}" for begin, end in spans]
    return ", ".join(shown) if shown else "off"
