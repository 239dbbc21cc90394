"""A gait judged beside people: strikes, strides, curves in percent of the cycle, norms, and a verdict."""
