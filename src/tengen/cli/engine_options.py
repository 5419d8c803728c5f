"""Options of commands that search: settings, presets, sources, and KataGo's own options."""

import argparse
import dataclasses
import hashlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from tengen.engine import (
    EngineSettings,
    PlaySettings,
    PriorSettings,
    TranslatedSettings,
    parse_overrides,
    parse_source,
    preset_named,
    read_config,
    read_settings_file,
    translate,
)
from tengen.engine.book import BookSettings
from tengen.playout import PlayoutPolicy
from tengen.search import EvaluatorWeights, SearchSettings
from tengen.sources import NO_LIMIT
from tengen.util import TengenError, cache_dir, describe, positive_float, positive_int, value_text

PARTS = {
    "play": PlaySettings,
    "search": SearchSettings,
    "policy": PlayoutPolicy,
    "priors": PriorSettings,
    "opening": BookSettings,
    "net": EvaluatorWeights,
}
PER_MOVE = "move"
DEFAULT_VISITS = 20.0
PLAYER_PRESET = "laptop"
"""The default preset of commands for players; experiments start from `classic`."""
PRESET_NOTES = {
    "classic": "Settings start from preset=classic, which uses no network.",
    PLAYER_PRESET: f"""\
Settings start from preset={PLAYER_PRESET}, or from preset=classic (no network) if you set
net=, algorithm=, prior= or --prior.""",
}


def add_engine_options(
    parser: argparse.ArgumentParser,
    playouts_help: str = "",
    per: str = "position",
    default_preset: str = "classic",
) -> None:
    """Add the engine options to a command.

    `per` is the unit of the search limits, `move` or `position`; only moves use an opening book.
    `default_preset` is the preset that settings start from.
    """
    parser.epilog = PRESET_NOTES[default_preset] + " `tengen gtp --help` lists all settings."
    settings_help = "engine settings, for example preset=laptop, net=none, resign=0"
    parser.add_argument("settings", nargs="*", default=[], metavar="NAME=VALUE", help=settings_help)
    group = parser.add_argument_group("engine options")
    group.add_argument("--config", metavar="FILE", help="read settings from a TOML file")
    group.add_argument(
        "--level", metavar="RANK", help="rank to play at: 30k to 9d, auto, or strongest"
    )
    playouts_help = playouts_help or f"simulations per {per} (default: limited by time)"
    group.add_argument("--playouts", type=positive_int, help=playouts_help)
    seconds_help = f"seconds per {per} if neither --playouts nor a clock is set (default: 1)"
    group.add_argument("--seconds", type=positive_float, help=seconds_help)
    group.add_argument(
        "--threads", type=positive_int, help="search threads (default: number of cores)"
    )
    group.add_argument(
        "--seed", type=positive_int, help="random seed; reproducible with one thread"
    )
    if per == PER_MOVE:
        group.add_argument("--book", metavar="FILE", help="opening book, or `default`")
    _add_source_options(group)


def _add_source_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--prior",
        action="append",
        default=[],
        metavar="SOURCE",
        help="add a source as a prior: FILE.py:NAME, or a built-in one (bigmove, metric, ...); "
        "repeatable",
    )
    group.add_argument(
        "--equivalent-visits",
        type=positive_float,
        default=DEFAULT_VISITS,
        help="weight of --prior, in visits",
    )
    group.add_argument(
        "--before-move",
        type=positive_int,
        default=NO_LIMIT,
        help="use --prior only before move N (default: always)",
    )
    group.add_argument(
        "--to-depth",
        type=int,
        default=NO_LIMIT,
        help="use --prior only down to depth N, the root being 0 (default: at any depth)",
    )


def player_defaults(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the default settings of commands for players.

    They are empty if a network, algorithm or source is given, since sources have no effect
    beside a network.
    """
    is_custom = arguments.prior or _given_names(arguments) & {"net", "algorithm", "prior"}
    return () if is_custom else (f"preset={PLAYER_PRESET}",)


def default_playouts(arguments: argparse.Namespace, playouts: int) -> tuple[str, ...]:
    """Return a default number of playouts, empty if a time limit is given."""
    return () if "seconds" in _given_names(arguments) else (f"playouts={playouts}",)


def _given_names(arguments: argparse.Namespace) -> set[str]:
    """Return the names of all given settings, including those of presets."""
    overrides = given_overrides(arguments)
    presets = [word.partition("=")[2] for word in overrides if setting_name(word) == "preset"]
    of_presets = [word for name in presets for word in preset_named(name).overrides]
    return {setting_name(word) for word in [*overrides, *of_presets]}


def given_overrides(arguments: argparse.Namespace) -> list[str]:
    """Return the settings of options, file and arguments as `name=value`; later ones win."""
    words = [f"level={arguments.level}"] if arguments.level is not None else []
    words += [
        *(read_settings_file(arguments.config) if arguments.config else ()),
        *arguments.settings,
    ]
    for name in ("playouts", "seconds", "threads", "seed", "book"):
        if getattr(arguments, name, None) is not None:
            words.append(f"{name}={getattr(arguments, name)}")
    return words


def setting_name(word: str) -> str:
    """Return the name in `part.name=value`."""
    return word.partition("=")[0].rpartition(".")[2].strip()


def engine_settings(arguments: argparse.Namespace, first: Iterable[str] = ()) -> EngineSettings:
    """Return the settings of the options, which override those of `first`; raise TengenError."""
    return with_prior_sources(
        EngineSettings().with_overrides([*first, *given_overrides(arguments)]), arguments
    )


def with_prior_sources(settings: EngineSettings, arguments: argparse.Namespace) -> EngineSettings:
    """Return the settings with the sources of `--prior` added; raise TengenError."""
    if not arguments.prior:
        _check_prior_options(arguments)
    sources = tuple(
        parse_source(spec, arguments.equivalent_visits, arguments.before_move, arguments.to_depth)
        for spec in arguments.prior
    )
    return dataclasses.replace(settings, sources=(*settings.sources, *sources))


def _check_prior_options(arguments: argparse.Namespace) -> None:
    """Raise TengenError for an option of `--prior` without it."""
    defaults = {"equivalent_visits": DEFAULT_VISITS, "before_move": NO_LIMIT, "to_depth": NO_LIMIT}
    for name, value in defaults.items():
        if getattr(arguments, name) != value:
            raise TengenError(f"--{name.replace('_', '-')} requires --prior")


def split_paths_and_settings(arguments: argparse.Namespace) -> None:
    """Separate settings from `paths`: a word with `=` that is not a file is a setting."""
    words = [*arguments.paths, *arguments.settings]
    settings = [word for word in words if "=" in word and not os.path.exists(word)]
    arguments.paths = [word for word in words if word not in settings]
    arguments.settings = settings


def engine_description(settings: EngineSettings, arguments: argparse.Namespace) -> str:
    """Describe engine, limits and settings; results of another description cannot be resumed.

    Files that settings name are included by their digest.
    """
    from tengen import __version__
    from tengen.engine import file_digests

    play = settings.play
    limit = f"{play.playouts} playouts" if play.playouts else f"{play.seconds:g} s"
    hidden = ("playouts=", "seconds=", "threads=")
    words = [w for w in settings.overrides(with_parts=False) if not w.startswith(hidden)]
    named = [*arguments.settings, *(f"prior={source}" for source in arguments.prior)]
    words += [f"({path}: {digest[:8]})" for path, digest in file_digests(named).items()]
    return " ".join([f"Tengen {__version__}, {limit} per position", *words])


def settings_text() -> str:
    """Return the list of all settings for help texts."""
    lines = [
        "settings (name=value, also in a TOML file):",
        "    preset=NAME               several settings at once; see `tengen presets`",
        "    prior=NAME@VISITS,...     add a source: FILE.py:NAME or a built-in one",
    ]
    for part, kind in PARTS.items():
        lines.append(f"  {part}:")
        for name, default, meaning in describe(kind):
            lines.append(f"    {name}={value_text(default)}".ljust(30) + meaning)
    return "\n".join(lines)


MODEL_SUFFIXES = (".bin.gz", ".txt.gz", ".bin", ".txt")
DIGEST_LENGTH = 16


def add_katago_options(parser: argparse.ArgumentParser) -> None:
    """Add KataGo's options, spelled with one dash."""
    group = parser.add_argument_group(
        "KataGo options",
        "For programs written for KataGo. Unsupported settings are listed on stderr.",
    )
    group.add_argument(
        "-model",
        metavar="FILE",
        help="network: a KataGo .bin.gz file (converted once) or an .onnx file",
    )
    group.add_argument(
        "-config",
        dest="config_of_katago",
        action="append",
        default=[],
        metavar="FILE",
        help="KataGo config file",
    )
    group.add_argument(
        "-override-config",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="KataGo settings",
    )
    group.add_argument(
        "-human-model",
        metavar="FILE",
        help="human-like network; set its players with -override-config humanSLProfile=rank_5k",
    )


def katago_settings(arguments: argparse.Namespace) -> TranslatedSettings:
    """Translate KataGo's options and print the unsupported ones to stderr.

    Raise TengenError for unreadable files and invalid values.
    """
    values: dict[str, str] = {}
    for path in arguments.config_of_katago:
        values |= read_config(path)
    for text in arguments.override_config:
        values |= parse_overrides(text)
    found = translate(values)
    if arguments.model is not None:
        found.overrides.append(f"play.net={_first_net(arguments.model, found.human_profile)}")
    if arguments.human_model is not None:
        found.overrides.append(f"play.human_net={import_model(Path(arguments.human_model))}")
        if not found.human_profile:
            warn("the human-like network is not used until humanSLProfile is set")
    if found.human_profile is not None:
        found.overrides.append(f"play.human_profile={found.human_profile}")
    if found.unknown:
        warn(f"ignored KataGo settings: {', '.join(found.unknown)}")
    return found


def _first_net(model: str, profile: str | None) -> str:
    """Return the name of the first network, with the player profile if it is human-like."""
    from tengen.engine import is_human_like

    path = str(import_model(Path(model)))
    if not is_human_like(path):
        return path
    if not profile:
        raise TengenError(
            f"{model} is a human-like network: add -override-config humanSLProfile=rank_5k"
        )
    return f"{path}@{profile}"


def warn(message: str) -> None:
    """Print a warning to stderr; stdout is for the protocol."""
    print(f"tengen: {message}", file=sys.stderr, flush=True)


def import_model(model: Path) -> Path:
    """Return the path of a network; a KataGo file is converted once and then cached.

    Raise TengenError if the file is missing or not a network.
    """
    if not model.name.endswith(MODEL_SUFFIXES):
        from tengen.engine import load_named_net, net_path

        load_named_net(str(model))
        return net_path(str(model))
    from tengen.nets.katago import import_net

    target = cache_dir() / "nets" / f"{_digest(model)}.onnx"
    if not target.is_file():
        warn(f"converting {model.name} (once)")
        target.parent.mkdir(parents=True, exist_ok=True)
        import_net(model, target)
    return target


def _digest(path: Path) -> str:
    """Return a digest of a file's content."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:DIGEST_LENGTH]
    except OSError as error:
        raise TengenError(f"cannot read the network {path}: {error.strerror}") from None
