"""A gait report as plain data for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from myodyne.analyse.gait.cycle import GaitCurve
    from myodyne.analyse.gait.norms import Range
    from myodyne.analyse.gait.report import GaitReport
    from myodyne.analyse.gait.timing import MuscleTiming


def report_data(report: GaitReport) -> dict[str, Any]:
    """Return the whole report, curves included."""
    return {
        "model": report.model,
        "kind": report.kind,
        "verdict": report.verdict,
        "exceptions": list(report.exceptions),
        "findings": list(report.findings),
        "stances": [asdict(stance) for stance in report.stances],
        "measures": {
            name: {"value": one.value, "unit": one.unit, "norm": _range(one.norm), "usual": one.usual}
            for name, one in report.measures.items()
        },
        "costs": {
            one.model: {
                "muscles": one.muscles,
                "resting": one.resting,
                "net": one.net,
                "gross": one.gross,
                "norm": _range(one.norm),
            }
            for one in report.costs
        },
        "curves": [_curve(curve) for curve in report.curves],
        "muscles": [_timing(one) for one in report.muscles],
        "coordinates": {side: dict(names) for side, names in report.coordinates.items()},
        "notes": list(report.notes),
    }


def _range(norm: Range | None) -> dict[str, Any] | None:
    return None if norm is None else asdict(norm)


def _curve(curve: GaitCurve) -> dict[str, Any]:
    norm = curve.norm
    return {
        "name": curve.name,
        "side": curve.side,
        "unit": curve.unit,
        "values": curve.values.tolist(),
        "norm": None
        if norm is None
        else {"mean": norm.mean.tolist(), "deviation": norm.deviation.tolist(), "source": norm.source},
        "correlation": curve.correlation,
        "rms": curve.rms,
        "distance": curve.distance,
    }


def _timing(one: MuscleTiming) -> dict[str, Any]:
    norm = one.norm
    return {
        "muscle": one.muscle,
        "side": one.side,
        "bursts": [list(span) for span in one.bursts],
        "peak": one.peak,
        "full": one.full,
        "norm": None
        if norm is None
        else {"muscle": norm.muscle, "bursts": [list(s) for s in norm.bursts], "source": norm.source},
        "agreement": one.agreement,
    }
