"""Paths of muscles exchanged for the functions that an OpenSim file gives for their lengths."""

from __future__ import annotations

from pathlib import Path

from myodyne.errors import FileError, listed
from myodyne.files.osim.document import LARGEST_FILE
from myodyne.files.osim.paths import read_function_paths
from myodyne.files.series.table import read_bytes
from myodyne.model import Model


def with_function_paths(model: Model, path: str | Path) -> Model:
    """Return a copy of a model whose muscles follow the function-based paths in an OpenSim file.

    Such files (``*_FunctionBasedPathSet.xml``) hold polynomials for the lengths (m) of muscles, fitted by OpenSim's
    tools to a model with wrap objects. Muscles that the file does not name keep their paths.

    Examples
    --------
    A file for a muscle 'calf', whose length is 0.3 m - 0.05 m of moment arm times the angle:

    >>> import myodyne as my
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> text = '''<OpenSimDocument Version="40600"><Set_FunctionBasedPath_><objects>
    ... <FunctionBasedPath name="/forceset/calf"><coordinate_paths>/jointset/ankle/angle</coordinate_paths>
    ... <length_function><MultivariatePolynomialFunction><coefficients>0.3 -0.05</coefficients>
    ... <dimension>1</dimension><order>1</order></MultivariatePolynomialFunction></length_function>
    ... </FunctionBasedPath></objects></Set_FunctionBasedPath_></OpenSimDocument>'''
    >>> straight = my.PointPath(points=(("ground", (0.0, 0.3, 0.0)), ("rod", (0.0, -0.1, 0.0))))
    >>> calf = my.Muscle(max_force=100.0, optimal_fibre_length=0.1, tendon_slack_length=0.2, path=straight)
    >>> model = my.load_model("pendulum").with_parts(muscles={"calf": calf})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "paths.xml"
    ...     _ = file.write_text(text)
    ...     fitted = my.with_function_paths(model, file)
    >>> fitted.muscles["calf"].path.kind
    'function'
    """
    file = Path(path)
    paths = read_function_paths(read_bytes(file, LARGEST_FILE), str(file))
    unknown = [name for name in paths if name not in model.muscles]
    if unknown:
        raise FileError(f"{file}: has paths of muscles that '{model.name}' does not have: {listed(unknown)}")
    return model.with_parts(
        muscles={name: model.muscles[name].model_copy(update={"path": found}) for name, found in paths.items()}
    )
