"""Experiments of paper 002: M. Oshima-So, potential filters in Monte-Carlo Go."""
