"""Administrative commands, notifications and engine settings."""

import dataclasses
import time
from typing import Any

from tengen.engine import LEVELS, PARTS, PlaySettings, for_black, level_named
from tengen.protocols.gtp.protocol import CommandError, parse_number, require
from tengen.protocols.gtp.session import COMMANDS, Session, command
from tengen.util import value_text

SEED_RANGE = 2**31


@command("protocol_version")
def protocol_version(session: Session, arguments: list[str]) -> str:
    """Return the version of the protocol."""
    return "2"


@command("name")
def name(session: Session, arguments: list[str]) -> str:
    """Return the name of the engine, or the one set by `--as`."""
    return session.identity.name


@command("version")
def version(session: Session, arguments: list[str]) -> str:
    """Return the version of the engine."""
    return session.identity.version


@command("known_command")
def known_command(session: Session, arguments: list[str]) -> str:
    """Return whether a command is known."""
    (queried,) = require(arguments, 1, "known_command NAME")
    return "true" if queried in COMMANDS else "false"


@command("list_commands")
def list_commands(session: Session, arguments: list[str]) -> str:
    """List all commands."""
    return "\n".join(sorted(COMMANDS))


@command("quit")
def close(session: Session, arguments: list[str]) -> str:
    """End the session."""
    session.is_closed = True
    return ""


@command("gomill-cpu_time")
@command("cputime")
def cputime(session: Session, arguments: list[str]) -> str:
    """Return the CPU time used so far, in seconds."""
    return f"{time.process_time():.3f}"


@command("set_random_seed")
def set_random_seed(session: Session, arguments: list[str]) -> str:
    """Set the random seed and clear the tree, to make games reproducible."""
    (text,) = require(arguments, 1, "set_random_seed N")
    session.engine.restart(int(parse_number(text, "set_random_seed N")) % SEED_RANGE + 1)
    return ""


@command("clear_cache")
def clear_cache(session: Session, arguments: list[str]) -> str:
    """Clear the search tree."""
    session.holder.discard()
    return ""


@command("stop")
def stop(session: Session, arguments: list[str]) -> str:
    """Stop pondering."""
    session.holder.stop_pondering()
    return ""


# Servers


@command("cgos-gameover")
@command("kgs-game_over")
def game_over(session: Session, arguments: list[str]) -> str:
    """Accept the notification that the game is over; the board is kept."""
    session.holder.stop_pondering()
    return ""


@command("kgs-chat")
def kgs_chat(session: Session, arguments: list[str]) -> str:
    """Answer a chat message: `kgs-chat game|private NAME MESSAGE`."""
    require(arguments, 3, "kgs-chat game|private NAME MESSAGE")
    introduction = f"I am {session.identity.name} {session.identity.version}, a Go engine."
    last = session.last_search
    if last is None:
        return f"{introduction} I have not searched yet in this game."
    black = for_black(last.report.value, last.position.to_play)
    side, winrate = ("Black", black) if black >= 0.5 else ("White", 1 - black)
    return (
        f"{introduction} In my last search {side} won {winrate:.0%}"
        f" of {last.report.visits} simulations."
    )


@command("cgos-opponent_name")
@command("cgos-opponent_rating")
def opponent(session: Session, arguments: list[str]) -> str:
    """Accept the name or rating of the opponent."""
    return ""


PREFIX = "tengen-param_"
LABELS = {
    "play": "Play",
    "search": "Search",
    "policy": "Playouts",
    "priors": "Priors",
    "net": "Network",
    "opening": "Opening book",
}
LIVE, LEVEL = "tengen-param_live", "tengen-param_level"
SETTING_COMMANDS = {
    LEVEL: "Settings: Level",
    **{f"{PREFIX}{part}": f"Settings: {LABELS[part]}" for part in PARTS},
    LIVE: "Settings: Live graphics",
}
"""GoGui's label for each command."""
LIVE_LAYERS = ("search.visits", "search.winrate", "search.prior", "search.rave", "search.ownership")
OFF = "off"
IGNORED = {
    "rules": "use kata-set-rules",
    "numAnalysisThreads": "one position is searched at a time",
    "reportAnalysisWinratesAs": "win rates are those of the side to move",
}
"""KataGo parameters that have no effect over GTP, and why."""


# GoGui's dialogs


def _register_dialog(part: str) -> None:
    """Register the dialog of one part of the settings."""

    @command(f"{PREFIX}{part}")
    def dialog(session: Session, arguments: list[str]) -> str:
        """List the settings of a part, or set one: `tengen-param_search threads 2`."""
        return _dialog(session, part, arguments)


for _part in PARTS:
    _register_dialog(_part)


def _dialog(session: Session, part: str, arguments: list[str]) -> str:
    component = getattr(session.settings, part)
    if not arguments:
        return "\n".join(_dialog_line(field, component) for field in dataclasses.fields(component))
    name, *words = arguments
    if name not in {field.name for field in dataclasses.fields(component)}:
        raise CommandError(f"unknown parameter {name}")
    override = f"{part}.{name}={' '.join(words)}"
    session.holder.change_settings(session.settings.with_overrides([override]))
    return ""


def _dialog_line(field: "dataclasses.Field[Any]", component: object) -> str:
    """Return a setting in the format of GoGui's dialog: `[type] key value`."""
    value = getattr(component, field.name)
    if isinstance(value, bool):
        return f"[bool] {field.name} {int(value)}"
    choices = field.metadata.get("choices")
    if choices:
        return f"[list/{'/'.join(choices)}] {field.name} {value}"
    return f"[string] {field.name} {value_text(value)}"


@command(LIVE)
def live(session: Session, arguments: list[str]) -> str:
    """Return or set the live graphics layer: `tengen-param_live layer search.visits`."""
    if not arguments:
        return f"[list/{'/'.join((OFF, *LIVE_LAYERS))}] layer {session.live_layer or OFF}"
    key, value = require(arguments, 2, f"{LIVE} layer {OFF}|{'|'.join(LIVE_LAYERS)}")
    if key != "layer" or value not in (OFF, *LIVE_LAYERS):
        raise CommandError(f"layer must be one of {', '.join((OFF, *LIVE_LAYERS))}")
    session.live_layer = "" if value == OFF else value
    return ""


@command(LEVEL)
def level(session: Session, arguments: list[str]) -> str:
    """Return or set the playing strength by rank: `tengen-param_level level 10k`."""
    if not arguments:
        names = "/".join(level.name for level in LEVELS)
        return f"[list/{names}] level {session.settings.play.level}"
    key, value = require(arguments, 2, f"{LEVEL} level RANK")
    if key != "level":
        raise CommandError(f"usage: {LEVEL} level RANK")
    session.holder.change_settings(session.settings.with_overrides(level_named(value).overrides))
    return ""


# KataGo's parameters


@command("kata-list-params")
def list_params(session: Session, arguments: list[str]) -> str:
    """List the settings as `PART.NAME`, for example `search.threads`."""
    return " ".join(
        f"{part}.{field.name}"
        for part in PARTS
        for field in dataclasses.fields(getattr(session.settings, part))
    )


@command("kata-get-param")
def get_param(session: Session, arguments: list[str]) -> str:
    """Return a setting by Tengen's name (`search.threads`) or KataGo's (`maxTime`)."""
    from tengen.engine import katago_value, tengen_name

    (requested,) = require(arguments, 1, "kata-get-param NAME")
    part, _, name = (tengen_name(requested) or requested).rpartition(".")
    for candidate in [part] if part else PARTS:
        component = getattr(session.settings, candidate, None) if candidate in PARTS else None
        if component is not None and name in {f.name for f in dataclasses.fields(component)}:
            value = katago_value(requested, getattr(component, name))
            return str(value).lower() if isinstance(value, bool) else value_text(value)
    raise CommandError(f"unknown parameter {requested}")


@command("kata-set-param")
def set_param(session: Session, arguments: list[str]) -> str:
    """Set a setting by Tengen's or KataGo's name."""
    require(arguments, 2, "kata-set-param NAME VALUE")
    overrides = _overrides(session, arguments[0], " ".join(arguments[1:]))
    session.holder.change_settings(session.settings.with_overrides(overrides))
    return ""


def _overrides(session: Session, name: str, value: str) -> list[str]:
    """Translate a parameter to settings; raise CommandError for one that has no effect."""
    from tengen.engine import profile_overrides, translate

    if name in IGNORED:
        raise CommandError(f"{name} has no effect: {IGNORED[name]}")
    translated = translate({name: value})
    if translated.unknown:
        return [f"{name}={value}"]
    words = translated.all_overrides()
    if translated.human_profile is not None:
        return profile_overrides(session.settings.play, translated.human_profile)
    if name == "allowResignation" and not words and session.settings.play.resign == 0:
        return [f"resign={PlaySettings().resign}"]
    return words
