"""What laboratories record: uneven times, gaps, noise, cycles, measured points."""
