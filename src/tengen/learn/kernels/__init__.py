"""Compiled parts of learning."""
