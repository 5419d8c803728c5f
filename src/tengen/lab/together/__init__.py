"""Experiments on all five papers together: which ideas make a stronger engine."""
