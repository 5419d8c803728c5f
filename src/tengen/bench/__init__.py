"""Measurements of the hot parts, beside C where that is possible."""
