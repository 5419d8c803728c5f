"""Experiments of paper 001: A. Kessler and I. Shusdock, Adaptive Neural Network Usage (2017)."""
