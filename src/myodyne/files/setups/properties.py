"""The properties that OpenSim's tools and analyses have: those that count here, and those that have no effect."""

from __future__ import annotations

from typing import NamedTuple


class Properties(NamedTuple):
    """Names of properties that are used, and of those that say how OpenSim computes rather than what."""

    used: frozenset[str]
    idle: frozenset[str] = frozenset()


_FOLDERS = "model_file results_directory"
_LOADS = "external_loads_file"
_LOAD_KINEMATICS = "external_loads_model_kinematics_file lowpass_cutoff_frequency_for_load_kinematics"
_ANALYSIS = "on start_time end_time step_interval"
_ABSTRACT = (
    f"{_FOLDERS} {_LOADS} replace_force_set force_set_files initial_time final_time AnalysisSet ControllerSet "
    "solve_for_equilibrium_for_auxiliary_states"
)
_STEPS = "maximum_number_of_integrator_steps minimum_integrator_step_size output_precision"


def _kind(used: str, idle: str = "") -> Properties:
    return Properties(frozenset(used.split()), frozenset(idle.split()))


PROPERTIES: dict[str, Properties] = {
    "InverseKinematicsTool": _kind(
        f"{_FOLDERS} constraint_weight IKTaskSet marker_file coordinate_file time_range output_motion_file "
        "report_errors report_marker_locations",
        "accuracy input_directory",
    ),
    "InverseDynamicsTool": _kind(
        f"{_FOLDERS} {_LOADS} time_range forces_to_exclude coordinates_file output_gen_force_file "
        "lowpass_cutoff_frequency_for_coordinates joints_to_report_body_forces output_body_forces_file",
        f"input_directory coordinates_in_degrees {_LOAD_KINEMATICS}",
    ),
    "ScaleTool": _kind("mass GenericModelMaker ModelScaler MarkerPlacer", "height age notes"),
    "GenericModelMaker": _kind("model_file marker_set_file"),
    "ModelScaler": _kind(
        "apply scaling_order MeasurementSet ScaleSet marker_file time_range preserve_mass_distribution "
        "output_model_file output_scale_file",
        "output_joint_file output_muscle_file",
    ),
    "MarkerPlacer": _kind(
        "apply IKTaskSet marker_file coordinate_file time_range output_motion_file output_model_file "
        "output_marker_file max_marker_movement",
        "optimizer_algorithm output_joint_file output_muscle_file",
    ),
    "AnalyzeTool": _kind(
        f"{_ABSTRACT} states_file coordinates_file speeds_file lowpass_cutoff_frequency_for_coordinates",
        f"{_STEPS} maximum_integrator_step_size integrator_error_tolerance {_LOAD_KINEMATICS} "
        "optimizer_algorithm optimizer_derivative_dx optimizer_convergence_criterion",
    ),
    "ForwardTool": _kind(
        f"{_ABSTRACT} states_file use_specified_dt integrator_error_tolerance maximum_integrator_step_size",
        f"{_STEPS} integrator_fine_tolerance {_LOAD_KINEMATICS}",
    ),
    "StaticOptimization": _kind(
        f"{_ANALYSIS} use_model_force_set activation_exponent use_muscle_physiology",
        "in_degrees optimizer_convergence_criterion optimizer_max_iterations",
    ),
    "MuscleAnalysis": _kind(f"{_ANALYSIS} muscle_list moment_arm_coordinate_list compute_moments", "in_degrees"),
    "JointReaction": _kind(f"{_ANALYSIS} forces_file joint_names apply_on_bodies express_in_frame", "in_degrees"),
    "Kinematics": _kind(f"{_ANALYSIS} in_degrees coordinates"),
    "ControlSetController": _kind("controls_file enabled isDisabled actuator_list"),
}
TOOLS = ("ScaleTool", "InverseKinematicsTool", "InverseDynamicsTool", "AnalyzeTool", "ForwardTool")
