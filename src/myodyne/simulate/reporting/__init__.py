"""From states over time to a result: columns, notes, audit and report."""
