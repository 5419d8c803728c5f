"""Kernels of the small-board experiments."""
