"""Solver for small boards: proves the value of a position with up to 30 points.

`solver.Solver` solves positions, `solver.SolverPlayer` plays without mistakes and `store` keeps
proved bounds on disk.
"""
