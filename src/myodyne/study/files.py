"""Studies and searches as YAML files, for the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from myodyne.errors import FileError, ModelError, unknown_name
from myodyne.files import load_model
from myodyne.files.models.yaml_reader import LARGEST_FILE, read_tree
from myodyne.files.series.table import read_bytes
from myodyne.numerics import schemes
from myodyne.simulate.signals import Signal
from myodyne.simulate.switching.events import Crossing
from myodyne.study.controls import Onsets, SplineControls
from myodyne.study.engines import Dask, Engine, Processes, Serial
from myodyne.study.ranges import Choice, Integers
from myodyne.study.sampling import grid, sample
from myodyne.study.searching import CMA, Annealing, DifferentialEvolution, DualAnnealing, Genetic, MultiStart
from myodyne.study.searching.method import Method
from myodyne.study.study import Study

_METHODS: dict[str, Callable[..., Method]] = {
    "cma": CMA,
    "differential_evolution": DifferentialEvolution,
    "genetic": Genetic,
    "annealing": Annealing,
    "dual_annealing": DualAnnealing,
    "multi_start": MultiStart,
}
_ENGINES: dict[str, Callable[..., Engine]] = {"serial": Serial, "processes": Processes, "dask": Dask}
_FIELDS = ("model", "vary", "measure", "duration", "start", "controls", "scheme", "until", "every")
_RUNNING = ("engine", "out", "search")
_SEARCH = ("method", "minimise", "maximise", "evaluations", "start")


@dataclass(frozen=True)
class StudyFile:
    """What a file asks for: a study, where it is computed and kept, and how it is searched."""

    study: Study
    engine: Engine
    out: Path
    search: Mapping[str, Any] = field(default_factory=dict)


def read_study(path: str | os.PathLike[str]) -> StudyFile:
    """Return the study of a YAML file; the guide on studies lists its fields."""
    file = Path(path)
    tree = read_tree(read_bytes(file, LARGEST_FILE), str(file))
    data = _plain(tree)
    try:
        return _study_file(data, file)
    except (ModelError, TypeError) as error:
        raise FileError(f"{file}: {error}") from error


def _study_file(data: dict[str, Any], file: Path) -> StudyFile:
    for name in data:
        if name not in (*_FIELDS, *_RUNNING):
            raise ModelError(unknown_name("field", name, (*_FIELDS, *_RUNNING)))
    for name in ("model", "vary", "measure"):
        if name not in data:
            raise ModelError(f"'{name}' is missing")
    model = str(data["model"])
    beside = file.parent / model
    study = Study(
        load_model(beside if beside.is_file() else model),
        vary=_vary(data["vary"]),
        measure=data["measure"],
        duration=data.get("duration"),
        start=data.get("start"),
        controls=_controls(data.get("controls")),
        scheme=_scheme(data.get("scheme")),
        until=_until(data.get("until")),
        every=data.get("every"),
    )
    out = file.parent / str(data.get("out", file.stem))
    return StudyFile(study, _named(data.get("engine", "serial"), _ENGINES, "engine"), out, _search(data.get("search")))


_SAMPLE = ("ranges", "count", "seed", "design", "correlations")


def _vary(data: object) -> Any:  # noqa: ANN401 - rows or ranges, which the study checks
    if not isinstance(data, Mapping):
        raise ModelError(f"vary: give 'grid', 'sample' or ranges by name, not {data!r:.60}")
    if set(data) == {"grid"}:
        return grid(data["grid"])
    if set(data) == {"sample"}:
        given = dict(data["sample"])
        for name in given:
            if name not in _SAMPLE:
                raise ModelError("vary.sample: " + unknown_name("field", name, _SAMPLE))
        pairs = {tuple(names): value for *names, value in given.pop("correlations", [])}
        ranges = {name: _range(one) for name, one in dict(given.pop("ranges", {})).items()}
        count, seed = given.pop("count", 100), given.pop("seed", 1)
        return sample(ranges, count, seed=seed, correlations=pairs, **given)
    return {name: _range(one) for name, one in data.items()}


def _range(data: object) -> Any:  # noqa: ANN401 - a range, which the study checks
    if not isinstance(data, Mapping) or len(data) != 1:
        return tuple(data) if isinstance(data, list) else data
    ((kind, given),) = data.items()
    if kind == "integers":
        return Integers(*given)
    if kind == "choice":
        return Choice(given)
    import scipy.stats

    distribution: Any = getattr(scipy.stats, str(kind), None)
    if not hasattr(distribution, "ppf"):
        raise ModelError(f"vary: '{kind}' is neither 'integers', 'choice' nor a distribution of scipy.stats")
    return distribution(*given) if isinstance(given, list) else distribution(**given)


def _controls(data: object) -> Any:  # noqa: ANN401 - controls, which the study checks
    if not isinstance(data, Mapping):
        return data
    if set(data) == {"onsets"}:
        return Onsets(**data["onsets"])
    if set(data) == {"splines"}:
        return SplineControls(**data["splines"])
    return {name: Signal.from_dict(one) if isinstance(one, Mapping) else one for name, one in data.items()}


def _scheme(data: object) -> Any:  # noqa: ANN401 - a scheme, which the simulation checks
    if data is None:
        return None
    name, arguments = _single(data, "scheme")
    kinds = {kind.__name__: kind for kind in vars(schemes).values() if isinstance(kind, type)}
    known = [kind for kind in kinds if kind in _SCHEMES]
    if name not in known:
        raise ModelError("scheme: " + unknown_name("scheme", name, known))
    return kinds[name](**arguments)


_SCHEMES = ("Euler", "Heun", "RK4", "RKF45", "DOP853", "Midpoint", "TRBDF2", "Rosenbrock", "Radau", "BackwardEuler")


def _until(data: object) -> Crossing | None:
    if data is None:
        return None
    if not isinstance(data, Mapping) or "output" not in data:
        raise ModelError("until: give an output, and 'falls', 'rises' or 'crosses' with the level that it passes")
    words = {"falls": "falling", "rises": "rising", "crosses": "either"}
    ways = [word for word in words if word in data]
    if len(ways) != 1 or len(data) != 2:
        raise ModelError("until: give one of 'falls', 'rises' and 'crosses', with the level that the output passes")
    return Crossing(str(data["output"]), words[ways[0]], float(data[ways[0]]))  # type: ignore[arg-type]


def _search(data: object) -> dict[str, Any]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise ModelError(f"search: give fields like 'method' and 'evaluations', not {data!r:.60}")
    for name in data:
        if name not in _SEARCH:
            raise ModelError("search: " + unknown_name("field", name, _SEARCH))
    return {**data, "method": _named(data.get("method", "cma"), _METHODS, "method")}


def _named(data: object, kinds: Mapping[str, Callable[..., Any]], what: str) -> Any:  # noqa: ANN401 - engine or method
    name, arguments = _single(data, what)
    if name not in kinds:
        raise ModelError(f"{what}: " + unknown_name(what, name, kinds))
    return kinds[name](**arguments)


def _single(data: object, what: str) -> tuple[str, dict[str, Any]]:
    """Return a name and arguments: ``RK4`` alone, or ``RK4: {step: 0.001}``."""
    if isinstance(data, str):
        return data, {}
    if isinstance(data, Mapping) and len(data) == 1:
        ((name, arguments),) = data.items()
        return str(name), dict(arguments or {})
    raise ModelError(f"{what}: give a name, or one name with its arguments, not {data!r:.60}")


def _plain(value: Any) -> Any:  # noqa: ANN401 - nested plain data
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
