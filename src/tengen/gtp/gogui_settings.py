"""Settings over GTP: GoGui's dialogs, and KataGo's way to read and set parameters."""

import dataclasses
from typing import Any

from tengen.engine.levels import LEVELS, level_named
from tengen.engine.settings import PARTS, EngineSettings, PlaySettings
from tengen.gtp.arguments import want
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command

PREFIX = "tengen-param_"
LABELS = {
    "play": "How it plays",
    "search": "Search",
    "policy": "Playouts",
    "priors": "Knowledge of the tree",
    "net": "Use of a net",
    "opening": "Opening book",
}
LIVE, LEVEL = "tengen-param_live", "tengen-param_level"
SETTING_COMMANDS = {
    LEVEL: "Settings: Strength by rank",
    **{f"{PREFIX}{part}": f"Settings: {LABELS[part]}" for part in PARTS},
    LIVE: "Settings: Live graphics",
}
"""By command, what GoGui calls it."""
LIVE_LAYERS = (
    "search.visits",
    "search.winrate",
    "search.prior",
    "search.rave",
    "search.ownership",
)
OFF = "off"
WITHOUT_EFFECT = {
    "rules": "kata-set-rules sets them",
    "numAnalysisThreads": "one position is searched at a time",
    "reportAnalysisWinratesAs": "win rates are those of the side to move",
}
"""Settings of KataGo's that change nothing over GTP, and why."""


def _enter(part: str) -> None:
    """Put the dialog of one part of the settings into the table of commands."""

    @command(f"{PREFIX}{part}")
    def dialog(session: Session, arguments: list[str]) -> str:
        """List the settings of a part, or set one: `tengen-param_search threads 2`."""
        return _dialog(session, part, arguments)


for _part in PARTS:
    _enter(_part)


def _dialog(session: Session, part: str, arguments: list[str]) -> str:
    component = getattr(session.settings, part)
    if not arguments:
        return "\n".join(_line(field, component) for field in dataclasses.fields(component))
    name, *words = arguments
    if name not in {field.name for field in dataclasses.fields(component)}:
        raise GtpError(f"unknown parameter {name}")
    _set(session, f"{part}.{name}", " ".join(words))
    return ""


def _line(field: "dataclasses.Field[Any]", component: object) -> str:
    """Return a setting as GoGui's dialog wants it: `[type] key value`."""
    value = getattr(component, field.name)
    if isinstance(value, bool):
        return f"[bool] {field.name} {int(value)}"
    choices = field.metadata.get("choices")
    if choices:
        return f"[list/{'/'.join(choices)}] {field.name} {value}"
    return f"[string] {field.name} {_text(value)}"


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _set(session: Session, name: str, value: str) -> None:
    session.change_settings(session.settings.with_words([f"{name}={value}"]))


@command(LIVE)
def live(session: Session, arguments: list[str]) -> str:
    """List, or set, what is drawn while a search runs: `tengen-param_live layer search.visits`."""
    if not arguments:
        return f"[list/{'/'.join((OFF, *LIVE_LAYERS))}] layer {session.live_layer or OFF}"
    key, value = want(arguments, 2, f"{LIVE} layer {OFF}|{'|'.join(LIVE_LAYERS)}")
    if key != "layer" or value not in (OFF, *LIVE_LAYERS):
        raise GtpError(f"layer is one of {', '.join((OFF, *LIVE_LAYERS))}")
    session.live_layer = "" if value == OFF else value
    return ""


@command(LEVEL)
def level(session: Session, arguments: list[str]) -> str:
    """Tell, or set, how strong the engine plays, by rank: `tengen-param_level level 10k`."""
    if not arguments:
        names = "/".join(level.name for level in LEVELS)
        return f"[list/{names}] level {_present_level(session)}"
    key, value = want(arguments, 2, f"{LEVEL} level RANK")
    if key != "level":
        raise GtpError(f"usage: {LEVEL} level RANK")
    session.change_settings(level_named(value).settings(_without_level(session)))
    return ""


def _without_level(session: Session) -> EngineSettings:
    """Return the settings, with those that levels change as they were at first."""
    settings, first = session.settings, session.first_settings.play
    names = {word.partition("=")[0] for level in LEVELS for word in level.words}
    play = dataclasses.replace(settings.play, **{name: getattr(first, name) for name in names})
    return dataclasses.replace(settings, play=play)


def _present_level(session: Session) -> str:
    """Return the weakest level whose settings hold; the strongest asks for none."""
    settings = session.settings
    return next(level.name for level in LEVELS if level.settings(settings) == settings)


# KataGo's way


@command("kata-list-params")
def list_params(session: Session, arguments: list[str]) -> str:
    """List the settings, each with its part: `search.threads`."""
    return " ".join(
        f"{part}.{field.name}"
        for part in PARTS
        for field in dataclasses.fields(getattr(session.settings, part))
    )


@command("kata-get-param")
def get_param(session: Session, arguments: list[str]) -> str:
    """Tell a setting: one of ours (`search.threads`), or KataGo's name for it (`maxTime`)."""
    from tengen.engine.katago_settings import katago_value, our_name

    (asked,) = want(arguments, 1, "kata-get-param NAME")
    name = our_name(asked) or asked
    part, _, own = name.rpartition(".")
    for candidate in [part] if part else PARTS:
        component = getattr(session.settings, candidate, None) if candidate in PARTS else None
        if component is not None and own in {f.name for f in dataclasses.fields(component)}:
            value = katago_value(asked, getattr(component, own))
            return str(value).lower() if isinstance(value, bool) else _text(value)
    raise GtpError(f"unknown parameter {asked}")


@command("kata-set-param")
def set_param(session: Session, arguments: list[str]) -> str:
    """Set one of our settings by its name, or by KataGo's name for it."""
    want(arguments, 2, "kata-set-param NAME VALUE")
    words = _words(session, arguments[0], " ".join(arguments[1:]))
    session.change_settings(session.settings.with_words(words))
    return ""


def _words(session: Session, name: str, value: str) -> list[str]:
    """Return what a setting comes to here; raise GtpError for one that has no effect."""
    from tengen.engine.katago_settings import translate

    if name in WITHOUT_EFFECT:
        raise GtpError(f"{name} has no effect here: {WITHOUT_EFFECT[name]}")
    translated = translate({name: value})
    if translated.unknown:
        return [f"{name}={value}"]
    words = translated.all_words()
    if name == "allowResignation" and not words and session.settings.play.resign == 0:
        return [f"resign={PlaySettings().resign}"]
    return words
