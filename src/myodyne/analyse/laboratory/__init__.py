"""A recorded trial from markers and plates to moments, judged by published thresholds."""
