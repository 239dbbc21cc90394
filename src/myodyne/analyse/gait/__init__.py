"""Gait compared with human norms: strikes, strides, curves in percent of the cycle, norms, and a verdict."""
