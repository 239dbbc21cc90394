"""Events, the search for their instants, and landings."""
