"""Experiments of paper 000: S. Wälde, Optimizing Time for Eigenvector Calculation (2016)."""
