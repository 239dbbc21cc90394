"""Files: models as YAML, time series as NetCDF, OpenSim storage and CSV, markers, recordings, external forces."""

from myodyne.files.builtin import builtin_models
from myodyne.files.c3d import load_c3d
from myodyne.files.external_loads import load_external_forces
from myodyne.files.function_paths import with_function_paths
from myodyne.files.model_files import load_model, save_model
from myodyne.files.osim.force_set import load_forces
from myodyne.files.osim.ik_setup import IkSetup, load_ik_setup
from myodyne.files.osim.scale_setup import ScaleSetup, load_scale_setup
from myodyne.files.schema import model_schema
from myodyne.files.timeseries import load, load_markers, save, save_markers

__all__ = [
    "IkSetup",
    "ScaleSetup",
    "builtin_models",
    "load",
    "load_c3d",
    "load_external_forces",
    "load_forces",
    "load_ik_setup",
    "load_markers",
    "load_model",
    "load_scale_setup",
    "model_schema",
    "save",
    "save_markers",
    "save_model",
    "with_function_paths",
]
