"""`tengen play`: play against the engine in the browser or the terminal."""

import argparse
import os
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.engine_options import (
    PER_MOVE,
    PLAYER_PRESET,
    add_engine_options,
    engine_settings,
    given_overrides,
    player_defaults,
    setting_name,
    with_prior_sources,
)
from tengen.cli.options import RULES_HELP, SIZE_HELP
from tengen.engine import STRONGEST, EngineSettings, level_named
from tengen.util import TengenError, finite_float

if TYPE_CHECKING:
    from tengen.board import Color, Position
    from tengen.web import GameServer, NewGame

DEFAULT_LEVEL = "10k"
"""The engine's level in the first game; the page can change it."""
LEVEL_SETTINGS = {"net", "playouts", "preset", "seconds", "temperature"}
"""Settings that have no effect on a level; if one is given, the first game uses no level."""
MEMORY_MIB = 128
"""Default size of the tree of each engine, since there may be several."""
DEFAULT_PORT = 8361
REPLY_S = (0.4, 1.2)
MAX_REPLY_S = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_engine_options(parser, per=PER_MOVE, default_preset=PLAYER_PRESET)
    parser.add_argument("--text", action="store_true", help="play in the terminal")
    parser.add_argument("--size", default="9", help=SIZE_HELP)
    parser.add_argument("--color", default="black", help="your color: black or white")
    parser.add_argument(
        "--komi", type=finite_float, default=None, help="komi (default: that of the rules)"
    )
    parser.add_argument("--rules", default="chinese", help=f"{RULES_HELP}")
    parser.add_argument("--handicap", type=int, default=0, help="your handicap stones")
    parser.add_argument(
        "--reply-time",
        type=_reply_time,
        default=REPLY_S,
        metavar="MIN,MAX",
        help="minimum time of a move of a level, drawn between these seconds, or 0 for none "
        f"(default: {REPLY_S[0]:g},{REPLY_S[1]:g})",
    )
    page = parser.add_argument_group("page options")
    page.add_argument("--no-browser", action="store_true", help="print the address only")
    page.add_argument("--port", type=_port, default=DEFAULT_PORT, help="first port to try")
    page.add_argument(
        "--host", default="127.0.0.1", help="address to listen on, 0.0.0.0 for all networks"
    )
    page.add_argument("--token", help="access token for other machines (default: a new one)")
    page.add_argument(
        "--experiments",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="folder of matches, tuning runs and lab reports (default: the current folder)",
    )
    page.add_argument(
        "--games",
        type=Path,
        metavar="FILE",
        help="game database (default: that of `tengen games import`)",
    )
    page.add_argument(
        "--problems",
        type=Path,
        metavar="FOLDER",
        help="problem collections and progress (default: in the user's data folder)",
    )
    page.add_argument(
        "--library",
        type=Path,
        metavar="FILE",
        help="collections and autosaved games (default: that of `tengen games collect`)",
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"port must be from 0 to 65535, got {text!r}")
    return int(text)


def _reply_time(text: str) -> tuple[float, float]:
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    low, high = (values * 2)[:2] if values else (-1.0, -1.0)
    if len(values) > 2 or not 0 <= low <= high <= MAX_REPLY_S:
        raise argparse.ArgumentTypeError(
            f"reply time must be MIN,MAX in seconds up to {MAX_REPLY_S:g}, got {text!r}"
        )
    return low, high


def run(arguments: argparse.Namespace) -> int:
    """Play one game in the terminal, or serve the page until Ctrl-C."""
    from tengen.board import Color
    from tengen.web import NewGame, first_position

    color = Color.parse(arguments.color)
    game = NewGame(
        size=arguments.size,
        color=color.name.lower(),
        handicap=arguments.handicap,
        komi=arguments.komi,
        rules=arguments.rules,
    )
    position = first_position(game)
    if not arguments.text:
        return _serve_page(arguments, game)
    settings = engine_settings(arguments, player_defaults(arguments))
    return _play_in_terminal(position, color, settings, arguments.reply_time)


def _play_in_terminal(
    position: "Position", color: "Color", settings: EngineSettings, reply_s: tuple[float, float]
) -> int:
    from tengen.engine import create_engine
    from tengen.util import Console
    from tengen.web import TerminalGame

    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            # Invalid input and unprintable output must not end the game.
            stream.reconfigure(errors="replace")
    console = Console(highlight=False)
    TerminalGame(position, color, create_engine(settings), console, reply_s=reply_s).play()
    return 0


# The page


def _serve_page(arguments: argparse.Namespace, first_game: "NewGame") -> int:
    """Serve the page until Ctrl-C."""
    import msgspec

    from tengen.view import start_warm_up
    from tengen.web import AccessPolicy, Preparer, free_socket, make_app, serve, server_url

    level = level_named(initial_level(given_overrides(arguments)))
    first_game = msgspec.structs.replace(first_game, level=level.name)
    server = _make_game_server(arguments, first_game)
    access = AccessPolicy.for_host(arguments.host, arguments.token)
    listening = free_socket(arguments.host, arguments.port)
    settings = server.context.settings.with_overrides(level.overrides)
    layers: list[subprocess.Popen[bytes]] = []

    def compile_layers() -> None:
        layers.extend(filter(None, [start_warm_up()]))

    server.preparer = Preparer(server.context.engines, settings, compile_layers)
    url = server_url(listening, access)
    print(f"Tengen is at {url} (Ctrl-C to stop)", flush=True)
    if not arguments.no_browser and has_display():
        webbrowser.open(url)
    try:
        serve(make_app(server, access), listening)
    finally:
        for process in layers:
            process.kill()
    return 0


def has_display() -> bool:
    """Return whether a graphical browser can be opened; text browsers are not used."""
    needs_display = sys.platform.startswith(("linux", "freebsd"))
    return not needs_display or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())


def initial_level(overrides: list[str]) -> str:
    """Return the level of the first game: the given one, or one that keeps the given settings."""
    given = [word.partition("=")[2] for word in overrides if setting_name(word) == "level"]
    if given:
        return level_named(given[-1]).name
    is_custom = any(setting_name(word) in LEVEL_SETTINGS for word in overrides)
    return STRONGEST if is_custom else DEFAULT_LEVEL


def _make_game_server(arguments: argparse.Namespace, first_game: "NewGame") -> "GameServer":
    """Return the game server for the options; raise TengenError."""
    from tengen.records import default_library_path
    from tengen.records.database import default_database_path
    from tengen.util import data_dir
    from tengen.web import EnginePool, GameLibrary, GameServer, ProblemStore, ServerContext

    if not arguments.experiments.is_dir():
        raise TengenError(f"no such folder: {arguments.experiments}")
    cores = os.cpu_count() or 1
    # Each engine gets half of the cores, so that two games can run in parallel.
    defaults = [f"threads={max(cores // 2, 1)}", f"memory_mib={MEMORY_MIB}"]
    # The level applies to the first game; hints and analysis use the full strength.
    given = [word for word in given_overrides(arguments) if setting_name(word) != "level"]
    settings = EngineSettings().with_overrides([*defaults, *player_defaults(arguments), *given])
    settings = with_prior_sources(settings, arguments)
    engines = max(cores // max(settings.search.threads, 1), 1)
    database = arguments.games or default_database_path()
    context = ServerContext(
        settings,
        arguments.experiments.resolve(),
        database,
        tuple(arguments.prior),
        EnginePool(engines),
        problems=ProblemStore(arguments.problems or data_dir() / "problems"),
        library=GameLibrary(arguments.library or default_library_path(), database),
        reply_s=arguments.reply_time,
    )
    return GameServer(context, first_game)
