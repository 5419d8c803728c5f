"""Kernels of the opening book."""
