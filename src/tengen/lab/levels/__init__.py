"""Calibration of the levels by matches."""
