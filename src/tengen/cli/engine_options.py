"""The options of every command that plays: which engine, with which settings."""

import argparse
import os
from collections.abc import Iterable
from dataclasses import replace

from tengen.book.settings import BookSettings
from tengen.core.counts import positive_float, positive_int
from tengen.core.errors import TengenError
from tengen.core.parameters import describe
from tengen.engine.presets import preset_named
from tengen.engine.settings import EngineSettings, PlaySettings, PriorSettings
from tengen.engine.settings_file import settings_words
from tengen.engine.source_text import parse_source
from tengen.knowledge.source import ALWAYS
from tengen.playout.policy import Policy
from tengen.search.net_use import NetUse
from tengen.search.settings import SearchSettings

PARTS = {
    "play": PlaySettings,
    "search": SearchSettings,
    "policy": Policy,
    "priors": PriorSettings,
    "opening": BookSettings,
    "net": NetUse,
}
A_MOVE = "a move"
USUAL_VISITS = 20.0
FOR_PLAYERS = "laptop"
"""The preset of commands for players."""
BEGINNINGS = {
    "classic": "The settings begin with preset=classic, which has no net.",
    FOR_PLAYERS: f"""\
The settings begin with preset={FOR_PLAYERS}, or with preset=classic if you choose
a net, a source or a kind of search yourself (net=, --prior, prior=, kind=).""",
}


def add_engine_options(
    parser: argparse.ArgumentParser,
    playouts_help: str = "",
    per: str = "a position",
    begins_with: str = "classic",
) -> None:
    """Add the engine's options to a command.

    `per` is what the search has its playouts and seconds for; only who plays moves has a book.
    `begins_with` is the preset that the settings change.
    """
    parser.epilog = BEGINNINGS[begins_with] + " `tengen gtp --help` lists all settings."
    help_text = "settings, such as `preset=laptop`, `net=none` or `resign=0`: see below"
    parser.add_argument("settings", nargs="*", default=[], metavar="NAME=VALUE", help=help_text)
    group = parser.add_argument_group("the engine")
    group.add_argument("--config", metavar="FILE", help="settings from a TOML file")
    group.add_argument("--level", metavar="RANK", help="25k to 1d, roughly, or strongest")
    playouts_help = playouts_help or f"simulations {per} (default: by the time)"
    group.add_argument("--playouts", type=positive_int, help=playouts_help)
    seconds_help = f"seconds {per}, where neither playouts nor a clock say when to stop (default 1)"
    group.add_argument("--seconds", type=positive_float, help=seconds_help)
    group.add_argument("--threads", type=positive_int, help="default: all cores")
    group.add_argument("--seed", type=positive_int, help="repeat a game exactly (one thread)")
    if per == A_MOVE:
        group.add_argument("--book", metavar="FILE", help="an opening book, or `shipped`")
    _add_source_options(group)


def _add_source_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--prior",
        action="append",
        default=[],
        metavar="SOURCE",
        help="one more source of knowledge: FILE.py:NAME for your own, or one of ours (bigmove, "
        "metric, ...); can be given several times",
    )
    group.add_argument(
        "--equivalent-visits",
        type=positive_float,
        default=USUAL_VISITS,
        help="weight of --prior, in visits (default 20)",
    )
    group.add_argument(
        "--before-move", type=positive_int, default=ALWAYS, help="ask it before this move only"
    )
    group.add_argument(
        "--to-depth", type=int, default=ALWAYS, help="ask it down to this depth only; root is 0"
    )


def words_for_players(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return what commands for players, not for experiments, begin with: the strongest settings.

    Whoever names a net, a kind of search or a source gets just that; without a net sources count.
    """
    is_special = arguments.prior or _told_names(arguments) & {"net", "kind", "prior"}
    return () if is_special else (f"preset={FOR_PLAYERS}",)


def usual_playouts(arguments: argparse.Namespace, playouts: int) -> tuple[str, ...]:
    """Return the playouts of a command that counts them unless it is told seconds."""
    return () if "seconds" in _told_names(arguments) else (f"playouts={playouts}",)


def _told_names(arguments: argparse.Namespace) -> set[str]:
    """Return the names of all settings that are told, those of presets among them."""
    words = told_words(arguments)
    named = [word.partition("=")[2] for word in words if setting_name(word) == "preset"]
    of_presets = [word for name in named for word in preset_named(name).words]
    return {setting_name(word) for word in [*words, *of_presets]}


def told_words(arguments: argparse.Namespace) -> list[str]:
    """Return all that options, file and words say as `name=value`; a later one counts more."""
    words = [f"level={arguments.level}"] if arguments.level is not None else []
    words += [*(settings_words(arguments.config) if arguments.config else ()), *arguments.settings]
    for name in ("playouts", "seconds", "threads", "seed", "book"):
        if getattr(arguments, name, None) is not None:
            words.append(f"{name}={getattr(arguments, name)}")
    return words


def setting_name(word: str) -> str:
    """Return which setting a word is about, without its part."""
    return word.partition("=")[0].rpartition(".")[2].strip()


def engine_settings(arguments: argparse.Namespace, first: Iterable[str] = ()) -> EngineSettings:
    """Return the settings that the options give; raise TengenError for what is wrong.

    `first` are settings that came otherwise; whatever the options say counts more.
    """
    return with_own_sources(
        EngineSettings().with_words([*first, *told_words(arguments)]), arguments
    )


def with_own_sources(settings: EngineSettings, arguments: argparse.Namespace) -> EngineSettings:
    """Return the settings with the sources of `--prior` added; raise TengenError."""
    if not arguments.prior:
        _refuse_lonely(arguments)
    sources = tuple(
        parse_source(spec, arguments.equivalent_visits, arguments.before_move, arguments.to_depth)
        for spec in arguments.prior
    )
    return replace(settings, sources=(*settings.sources, *sources))


def _refuse_lonely(arguments: argparse.Namespace) -> None:
    """Raise TengenError for what says how `--prior` is used, where there is none."""
    usual = {"equivalent_visits": USUAL_VISITS, "before_move": ALWAYS, "to_depth": ALWAYS}
    for name, value in usual.items():
        if getattr(arguments, name) != value:
            raise TengenError(f"--{name.replace('_', '-')} goes with --prior")


def sort_words(arguments: argparse.Namespace) -> None:
    """Tell settings from the files of `paths`: a word with `=` that is no file is a setting."""
    words = [*arguments.paths, *arguments.settings]
    settings = [word for word in words if "=" in word and not os.path.exists(word)]
    arguments.paths = [word for word in words if word not in settings]
    arguments.settings = settings


def made_by(settings: EngineSettings, arguments: argparse.Namespace) -> str:
    """Return which engine looks, and how long: work of another is not gone on with.

    It is another, too, if a net or an idea in a file has changed.
    """
    from tengen import __version__
    from tengen.engine.named_files import file_digests
    from tengen.review.words import changes

    play = settings.play
    effort = f"{play.playouts} playouts" if play.playouts else f"{play.seconds:g} s"
    hidden = ("playouts=", "seconds=", "threads=")
    words = [word for word in changes(settings) if not word.startswith(hidden)]
    named = [*arguments.settings, *(f"prior={idea}" for idea in arguments.prior)]
    words += [f"({path}: {digest[:8]})" for path, digest in file_digests(named).items()]
    return " ".join([f"Tengen {__version__}, {effort} a position", *words])


def settings_text() -> str:
    """Return the list of all settings for help texts."""
    lines = [
        "settings (name=value; also in a TOML file):",
        "    preset=NAME, level=RANK   many settings at once: `tengen presets` has them",
        "    prior=NAME@VISITS,...     one more source, FILE.py:NAME or one of ours",
    ]
    for part, kind in PARTS.items():
        lines.append(f"  {part}:")
        for name, default, meaning in describe(kind):
            lines.append(f"    {name}={default}".ljust(30) + meaning)
    return "\n".join(lines)
