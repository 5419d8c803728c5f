"""Compiled playout kernels."""
