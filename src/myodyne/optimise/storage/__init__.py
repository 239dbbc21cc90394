"""Problems and iterates as files: checkpoints, YAML, what a saved solution keeps."""
