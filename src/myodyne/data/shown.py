"""Columns of a trajectory as a table for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from myodyne.notebook import Table
from myodyne.types import Floats

_MOST = 12


def column_table(names: Sequence[str], units: Mapping[str, str], matrix: Floats) -> Table:
    """Return unit, first and last value and range of the first columns, those without a dot in their name first."""
    # A name without a dot is a coordinate or a control, which a reader knows; stable, so in the order of the file.
    order = sorted(range(len(names)), key=lambda place: "." in names[place])[:_MOST]
    rows = [(names[place], units[names[place]], *_numbers(matrix[place])) for place in order]
    title = f"{len(order)} of {len(names)} columns" if len(names) > len(order) else ""
    return Table(title, ("column", "unit", "first", "last", "least", "most"), rows)


def _numbers(column: Floats) -> tuple[str, str, str, str]:
    known = column[np.isfinite(column)]
    least, most = (known.min(), known.max()) if known.size else (np.nan, np.nan)
    # Adding zero makes of a negative zero a plain one.
    first, last, lowest, highest = (f"{value + 0.0:.4g}" for value in (column[0], column[-1], least, most))
    return first, last, lowest, highest
