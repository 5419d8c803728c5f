"""Matches between engines: players, games, storage, statistics, reports, regression suites.

`tengen.match.tuning` optimizes parameters by games.
"""
