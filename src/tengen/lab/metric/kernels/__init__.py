"""Compiled kernels of the metric experiments."""
