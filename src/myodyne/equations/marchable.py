"""Equations as a march through time requires them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from myodyne.equations.build import Kernels
from myodyne.equations.muscles.kinds import kinds_of
from myodyne.equations.muscles.native_body import NativeBody
from myodyne.equations.muscles.tables import MuscleTables
from myodyne.equations.requests import KernelRequest, LaneKernel, ModelKernel, MuscleForm, MuscleKernel
from myodyne.native.kernel import Kernel
from myodyne.native.libraries import Runtime

if TYPE_CHECKING:
    from myodyne.equations.equations import Equations


@dataclass(frozen=True)
class MarchableEquations:
    """The explicit and the implicit form of the equations, as `march.marching.Marchable` requires them."""

    equations: Equations
    kernels: Kernels

    @property
    def derivative(self) -> Kernel:
        return self.kernels["marched"]

    @property
    def balance(self) -> Kernel:
        return self.kernels["balance"]

    @property
    def muscles(self) -> MuscleTables | None:
        return self.equations.muscle_tables

    @property
    def coordinates(self) -> int:
        return len(self.equations.coordinates)

    @property
    def loop(self) -> Kernel | None:
        return self.kernels.loop

    @property
    def runtime(self) -> Runtime | None:
        return self.equations.runtime

    @property
    def bodies(self) -> tuple[NativeBody, NativeBody]:
        """A body of several runs at once, and one of a single run, for linearly implicit marches."""
        runtime, size = self.equations.runtime, len(self.equations.coordinates)
        assert runtime is not None
        muscles = self.kernels.muscle_tables(self.equations.model, in_lanes=True) if self.equations.muscles else None
        balance = self.kernels[LaneKernel("balance")]
        together = NativeBody((balance, None, None), muscles, size, runtime, in_lanes=True)
        return together, NativeBody((self.balance, None, self.loop), self.muscles, size, runtime)

    @property
    def derivative_in_lanes(self) -> Kernel:
        """The explicit form for several runs at once."""
        return self.kernels[LaneKernel("marched")]

    @property
    def rates_in_lanes(self) -> Kernel:
        """Rates of the motion and multipliers for several runs at once."""
        return self.kernels[LaneKernel("derivative")]

    def prepare(self, march: Literal["explicit", "implicit", "linear"] | None) -> None:
        """Compile side by side what a simulation calls; else each kernel is compiled when it is first called.

        ``march`` is the C library that marches, None where Python does.
        """
        model = self.equations.model
        exact = self.kernels.exact
        requests: list[KernelRequest] = ["exact_outputs" if exact else "outputs"]
        if model.muscles:
            forms: tuple[MuscleForm, ...] = ("response", "response_batch", "rate_batch")
            kinds = range(len(kinds_of(model)[1]))
            paths: tuple[ModelKernel, ...] = ("point_paths", "wrap_places", "wrap_gradient")
            requests += ["balance", "inertia", *(paths if exact else ("paths", "bending"))]
            requests += [MuscleKernel(kind, form) for kind in kinds for form in forms]
        else:
            requests += ["marched" if march in (None, "explicit") else "balance", "derivative"]
        if any(constraint.by == "multipliers" for constraint in model.constraints.values()):
            requests += ["constraints", "mass_matrix"]
        libraries = ["calls", *([march] if march else []), *(["body"] if model.muscles else [])]
        self.kernels.prepare(requests, libraries)
