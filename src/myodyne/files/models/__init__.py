"""Models as YAML: read, checked with line numbers, and written."""
