"""Experiments of S. Wälde, Optimizing Time for Eigenvector Calculation (2016): paper 000."""
