"""Whole games looked over: win rate and score over the moves, and the largest mistakes.

The way of a game, each step a module: `outlook` (one position), `review` (the game), `annotate`
(back into SGF), `page` with `chart` and `picture` (HTML), `data` (JSON). `folder` keeps many games
beside each other and goes on where it was stopped.
"""
