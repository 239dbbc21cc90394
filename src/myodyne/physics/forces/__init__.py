"""Forces as expressions: actuators, springs, contacts, and their sum on links and coordinates."""
