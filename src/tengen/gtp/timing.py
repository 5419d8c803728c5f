"""Commands about clocks."""

import contextlib
from dataclasses import replace

from tengen.board.colour import Colour
from tengen.core.errors import TengenError
from tengen.engine.clock import NO_CAP, Clock, ClockKind
from tengen.gtp.arguments import number, want
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command

FISCHER_USAGE = (
    "kata-time_settings fischer MAIN INCREMENT, fischer-capped MAIN INCREMENT MOST_LEFT"
    " MOST_A_MOVE, or the kinds of kgs-time_settings"
)


def _set_all(session: Session, clock: Clock) -> None:
    """Set both clocks, and make the engine before they run: it may take seconds."""
    with contextlib.suppress(TengenError):  # what does not work is told when a move is asked for
        _ = session.engine
    for colour in Colour:
        session.clocks[colour] = clock


def _seconds(texts: list[str], usage: str) -> list[float]:
    """Read numbers from 0 up."""
    values = [number(text, usage, float) for text in texts]
    if any(value < 0 for value in values):
        raise GtpError(f"usage: {usage}")
    return values


@command("time_settings")
def time_settings(session: Session, arguments: list[str]) -> str:
    """Set main time, overtime and the stones for it."""
    usage = "time_settings MAIN_SECONDS OVERTIME_SECONDS STONES"
    main_s, period_s, stones = _seconds(want(arguments, 3, usage), usage)
    _set_all(session, Clock.from_gtp(main_s, period_s, int(stones)))
    return ""


@command("time_left")
def time_left(session: Session, arguments: list[str]) -> str:
    """Tell what is left on a clock."""
    usage = "time_left COLOUR SECONDS STONES"
    colour_text, seconds, stones = want(arguments, 3, usage)
    colour = session.parse_colour(colour_text)
    left_s = number(seconds, usage, float)
    clock = session.clocks[colour].with_left(left_s, int(number(stones, usage)))
    session.clocks[colour] = clock
    return ""


@command("kgs-time_settings")
def kgs_time_settings(session: Session, arguments: list[str]) -> str:
    """Set a clock as KGS does: none, absolute, canadian or byoyomi."""
    usage = "kgs-time_settings none | absolute M | canadian M T N | byoyomi M T N"
    kind = want(arguments, 1, usage)[0].lower()
    values = _seconds(arguments[1:], usage)
    if kind == "none":
        _set_all(session, Clock())
    elif kind == "absolute" and len(values) == 1:
        _set_all(session, Clock.start(ClockKind.ABSOLUTE, values[0]))
    elif kind in ("canadian", "byoyomi") and len(values) == 3:
        named = ClockKind.CANADIAN if kind == "canadian" else ClockKind.BYOYOMI
        _set_all(session, Clock.start(named, values[0], values[1], int(values[2])))
    else:
        raise GtpError(f"usage: {usage}")
    return ""


@command("kata-list_time_settings")
def kata_list_time_settings(session: Session, arguments: list[str]) -> str:
    """List the kinds of clocks for `kata-time_settings`."""
    return "none absolute canadian byoyomi fischer fischer-capped"


@command("kata-time_settings")
def kata_time_settings(session: Session, arguments: list[str]) -> str:
    """Set a clock as KataGo does, Fischer clocks among them."""
    kind = want(arguments, 1, FISCHER_USAGE)[0].lower()
    if kind == "fischer":
        main_s, increment_s = _seconds(want(arguments[1:], 2, FISCHER_USAGE), FISCHER_USAGE)
        _set_all(session, Clock.start(ClockKind.FISCHER, main_s, increment_s))
    elif kind == "fischer-capped":
        _set_all(session, _capped(arguments[1:]))
    else:
        return kgs_time_settings(session, arguments)
    return ""


def _capped(arguments: list[str]) -> Clock:
    """Return a Fischer clock with a cap on what is left and on one move; below 0 is none."""
    texts = want(arguments, 4, FISCHER_USAGE)
    main_s, increment_s = _seconds(texts[:2], FISCHER_USAGE)
    caps = [number(text, FISCHER_USAGE, float) for text in texts[2:]]
    most_left_s, most_a_move_s = (cap if cap >= 0 else NO_CAP for cap in caps)
    fresh = Clock.start(ClockKind.FISCHER, main_s, increment_s)
    return replace(fresh, most_left_s=most_left_s, most_a_move_s=most_a_move_s)
