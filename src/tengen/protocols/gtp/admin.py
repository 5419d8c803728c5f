"""Administrative commands, and notifications from KGS and CGOS."""

import time

from tengen.engine import for_black
from tengen.protocols.gtp.protocol import parse_number, require
from tengen.protocols.gtp.session import COMMANDS, Session, command

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
