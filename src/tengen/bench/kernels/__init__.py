"""Compiled loops of measurements."""
