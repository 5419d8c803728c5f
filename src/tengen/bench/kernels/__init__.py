"""Kernels that only measurements need."""
