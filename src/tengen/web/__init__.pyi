from .access import AccessPolicy as AccessPolicy
from .app import (
    free_socket as free_socket,
    make_app as make_app,
    serve as serve,
    server_url as server_url,
)
from .context import ServerContext as ServerContext
from .engine_pool import EnginePool as EnginePool
from .game_options import first_position as first_position
from .game_server import GameServer as GameServer
from .library import GameLibrary as GameLibrary
from .messages import NewGame as NewGame
from .preparation import Preparer as Preparer
from .problem_store import ProblemStore as ProblemStore
from .problems import Problem as Problem
from .terminal import TerminalGame as TerminalGame
