"""Administrative commands: who are you, what can you do, goodbye."""

import time

from tengen.gtp.arguments import number, want
from tengen.gtp.session import COMMANDS, Session, command

LARGEST_SEED = 2**31


@command("protocol_version")
def protocol_version(session: Session, arguments: list[str]) -> str:
    """Tell the version of the protocol."""
    return "2"


@command("name")
def name(session: Session, arguments: list[str]) -> str:
    """Tell the engine's name, or the one it goes by."""
    return session.identity.name


@command("version")
def version(session: Session, arguments: list[str]) -> str:
    """Tell the engine's version."""
    return session.identity.version


@command("known_command")
def known_command(session: Session, arguments: list[str]) -> str:
    """Tell whether a command is known."""
    (asked,) = want(arguments, 1, "known_command NAME")
    return "true" if asked in COMMANDS else "false"


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
    """Tell the processor time used so far, in seconds."""
    return f"{time.process_time():.3f}"


@command("set_random_seed")
def set_random_seed(session: Session, arguments: list[str]) -> str:
    """Draw from a seed from now on, and forget the tree: the same moves give the same game."""
    (text,) = want(arguments, 1, "set_random_seed N")
    session.engine.restart(int(number(text, "set_random_seed N")) % LARGEST_SEED + 1)
    return ""


@command("clear_cache")
def clear_cache(session: Session, arguments: list[str]) -> str:
    """Forget the tree of earlier searches."""
    session.forget_engine()
    return ""


@command("stop")
def stop(session: Session, arguments: list[str]) -> str:
    """Stop thinking on the opponent's time."""
    session.quiet_engine()
    return ""
