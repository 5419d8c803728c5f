"""A database of games: one SQLite file, searched by whole positions and by local patterns.

`GameDatabase` is all that a command or a page needs; see docs/games.md.
"""
