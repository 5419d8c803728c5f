"""What servers tell an engine beside the game: KGS, CGOS and OGS."""

from tengen.board.colour import Colour
from tengen.engine.outlook import for_black
from tengen.gtp.arguments import want
from tengen.gtp.session import Session, command


@command("kgs-game_over")
def kgs_game_over(session: Session, arguments: list[str]) -> str:
    """Be told that the game is over; the board stays."""
    session.quiet_engine()
    return ""


@command("kgs-chat")
def kgs_chat(session: Session, arguments: list[str]) -> str:
    """Answer someone who talks to the engine: `kgs-chat game|private NAME WORDS`."""
    want(arguments, 3, "kgs-chat game|private NAME WORDS")
    name, version = session.identity
    seen = session.seen
    if seen is None:
        return f"I am {name} {version}, a Go engine. I have not thought yet in this game."
    black = for_black(seen.report.value, seen.position.to_play)
    side, share = ("Black", black) if black >= 0.5 else ("White", 1 - black)
    return (
        f"I am {name} {version}, a Go engine. When I last thought, {side} won {share:.0%}"
        f" of {seen.report.visits} simulations."
    )


@command("cgos-opponent_name")
def cgos_opponent_name(session: Session, arguments: list[str]) -> str:
    """Be told who the opponent is."""
    return ""


@command("cgos-opponent_rating")
def cgos_opponent_rating(session: Session, arguments: list[str]) -> str:
    """Be told how strong the opponent is."""
    return ""


@command("cgos-gameover")
def cgos_gameover(session: Session, arguments: list[str]) -> str:
    """Be told that the game is over; the board stays."""
    session.quiet_engine()
    return ""


@command("kata-debug-print-tc")
def time_control(session: Session, arguments: list[str]) -> str:
    """Tell what the clocks show."""
    return "\n".join(
        f"{colour.name.lower()}: {session.clocks[colour].kind.name.lower()},"
        f" {session.clocks[colour].left_s:g} s, {session.clocks[colour].stones_left} stones"
        for colour in Colour
    )
