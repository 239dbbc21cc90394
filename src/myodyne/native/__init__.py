"""The C toolchain: finds a compiler, compiles, caches and loads; the C libraries themselves. Knows no biomechanics."""
