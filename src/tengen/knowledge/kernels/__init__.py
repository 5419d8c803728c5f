"""Compiled knowledge sources."""
