"""Kernels of the sources."""
