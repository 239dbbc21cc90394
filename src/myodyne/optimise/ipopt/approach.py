"""The iterations that come before exact second derivatives can be trusted.

Far from a solution the multipliers of the constraints are large and wrong, and so is the curvature that the constraints
add to the Hessian of the Lagrangian: it is indefinite, IPOPT regularises it until it is not, and steps become short and
many. Two kinds of iterations avoid this. *Goals-only* iterations take the second derivatives of the goals and none of
the constraints. They lead to a feasible movement near the start, if that is the solution on another mesh, or near the
data that goals track. *Quasi-Newton* iterations estimate all second derivatives from the last few steps; they lead
from an uninformed guess into the neighbourhood of a movement.

Near a solution the curves of a muscle may have corners. Where the optimum lies on one, steps at a fixed barrier
parameter jump across it, and rounding decides whether the search converges. So a search that gets stuck starts again
with an adaptive barrier parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from myodyne.optimise.ipopt.options import ipopt_options
from myodyne.optimise.ipopt.run import Ipopt, Moment, Outcome
from myodyne.optimise.ipopt.watching import Watcher
from myodyne.optimise.settings import Option, Settings
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.optimise.transcription.scales import scales_of
from myodyne.types import Floats

# Scaled violations of the constraints below this are small enough to go on from.
_FEASIBLE = 1e-2
# First barrier parameters: from a solution of the same problem, of a similar one, after these iterations, and after
# iterations that tracked data. Those end among many minima; a large barrier leads out of the poorer ones. An easier
# problem has fewer.
SAME, WARM, NEAR, _GUIDED, _EASED = 1e-6, 1e-4, 1e-2, 1.0, 0.1
# Iterations after which a search counts as stuck: the longest that converged took 728.
_PATIENCE = 1000


def optimised(program: Program, start: Iterate, settings: Settings, watcher: Watcher, barrier: float | None) -> Outcome:
    """Return the outcome of IPOPT with exact second derivatives; without a barrier parameter it starts cold."""
    most = settings.most_iterations
    first = _approached(program, start, replace(settings, most_iterations=min(most, _PATIENCE)), watcher, barrier)
    left = replace(settings, most_iterations=max(most - first.iterations, 0))
    options = ipopt_options(left, barrier)
    if not first.stuck or watcher.ended or not left.most_iterations or "mu_strategy" in options:
        return first
    again = Ipopt(program, options | {"mu_strategy": "adaptive"}, scales_of(program), watcher).solve(start)
    both = again.after(first)
    if not again.solved:
        return replace(both, code=first.code, iterate=first.iterate, objective=first.objective)
    return replace(both, remark=f", restarted with an adaptive barrier after {first.iterations} iterations")


def _approached(
    program: Program, start: Iterate, settings: Settings, watcher: Watcher, barrier: float | None
) -> Outcome:
    scales = scales_of(program)
    if not settings.approach:
        return Ipopt(program, ipopt_options(settings, barrier), scales, watcher).solve(start)
    approach = Approach(program, scales, watcher, min(settings.approach, settings.most_iterations))
    before = approach.from_start(start, ipopt_options(settings, barrier), cold=barrier is None)
    if before.solved or watcher.ended:
        return before
    if barrier is None:
        guided = _EASED if program.eased else _GUIDED
        barrier = guided if program.follows_data else NEAR
    return Ipopt(program, ipopt_options(settings, barrier), scales, watcher).solve(before.iterate).after(before)


@dataclass(frozen=True)
class Approach:
    """Iterations that come before those with exact second derivatives.

    Parameters
    ----------
    program : the problem.
    scales : typical sizes of its unknowns and rows.
    watcher : called after each iteration.
    most : iterations of either kind, at most.
    """

    program: Program
    scales: tuple[Floats, Floats]
    watcher: Watcher
    most: int

    def from_start(self, start: Iterate, options: Mapping[str, Option], *, cold: bool) -> Outcome:
        """Return the outcome: quasi-Newton from a cold start without data to track, goals-only from all others."""
        if cold and not self.program.follows_data:
            return self._quasi_newton(start, options)
        return self._goals_only(start, options)

    def _quasi_newton(self, start: Iterate, options: Mapping[str, Option]) -> Outcome:
        own = {**options, "hessian_approximation": "limited-memory", "max_iter": self.most}
        return Ipopt(self.program, own, self.scales, self.watcher).solve(start)

    def _goals_only(self, start: Iterate, options: Mapping[str, Option]) -> Outcome:
        """Stop as soon as all constraints hold; a run that breaks down returns the start."""

        def watch(moment: Moment, current: Callable[[], Iterate | None]) -> bool:
            return self.watcher(moment, current) and (moment.restoring or moment.infeasibility > _FEASIBLE)

        own = {**options, "max_iter": self.most}
        outcome = Ipopt(self.program, own, self.scales, watch, goals_only=True).solve(start)
        return outcome if outcome.solved or outcome.stopped else replace(outcome, iterate=start)
