"""Compiled parts of reading records."""
