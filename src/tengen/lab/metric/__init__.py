"""Experiments of paper 003: B. Bouzy, metric and dimensional evaluation functions."""
