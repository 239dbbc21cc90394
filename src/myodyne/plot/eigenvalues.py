"""Eigenvalues along a movement, in the complex plane and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from myodyne.plot.style import INK, PALETTE, add_legend, new_figure, plain, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from myodyne.analyse.linearise_along import EigenvaluesAlong


def eigenvalue_figure(along: EigenvaluesAlong, title: str) -> Figure:
    """Return all eigenvalues, coloured by time, and beside them the fastest growth, decay and oscillation."""
    figure = new_figure(10.5, 4.2)
    plane, course = figure.subplots(1, 2)
    values = along.eigenvalues
    times = np.repeat(along.time[:, None], values.shape[1], axis=1)
    dots = plane.scatter(values.real.ravel(), values.imag.ravel(), c=times.ravel(), s=9, cmap="viridis", linewidths=0)
    # Rates of a stiff model span decades; near zero the scale is linear, so that nothing is left out.
    for scale, part in ((plane.set_xscale, values.real), (plane.set_yscale, values.imag)):
        if np.abs(part).max(initial=0.0) > 1e3:
            scale("symlog", linthresh=1.0)
    bar = figure.colorbar(dots, ax=plane, pad=0.02)
    plain(bar.ax.set_ylabel("time (s)", fontsize=9, color=INK))
    plain(plane.set_xlabel("real part (1/s)", fontsize=9, color=INK))
    plain(plane.set_ylabel("imaginary part (rad/s)", fontsize=9, color=INK))
    tidy(plane)
    curves = {"growth": along.growth, "decay": along.decay, "oscillation": along.oscillation}
    lines = [
        course.plot(along.time, rates, color=colour, linewidth=1.5)[0]
        for rates, colour in zip(curves.values(), PALETTE, strict=False)
    ]
    if max(float(rates.max()) for rates in curves.values()) > 1e3:
        course.set_yscale("symlog", linthresh=1.0)
    plain(course.set_xlabel("time (s)", fontsize=9, color=INK))
    plain(course.set_ylabel("fastest rates (1/s, rad/s)", fontsize=9, color=INK))
    tidy(course)
    add_legend(course, lines, list(curves))
    plain(figure.suptitle(title or "eigenvalues along the movement", fontsize=12, color=INK, x=0.01, ha="left"))
    return figure
