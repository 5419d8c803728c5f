"""Kernels of the nets: what they see of a board."""
