"""Commands that make the engine move."""

import time

from tengen.board.colour import Colour
from tengen.engine.engine import Decision
from tengen.gtp.arguments import vertex_text, want
from tengen.gtp.session import Session, command
from tengen.gtp.state import Heed
from tengen.gtp.watch import Watch

CANCELLED = "cancelled"
"""What KataGo says in the place of a move."""


def _decide(
    session: Session, colour: Colour, clean_up: bool = False, heed: Heed = Heed.INTERRUPT
) -> Decision:
    """Let the engine decide for a colour; what it took is left to the caller."""
    position = session.position.copy()
    position.to_play = colour
    watch = Watch(session, position)
    think = session.engine.clean_up if clean_up else session.engine.think
    with session.heeding(heed):
        decision = think(position, session.clocks[colour], watch)
    watch.end(decision.report)
    session.report_problems()
    return decision


def carry_out(session: Session, colour: Colour, decision: Decision, spent_s: float) -> str:
    """Play what the engine decided and take its time off the clock; return the move as text."""
    if decision.resigns:
        return "resign"
    session.clocks[colour] = session.clocks[colour].after_move(spent_s)
    session.position.play(decision.move, colour)
    session.engine_waits()
    return vertex_text(session.position, decision.move)


def _move(session: Session, arguments: list[str], clean_up: bool = False) -> str:
    colour = session.parse_colour(want(arguments, 1, "genmove COLOUR")[0])
    begun_s = time.monotonic()
    decision = _decide(session, colour, clean_up)
    return carry_out(session, colour, decision, time.monotonic() - begun_s)


@command("genmove")
def genmove(session: Session, arguments: list[str]) -> str:
    """Choose a move and play it."""
    return _move(session, arguments)


@command("kgs-genmove_cleanup")
def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    """Choose a move and play it; pass only when no dead enemy stone is left."""
    return _move(session, arguments, clean_up=True)


def decision_text(session: Session, decision: Decision) -> str:
    """Return what was decided, as a reply says it."""
    return "resign" if decision.resigns else vertex_text(session.position, decision.move)


@command("reg_genmove")
def reg_genmove(session: Session, arguments: list[str]) -> str:
    """Choose a move, change nothing."""
    colour = session.parse_colour(want(arguments, 1, "reg_genmove COLOUR")[0])
    return decision_text(session, _decide(session, colour))


command("kata-search")(reg_genmove)


@command("kata-search_cancellable")
def search_cancellable(session: Session, arguments: list[str]) -> str:
    """Choose a move, change nothing; any line that comes ends it."""
    colour = session.parse_colour(want(arguments, 1, "kata-search_cancellable COLOUR")[0])
    decision = _decide(session, colour, heed=Heed.ANY_LINE)
    return CANCELLED if session.interrupted() else decision_text(session, decision)
