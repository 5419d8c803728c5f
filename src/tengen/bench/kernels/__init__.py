"""Compiled benchmark loops."""
