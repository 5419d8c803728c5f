"""Compiled kernels of the potential-filter experiments."""
