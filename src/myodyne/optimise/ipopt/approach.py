"""The way to where exact second derivatives can be trusted.

Far from a solution the multipliers of the rows are large and wrong, and so is the curvature that the rows have by them:
the matrix of a step bends down where it should bend up, IPOPT adds to its diagonal until it does not, and steps become
short and many. Two kinds of iterations do without that curvature. *Straight* ones take second derivatives of the goals
and none of the rows, as if these were straight. They lead to a movement that obeys the rows and is near the start, if
that is the solution on another mesh, or near the data that goals follow. *Blind* ones estimate all second derivatives
from the last few steps; they lead from a guess that knows nothing into the neighbourhood of a movement.

Near a solution there may be corners: those of the curves of a muscle. Where the best movement lies on one, steps at a
barrier that stands still pass it to and fro, and the last digits decide whether one of them ends there. So a search
that gets stuck begins anew, with a barrier that adapts.
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

# Rows that are violated by less, in their own sizes, are obeyed well enough to go on from.
_OBEYED = 1e-2
# Where the barrier starts: from a solution of the same problem, of one like it, from an approach, and from one that
# data guided. That one ends among many minima; a high barrier lets it out of the poorer ones.
SAME, WARM, NEAR, _GUIDED = 1e-6, 1e-4, 1e-2, 1.0
# Iterations after which a search is stuck: the longest that was seen to end took 728.
_PATIENCE = 1000


def optimised(program: Program, start: Iterate, settings: Settings, watcher: Watcher, barrier: float | None) -> Outcome:
    """Return where IPOPT comes with exact second derivatives; without a barrier it starts cold."""
    most = settings.most_iterations
    first = _approached(program, start, replace(settings, most_iterations=min(most, _PATIENCE)), watcher, barrier)
    left = replace(settings, most_iterations=max(most - first.iterations, 0))
    options = ipopt_options(left, barrier)
    if not first.stuck or watcher.out_of_time or not left.most_iterations or "mu_strategy" in options:
        return first
    again = Ipopt(program, options | {"mu_strategy": "adaptive"}, scales_of(program), watcher).solve(start)
    both = again.after(first)
    if not again.solved:
        return replace(both, code=first.code, iterate=first.iterate, objective=first.objective)
    return replace(both, remark=f", begun anew with a barrier that adapts after {first.iterations} iterations")


def _approached(
    program: Program, start: Iterate, settings: Settings, watcher: Watcher, barrier: float | None
) -> Outcome:
    scales = scales_of(program)
    if not settings.approach:
        return Ipopt(program, ipopt_options(settings, barrier), scales, watcher).solve(start)
    approach = Approach(program, scales, watcher, min(settings.approach, settings.most_iterations))
    before = approach.from_start(start, ipopt_options(settings, barrier), cold=barrier is None)
    if before.solved or watcher.out_of_time:
        return before
    if barrier is None:
        barrier = _GUIDED if program.follows_data else NEAR
    return Ipopt(program, ipopt_options(settings, barrier), scales, watcher).solve(before.iterate).after(before)


@dataclass(frozen=True)
class Approach:
    """Iterations that come before those with exact second derivatives.

    Parameters
    ----------
    program : the problem.
    scales : typical sizes of its unknowns and rows.
    watcher : is told of each iteration.
    most : iterations of either kind.
    """

    program: Program
    scales: tuple[Floats, Floats]
    watcher: Watcher
    most: int

    def from_start(self, start: Iterate, options: Mapping[str, Option], *, cold: bool) -> Outcome:
        """Return where the approach comes: blind from a cold start that no data guide, straight from all others."""
        return self._blind(start, options) if cold and not self.program.follows_data else self._straight(start, options)

    def _blind(self, start: Iterate, options: Mapping[str, Option]) -> Outcome:
        own = {**options, "hessian_approximation": "limited-memory", "max_iter": self.most}
        return Ipopt(self.program, own, self.scales, self.watcher).solve(start)

    def _straight(self, start: Iterate, options: Mapping[str, Option]) -> Outcome:
        """Stop as soon as all rows are obeyed; a run that breaks down leaves the start as it was."""

        def watch(moment: Moment, current: Callable[[], Iterate | None]) -> bool:
            return self.watcher(moment, current) and (moment.restoring or moment.infeasibility > _OBEYED)

        own = {**options, "max_iter": self.most}
        outcome = Ipopt(self.program, own, self.scales, watch, straight=True).solve(start)
        return outcome if outcome.solved or outcome.stopped else replace(outcome, iterate=start)
