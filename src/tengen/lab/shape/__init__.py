"""Experiments of paper 004: A. Terenin et al., SHAPE."""
