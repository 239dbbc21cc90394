"""``myodyne models`` and ``myodyne inspect``: what there is, and what is in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from myodyne.cli.laboratory import anatomy
from myodyne.cli.speech import Json, emit, show_facts, show_table

if TYPE_CHECKING:
    from myodyne.model import Audit, Model

ModelName = Annotated[
    str, typer.Argument(metavar="MODEL", help="A built-in model (see 'myodyne models') or a .yaml or .osim file.")
]


def models(as_json: Json = False) -> None:
    """List the built-in models."""
    from myodyne.files import builtin_models, load_model

    found = [anatomy.summary(name, load_model(name)) for name in builtin_models()]
    if as_json:
        emit({"models": found})
        return
    show_table(
        "Built-in models",
        ("name", ">bodies", ">coordinates", ">controls", ">mass (kg)", "…source"),
        [
            (
                item["name"],
                str(item["bodies"]),
                str(item["coordinates"]),
                str(item["controls"]),
                f"{item['mass']:.4g}",
                item["source"],
            )
            for item in found
        ],
    )


def inspect(model: ModelName, as_json: Json = False) -> None:
    """Show the parts of a model and, for an OpenSim file, the audit of its elements."""
    from myodyne.files import load_model

    loaded = load_model(model)
    if as_json:
        emit(anatomy.anatomy(loaded))
        return
    _show_overview(loaded)
    _show_bodies(loaded)
    _show_joints(loaded)
    if loaded.surfaces:
        show_table(
            "Surfaces",
            ("name", "kind", "on", "size (m)", "half"),
            [
                (name, part.kind, part.frame.body, anatomy.size_text(part), part.half)
                for name, part in loaded.surfaces.items()
            ],
        )
    if loaded.muscles:
        _show_muscles(loaded)
    for title, parts in (("Forces", loaded.forces), ("Constraints", loaded.constraints)):
        if parts:
            rows = [(name, part.kind.replace("_", " "), anatomy.part_text(part)) for name, part in parts.items()]
            show_table(title, ("name", "kind", "fields"), rows)
    if loaded.markers:
        rows = [(name, marker.body, anatomy.vector_text(marker.at)) for name, marker in loaded.markers.items()]
        show_table("Markers", ("name", "on", "at (m)"), rows)
    if loaded.audit is not None:
        _show_audit(loaded.audit)


def _show_overview(model: Model) -> None:
    found = anatomy.anatomy(model)
    centre = found["centre_of_mass"]
    facts = {
        "source": " ".join(model.source.split()) or "not named",
        "degrees of freedom": str(found["degrees_of_freedom"]),
        "mass": f"{model.mass:.6g} kg",
        "centre of mass": "" if centre is None else f"{anatomy.vector_text(centre)} m, in the default pose",
        "gravity": f"{anatomy.vector_text(model.gravity)} m/s²",
        "controls": anatomy.names_text(model.controls),
        "free numbers": ", ".join(model.free_values),
        "hash": model.hash,
    }
    show_facts(model.name, {name: text for name, text in facts.items() if text})


def _show_audit(audit: Audit) -> None:
    rows = [
        (kind, str(count.read), str(count.skipped) if count.skipped else "") for kind, count in audit.counts.items()
    ]
    show_table(f"Elements of the file ({audit.format})", ("kind", ">read", ">skipped"), rows)
    if audit.remarks:
        show_table("Remarks", ("what", "element", ">line", "remark"), anatomy.folded(audit.remarks))


def _show_bodies(model: Model) -> None:
    rows = []
    for name, body in model.bodies.items():
        inertia = body.inertia
        moments = anatomy.vector_text((inertia.xx, inertia.yy, inertia.zz))
        rows.append((name, f"{body.mass:.4g}", anatomy.vector_text(body.centre_of_mass), moments))
    show_table("Bodies", ("name", ">mass (kg)", "centre of mass (m)", "moments of inertia (kg m²)"), rows)


def _show_muscles(model: Model) -> None:
    rows = [
        (
            name,
            f"{muscle.max_force:.4g}",
            f"{muscle.optimal_fibre_length:.4g}",
            f"{muscle.tendon_slack_length:.4g}",
            f"{math.degrees(muscle.pennation):.3g}",
            muscle.curves.kind.replace("_", " "),
            muscle.activation.kind.replace("_", " "),
            anatomy.path_text(muscle.path),
        )
        for name, muscle in model.muscles.items()
    ]
    show_table(
        "Muscles",
        ("name", ">force (N)", ">fibre (m)", ">tendon (m)", ">pennation (°)", "curves", "activation", "…path"),
        rows,
    )


def _show_joints(model: Model) -> None:
    from myodyne.model.units import angles

    rows = [
        (name, model.joints[name].parent.body, model.joints[name].child.body, anatomy.motion_text(model.joints[name]))
        for name in model.tree
    ]
    show_table("Joints", ("name", "parent", "child", "motion"), rows)
    turning = angles(model)
    units = {name: "rad" if name in turning else "m" for name in model.coordinates}
    show_table(
        "Coordinates",
        ("name", "default", "range", "motion"),
        [
            (
                name,
                anatomy.angle_text(part.default, units[name]),
                anatomy.range_text(part, units[name]),
                anatomy.state_text(part),
            )
            for name, part in model.coordinates.items()
        ],
    )
