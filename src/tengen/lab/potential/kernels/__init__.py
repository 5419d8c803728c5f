"""Compiled parts of this laboratory."""
