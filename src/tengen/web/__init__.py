"""The web page to play and analyze games, and play in the terminal.

`app` is the web application, `game_server` and `game_room` hold the games, `messages` defines the
WebSocket messages, `engine_pool` shares the engines. The page itself, ES modules without a build
step, is in the folder `page`. `terminal` plays a game in the terminal.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
