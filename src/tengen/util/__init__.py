"""Shared helpers without knowledge of Go: Numba setup, parameters, files, errors, text."""
