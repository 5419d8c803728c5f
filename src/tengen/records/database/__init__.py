"""Game database: one SQLite file, searched by whole positions and by local patterns.

`database.GameDatabase` opens and searches a file, `importer.import_games` adds games to it.
"""
