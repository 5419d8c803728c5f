"""Potential filters: prune half the board and play no worse? (M. Oshima-So, paper 002)"""
