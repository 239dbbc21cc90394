"""The muscles of a model: kinds that share one function, tables, batches of C, and fibres in balance."""
