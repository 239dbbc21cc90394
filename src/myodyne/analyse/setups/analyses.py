"""Set-ups of analyses: which analyses a tool asks for, and what runs them."""

from __future__ import annotations

from collections.abc import Callable

from myodyne.analyse.setups.job import Job, SetupRun
from myodyne.analyse.setups.muscles import run_muscle_analysis, run_static_optimisation
from myodyne.analyse.setups.reactions import run_joint_reactions
from myodyne.analyse.setups.study import Study, study_of, write_kinematics
from myodyne.errors import listed
from myodyne.files.setups.section import Section

_ANALYSES: dict[str, Callable[[Job, Study, Section], None]] = {
    "StaticOptimization": run_static_optimisation,
    "MuscleAnalysis": run_muscle_analysis,
    "JointReaction": run_joint_reactions,
    "Kinematics": write_kinematics,
}


def run_analyses(job: Job) -> SetupRun:
    """Run an ``<AnalyzeTool>``."""
    tool = job.tool
    wanted = list(tool.objects("AnalysisSet"))
    known = [analysis for analysis in wanted if analysis.kind in _ANALYSES]
    strange = [analysis.kind for analysis in wanted if analysis.kind not in _ANALYSES]
    if not known:
        asked = f"asks for {listed(strange)}" if strange else "holds no analysis"
        raise tool.element.fault(f"its <AnalysisSet> {asked}; these are run: {listed(_ANALYSES)}")
    if strange:
        tool.remark(f"analyses that are not run: {listed(strange)}; these are: {listed(_ANALYSES)}")
    if list(tool.objects("ControllerSet")):
        tool.remark("<ControllerSet> has no effect: analyses follow the motion")
    if tool.flag("solve_for_equilibrium_for_auxiliary_states", default=False):
        tool.remark("<solve_for_equilibrium_for_auxiliary_states>: fibres start in balance whatever it says")
    study = study_of(job)
    for analysis in known:
        if not analysis.flag("on", default=True):
            tool.remark(f"{analysis.kind} '{analysis.name}' is switched off")
            continue
        _ANALYSES[analysis.kind](job, study, analysis)
        analysis.close()
    tool.close()
    return job.done(study.model)
