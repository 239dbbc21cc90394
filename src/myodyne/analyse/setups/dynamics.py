"""Set-ups of inverse dynamics."""

from __future__ import annotations

from pathlib import Path

from myodyne.analyse.inverse_dynamics import inverse_dynamics
from myodyne.analyse.setups.job import Job, SetupRun, cutoff_of, force_groups, motion_of, window, with_rates
from myodyne.errors import listed
from myodyne.files.setups.section import Section
from myodyne.model import Model
from myodyne.model.units import angles


def run_inverse_dynamics(job: Job) -> SetupRun:
    """Run an ``<InverseDynamicsTool>``."""
    tool = job.tool
    model, path = job.model()
    motion_file = tool.file("coordinates_file", needed="the motion")
    assert motion_file is not None
    motion = motion_of(job, model, motion_file)
    moving = with_rates(model, motion, cutoff_of(tool)).slice(*window(motion.time, *tool.times()))
    found = inverse_dynamics(model, moving, job.loads(), passive=acting_forces(tool, model, path))
    job.results["inverse_dynamics"] = found
    turning = angles(model)
    columns = {
        f"{name}_{'moment' if name in turning else 'force'}": found.values(f"{name}.moment")
        for name in model.coordinates
    }
    named = tool.text("output_gen_force_file", "inverse_dynamics.sto")
    job.write(job.folder() / named, "Inverse Dynamics Generalized Forces", (found.time, columns))
    if tool.names("joints_to_report_body_forces"):
        tool.remark(
            f"<joints_to_report_body_forces>: {tool.text('output_body_forces_file', 'that file')} is not written; "
            "my.joint_reactions gives what joints carry"
        )
    tool.text("output_body_forces_file")
    tool.close()
    return job.done(model)


def acting_forces(tool: Section, model: Model, path: Path) -> list[str]:
    """Return the forces of the model, other than muscles and motors, that the set-up does not exclude."""
    offered = [name for name, force in model.forces.items() if not force.controlled]
    excluded = {name.lower() for name in tool.names("forces_to_exclude")}
    groups = {name.lower(): members for name, members in force_groups(path).items()}
    if "all" in excluded:
        return []
    known = {"actuators", "muscles", *groups, *(name.lower() for name in (*model.forces, *model.muscles))}
    strange = [name for name in tool.names("forces_to_exclude") if name.lower() not in known]
    if strange:
        tool.remark(f"<forces_to_exclude> names what the model lacks: {listed(strange)}")
    acting = [name for name in model.muscles if name.lower() not in excluded]
    members = {name.lower() for group in excluded & set(groups) for name in groups[group]}
    if model.muscles and not {"muscles", "actuators"} & excluded and not {n.lower() for n in acting} <= members:
        tool.remark(
            "<forces_to_exclude> leaves muscles acting; they are left out here: moments are those of all muscles"
        )
    kept = [name for name in offered if name.lower() not in excluded | members]
    if kept:
        tool.remark(f"acting beside gravity and external forces: {listed(kept)}")
    return kept
