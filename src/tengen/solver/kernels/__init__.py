"""Compiled kernels of the solver."""
