"""Compiled search kernels."""
