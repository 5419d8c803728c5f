"""The options of every command that plays: which engine, with which settings."""

import argparse
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen.cli.arguments import positive_float, positive_int
from tengen.core.errors import TengenError
from tengen.core.parameters import describe
from tengen.engine.settings import EngineSettings, PlaySettings, PriorSettings
from tengen.knowledge.source import ALWAYS, load_source
from tengen.playout.policy import Policy
from tengen.search.settings import SearchSettings

PARTS = {
    "play": PlaySettings,
    "search": SearchSettings,
    "policy": Policy,
    "priors": PriorSettings,
}


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add the engine's options to a command, and its settings to the help."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = settings_text()
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE", help="settings, see below")
    parser.add_argument("--config", metavar="FILE", help="settings from a TOML file")
    parser.add_argument("--playouts", type=positive_int, help="simulations a move")
    parser.add_argument("--seconds", type=positive_float, help="seconds a move without a clock")
    parser.add_argument("--threads", type=positive_int, help="default: all cores")
    parser.add_argument("--seed", type=positive_int, help="repeat a game exactly (one thread)")
    parser.add_argument(
        "--prior",
        action="append",
        default=[],
        metavar="FILE.py:NAME",
        help="a knowledge source of your own; can be given several times",
    )
    parser.add_argument(
        "--equivalent-visits", type=positive_float, default=20.0, help="its weight (default 20)"
    )
    parser.add_argument(
        "--before-move", type=positive_int, default=ALWAYS, help="ask it before this move only"
    )
    parser.add_argument(
        "--to-depth", type=int, default=ALWAYS, help="ask it down to this depth only; root is 0"
    )


def engine_settings(arguments: argparse.Namespace) -> EngineSettings:
    """Return the settings that the options give; raise TengenError for what is wrong."""
    words = [*(_config_words(arguments.config) if arguments.config else ()), *arguments.settings]
    for name in ("playouts", "seconds", "threads", "seed"):
        if getattr(arguments, name) is not None:
            words.append(f"{name}={getattr(arguments, name)}")
    sources = tuple(
        load_source(spec, arguments.equivalent_visits, arguments.before_move, arguments.to_depth)
        for spec in arguments.prior
    )
    return replace(EngineSettings().with_words(words), sources=sources)


def _config_words(path: str) -> Iterator[str]:
    """Yield the settings of a TOML file as words; tables name the parts."""
    try:
        table = tomllib.loads(Path(path).read_text())
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TengenError(f"{path} is not valid TOML: {error}") from None
    yield from table_words(table)


def table_words(table: dict[str, Any], part: str = "") -> Iterator[str]:
    """Yield the values of a TOML table as `part.name=value`."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from table_words(value, f"{name}.")
        else:
            yield f"{part}{name}={value}"


def settings_text() -> str:
    """Return the list of all settings for help texts."""
    lines = ["settings (name=value; also in a TOML file):"]
    for part, kind in PARTS.items():
        lines.append(f"  {part}:")
        for name, default, meaning in describe(kind):
            lines.append(f"    {name}={default}".ljust(30) + meaning)
    return "\n".join(lines)
