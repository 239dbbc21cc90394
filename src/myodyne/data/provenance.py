"""Where a result came from: enough to compute it again."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from myodyne.data.plain import Fields

_LIBRARIES = ("myodyne", "numpy", "scipy", "casadi")


def versions_in_use() -> dict[str, str]:
    """Return the versions of Python and of those libraries that this process has loaded.

    Examples
    --------
    >>> "python" in versions_in_use()
    True
    """
    # Only what is loaded can have had a part in the result, and loading CasADi just to ask would cost 0.2 s.
    loaded = {name: sys.modules[name] for name in _LIBRARIES if name in sys.modules}
    versions = {name: str(module.__version__) for name, module in loaded.items() if hasattr(module, "__version__")}
    return {"python": platform.python_version(), **versions}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Provenance:
    """Model, method, versions and time of a computation.

    Parameters
    ----------
    model_name, model_hash
        The model and the fingerprint of all that it says.
    scheme
        The integration scheme with its settings, as it is written in a script.
    compiled
        Whether the equations ran as machine code; otherwise they were interpreted.
    seed
        The seed of random numbers, if any were drawn.
    feedback
        The control law, as text that `Feedback.from_text` reads; empty without one.
    versions
        Versions of Python and the libraries; those in use now unless given.
    created
        Time of creation, UTC, ISO 8601; now unless given.

    Examples
    --------
    >>> origin = Provenance("jumper", "a1b2", scheme="Rosenbrock(step=0.003)", compiled=True)
    >>> Provenance.from_dict(origin.to_dict()) == origin
    True
    """

    model_name: str
    model_hash: str
    scheme: str = ""
    compiled: bool = False
    seed: int | None = None
    feedback: str = ""
    versions: Mapping[str, str] = field(default_factory=versions_in_use)
    created: str = field(default_factory=_now)

    def __post_init__(self) -> None:
        object.__setattr__(self, "versions", dict(self.versions))
        object.__setattr__(self, "compiled", bool(self.compiled))
        object.__setattr__(self, "seed", None if self.seed is None else int(self.seed))

    def __str__(self) -> str:
        code = "compiled" if self.compiled else "interpreted"
        rows = [
            ("model", f"{self.model_name} ({self.model_hash[:12]})"),
            ("scheme", f"{self.scheme or 'none'}, {code}"),
            *([("seed", str(self.seed))] if self.seed is not None else []),
            ("versions", ", ".join(f"{name} {version}" for name, version in self.versions.items())),
            ("created", self.created),
        ]
        return "\n".join(f"{name:<9} {text}" for name, text in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the provenance as plain data that JSON can hold."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        plain["versions"] = dict(self.versions)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Provenance:
        """Return the provenance that `to_dict` wrote; unknown fields and wrong types raise errors that name them."""
        read = Fields("provenance", data, [item.name for item in fields(cls)])
        return cls(
            model_name=read.text("model_name"),
            model_hash=read.text("model_hash"),
            scheme=read.text("scheme", ""),
            compiled=read.flag("compiled"),
            seed=read.optional_integer("seed"),
            feedback=read.text("feedback", ""),
            versions=read.texts("versions"),
            created=read.text("created"),
        )
