"""Which kernel is wanted: one of the whole model, one of a kind of muscles, or one that another package defines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from myodyne.equations.assemble import Assembly
    from myodyne.equations.definitions import Definition

# Kernels of the whole model; each has its definition in definitions.py, but for the last, which is made of others.
ModelKernel: TypeAlias = Literal[
    "inverse_dynamics",
    "inverse_dynamics_jacobians",
    "external_forces",
    "joint_loads",
    "path_pulls",
    "all_coordinates",
    "mass_matrix",
    "forward_dynamics",
    "derivative",
    "marched",
    "constraints",
    "residual",
    "jacobians",
    "parameter_jacobian",
    "balance",
    "feedback",
    "inertia",
    "paths",
    "point_paths",
    "wrap_places",
    "wrap_gradient",
    "bending",
    "poses",
    "markers",
    "momentum",
    "mechanics",
    "outputs",
    "exact_outputs",
    "exact_derivative",
]

MuscleForm: TypeAlias = Literal["response", "response_batch", "rate_batch", "curvature", "details"]


@dataclass(frozen=True)
class MuscleKernel:
    """A function that all muscles of one kind share; ``kind`` is its number in ``kinds_of(model)``.

    ``response`` gives tension, residuals and their derivatives of one muscle, ``curvature`` the second derivatives of
    their weighted sum, ``details`` what `muscles.DETAILS` lists.
    ``response_batch`` and ``rate_batch`` are C loops over many muscles, which only the C runtime can call: the same
    response, and the balance of forces from which fibre velocities are found; ``in_lanes`` of several runs at once.
    """

    kind: int
    form: MuscleForm
    in_lanes: bool = False

    @property
    def batched(self) -> bool:
        """Whether the kernel is a loop over muscles in C."""
        return self.form in ("response_batch", "rate_batch")


@dataclass(frozen=True)
class LaneKernel:
    """A kernel of the whole model for several runs at once, see `lanes`; ``entries`` of its output, None for all."""

    of: ModelKernel
    entries: tuple[int, ...] | None = None


Expressions = TypeVar("Expressions")


@dataclass(frozen=True)
class DefinedKernel(Generic[Expressions]):
    """A kernel that another package defines from the expressions; equal fingerprints mean equal definitions."""

    name: str
    fingerprint: str
    define: Callable[[Expressions], Definition] = field(compare=False, repr=False)


KernelRequest: TypeAlias = "ModelKernel | MuscleKernel | LaneKernel | DefinedKernel[Assembly]"


def name_of(request: KernelRequest) -> str:
    """Return the name of a kernel for messages.

    Examples
    --------
    >>> name_of(MuscleKernel(0, "response"))
    'muscle_response'
    """
    if isinstance(request, MuscleKernel):
        return f"muscle_{request.form}"
    if isinstance(request, LaneKernel):
        return f"{request.of}_in_lanes"
    return request.name if isinstance(request, DefinedKernel) else request


def is_in_lanes(request: KernelRequest) -> bool:
    """Return whether a kernel computes several runs at once."""
    return isinstance(request, LaneKernel) or (isinstance(request, MuscleKernel) and request.in_lanes)


def cache_key_of(request: KernelRequest) -> str:
    """Return a text that is the same in every process for equal requests, and differs between others.

    Examples
    --------
    >>> cache_key_of(MuscleKernel(0, "response"))
    "MuscleKernel(kind=0, form='response', in_lanes=False)"
    """
    return request if isinstance(request, str) else repr(request)
