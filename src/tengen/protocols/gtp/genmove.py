"""Commands that generate moves and set clocks."""

import contextlib
import time

from tengen.board import Color
from tengen.engine import MAX_CLOCK_S, UNLIMITED, Clock, MoveDecision, TimeControl
from tengen.protocols.gtp.auto_level import count_move, count_resignation
from tengen.protocols.gtp.observer import SearchObserver
from tengen.protocols.gtp.protocol import CommandError, StopOn, parse_number, require, vertex_text
from tengen.protocols.gtp.session import Session, command
from tengen.util import TengenError

CANCELLED = "cancelled"
"""KataGo's reply to a canceled search."""
KGS_TIME_USAGE = "kgs-time_settings none | absolute M | canadian M T N | byoyomi M T N"
KATA_TIME_USAGE = (
    "kata-time_settings fischer MAIN INCREMENT, fischer-capped MAIN INCREMENT MAX_REMAINING"
    " MAX_MOVE, or the arguments of kgs-time_settings"
)


@command("genmove")
def genmove(session: Session, arguments: list[str]) -> str:
    """Choose a move and play it."""
    return _genmove(session, arguments)


@command("kgs-genmove_cleanup")
def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    """Choose a move and play it; pass only if no dead opponent stones are left."""
    return _genmove(session, arguments, clean_up=True)


@command("reg_genmove")
def reg_genmove(session: Session, arguments: list[str]) -> str:
    """Choose a move without playing it."""
    color = session.parse_color(require(arguments, 1, "reg_genmove COLOR")[0])
    return decision_text(session, _decide(session, color))


command("kata-search")(reg_genmove)


@command("kata-search_cancellable")
def search_cancellable(session: Session, arguments: list[str]) -> str:
    """Choose a move without playing it; any input cancels the search."""
    color = session.parse_color(require(arguments, 1, "kata-search_cancellable COLOR")[0])
    decision = _decide(session, color, stop_on=StopOn.ANY_LINE)
    return CANCELLED if session.input.has_lines() else decision_text(session, decision)


def _genmove(session: Session, arguments: list[str], clean_up: bool = False) -> str:
    color = session.parse_color(require(arguments, 1, "genmove COLOR")[0])
    started_s = time.monotonic()
    decision = _decide(session, color, clean_up)
    return play_decision(session, color, decision, time.monotonic() - started_s)


def _decide(
    session: Session, color: Color, clean_up: bool = False, stop_on: StopOn = StopOn.INTERRUPT
) -> MoveDecision:
    """Let the engine choose a move; the clock is not charged."""
    position = session.position.copy()
    position.to_play = color
    engine = session.engine
    observer = SearchObserver(session, position)
    think = engine.clean_up if clean_up else engine.think
    with session.input.stopping(stop_on, engine.stop):
        decision = think(position, session.clocks[color], observer)
    observer.finish(decision.report)
    session.holder.report_problems()
    return decision


def play_decision(session: Session, color: Color, decision: MoveDecision, spent_s: float) -> str:
    """Play the engine's move, charge its clock and start pondering; return the move as text."""
    session.engine_colors.add(color)
    if decision.resigns:
        count_resignation(session, color)
        return "resign"
    session.clocks[color].spend(spent_s)
    session.position.play(decision.move, color)
    count_move(session)
    session.holder.ponder(session.position)
    return vertex_text(session.position, decision.move)


def decision_text(session: Session, decision: MoveDecision) -> str:
    """Return a decision as GTP text."""
    return "resign" if decision.resigns else vertex_text(session.position, decision.move)


# Clocks


@command("time_settings")
def time_settings(session: Session, arguments: list[str]) -> str:
    """Set main time, overtime and overtime stones."""
    usage = "time_settings MAIN_SECONDS OVERTIME_SECONDS STONES"
    values = [parse_number(text, usage, float) for text in require(arguments, 3, usage)]
    if any(value < 0 for value in values):
        raise CommandError(f"usage: {usage}")
    main_s, period_s, stones = values
    _set_clocks(session, TimeControl.from_gtp(main_s, period_s, int(stones)))
    return ""


@command("time_left")
def time_left(session: Session, arguments: list[str]) -> str:
    """Set the time left on a clock."""
    usage = "time_left COLOR SECONDS STONES"
    color_text, seconds, stones = require(arguments, 3, usage)
    color = session.parse_color(color_text)
    left_s, stones_left = parse_number(seconds, usage, float), int(parse_number(stones, usage))
    if left_s > MAX_CLOCK_S:
        session.clocks[color] = Clock(UNLIMITED)
    else:
        session.clocks[color].set_time_left(left_s, stones_left)
    return ""


@command("kgs-time_settings")
def kgs_time_settings(session: Session, arguments: list[str]) -> str:
    """Set the time control as KGS does: none, absolute, canadian or byoyomi."""
    system = require(arguments, 1, KGS_TIME_USAGE)[0].lower()
    if system.startswith("fischer"):
        raise CommandError(f"usage: {KGS_TIME_USAGE}")
    return _set_time_system(session, system, arguments[1:], KGS_TIME_USAGE)


@command("kata-list_time_settings")
def kata_list_time_settings(session: Session, arguments: list[str]) -> str:
    """List the time controls of `kata-time_settings`."""
    return "none absolute canadian byoyomi fischer fischer-capped"


@command("kata-time_settings")
def kata_time_settings(session: Session, arguments: list[str]) -> str:
    """Set the time control as KataGo does, including Fischer clocks."""
    system = require(arguments, 1, KATA_TIME_USAGE)[0].lower()
    return _set_time_system(session, system, arguments[1:], KATA_TIME_USAGE)


@command("kata-debug-print-tc")
def time_control(session: Session, arguments: list[str]) -> str:
    """Return the state of both clocks."""
    return "\n".join(
        f"{color.name.lower()}: {session.clocks[color].system.value},"
        f" {session.clocks[color].remaining_s:g} s, {session.clocks[color].overtime_left} stones"
        for color in Color
    )


def _set_time_system(session: Session, system: str, texts: list[str], usage: str) -> str:
    values = [parse_number(text, usage, float) for text in texts]
    try:
        control = TimeControl.from_kgs(system, values)
    except TengenError:
        raise CommandError(f"usage: {usage}") from None
    _set_clocks(session, control)
    return ""


def _set_clocks(session: Session, control: TimeControl) -> None:
    """Set both clocks; create the engine before they start, since that may take seconds."""
    with contextlib.suppress(TengenError):  # reported by the next genmove
        _ = session.engine
    for color in Color:
        session.clocks[color] = Clock(control)
