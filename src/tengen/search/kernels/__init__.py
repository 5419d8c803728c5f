"""Compiled kernels of the search: selection, expansion, evaluation, backup."""
