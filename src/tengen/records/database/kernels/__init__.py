"""Kernels of the game database."""
