"""Compiled kernels of the SHAPE experiments."""
