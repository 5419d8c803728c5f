"""The page of `tengen play`: its settings from the command line, its address, its server."""

import argparse
import os
import sys
import webbrowser
from dataclasses import replace

from tengen.cli.engine_options import (
    setting_name,
    told_words,
    with_own_sources,
    words_for_players,
)
from tengen.core.errors import TengenError
from tengen.database.place import usual_place
from tengen.engine.levels import STRONGEST, level_named
from tengen.engine.settings import EngineSettings
from tengen.view.warming import warm_up_beside
from tengen.web.app import make_app
from tengen.web.engines import EnginePool
from tengen.web.guard import Door
from tengen.web.house import House
from tengen.web.messages import New
from tengen.web.server import address_of, free_socket, serve

FIRST_LEVEL = "10k"
"""The engine's level in the first game; others are a click away."""
OVERRULED = {"net", "playouts", "preset", "seconds", "temperature"}
"""A level has settings of its own for these: who names one does not mean the first level."""
MEMORY_MIB = 128
"""For the tree of each engine, unless told otherwise: there may be several."""


def serve_page(arguments: argparse.Namespace, first_game: New) -> int:
    """Serve the page until Ctrl-C."""
    first_game = replace(first_game, level=first_level(told_words(arguments)))
    house = make_house(arguments, first_game)
    door = Door.to(arguments.host, arguments.token)
    listening = free_socket(arguments.host, arguments.port)
    house.engines.warm_up(level_named(first_game.level).settings(house.settings))
    address = address_of(listening, door)
    print(f"Tengen is at {address} (Ctrl-C ends it)", flush=True)
    if not arguments.no_browser and has_screen():
        webbrowser.open(address)
    beside = warm_up_beside()
    try:
        serve(make_app(house, door), listening)
    finally:
        if beside is not None:
            beside.kill()
    return 0


def has_screen() -> bool:
    """Tell whether a browser could show itself: one for the terminal would only be in the way."""
    needs_display = sys.platform.startswith(("linux", "freebsd"))
    return not needs_display or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())


def first_level(words: list[str]) -> str:
    """Return the level of the first game: the one told, or one that leaves the settings as told."""
    told = [word.partition("=")[2] for word in words if setting_name(word) == "level"]
    if told:
        return level_named(told[-1]).name
    is_overruled = any(setting_name(word) in OVERRULED for word in words)
    return STRONGEST if is_overruled else FIRST_LEVEL


def make_house(arguments: argparse.Namespace, first_game: New) -> House:
    """Return the house that the options ask for; raise TengenError for what is wrong."""
    if not arguments.experiments.is_dir():
        raise TengenError(f"no such folder: {arguments.experiments}")
    cores = os.cpu_count() or 1
    # A person alone shall have half of the machine, two shall have all of it.
    words = [f"threads={max(cores // 2, 1)}", f"memory_mib={MEMORY_MIB}"]
    # The level is the first game's; hints and analyses are as strong as it gets.
    told = [word for word in told_words(arguments) if setting_name(word) != "level"]
    settings = EngineSettings().with_words([*words, *words_for_players(arguments), *told])
    settings = with_own_sources(settings, arguments)
    seats = max(cores // max(settings.search.threads, 1), 1)
    return House(
        settings,
        first_game,
        arguments.experiments.resolve(),
        arguments.games or usual_place(),
        tuple(arguments.prior),
        EnginePool(seats),
    )
