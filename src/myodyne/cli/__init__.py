"""The command line. Libraries that take time to load are imported inside the commands that use them."""
