"""Compiled parts of the experiments."""
