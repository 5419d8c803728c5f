"""Regression suites: positions with the moves that are right in them."""
