"""The engine: settings, time control, opening book, and the engines that use a search.

`create_engine` (search_engine.py) builds an `Engine` (engine.py) from `EngineSettings`
(settings.py).
"""
