"""What drives a simulation beside its signals: feedback, sampled controllers, recorded forces."""
