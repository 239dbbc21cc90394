"""C source of kernels: straight-line code, in parts where it is long, and for several rows or runs at once."""
