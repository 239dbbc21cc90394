"""Files: models as YAML, time series as NetCDF, OpenSim storage and CSV, markers, recordings, external forces."""

from myodyne.files.laboratory.c3d import load_c3d
from myodyne.files.laboratory.external_loads import load_external_forces
from myodyne.files.laboratory.text_tables import load_table, load_winter_table
from myodyne.files.models.builtin import builtin_models
from myodyne.files.models.load import load_model, save_model
from myodyne.files.models.schema import model_schema
from myodyne.files.osim.function_paths import with_function_paths
from myodyne.files.series.timeseries import load, load_markers, save, save_markers
from myodyne.files.setups.actuators import load_forces
from myodyne.files.setups.inverse_kinematics import IkSetup, load_ik_setup
from myodyne.files.setups.marker_set import load_marker_set
from myodyne.files.setups.scaling import ScaleSetup, load_scale_setup

__all__ = [
    "IkSetup",
    "ScaleSetup",
    "builtin_models",
    "load",
    "load_c3d",
    "load_external_forces",
    "load_forces",
    "load_ik_setup",
    "load_marker_set",
    "load_markers",
    "load_model",
    "load_scale_setup",
    "load_table",
    "load_winter_table",
    "model_schema",
    "save",
    "save_markers",
    "save_model",
    "with_function_paths",
]
