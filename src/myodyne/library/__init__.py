"""Built-in models and data sets, made in Python from published numbers."""
