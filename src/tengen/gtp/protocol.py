"""Lines of the Go Text Protocol, version 2: reading commands, writing replies."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command of the controller."""

    id: str
    name: str
    arguments: list[str]


class GtpError(Exception):
    """A command that fails; the message goes behind the `?`."""


def parse_command(line: str) -> Command | None:
    """Read a line; return None if there is nothing in it. After an id the name may be missing.

    Control characters are dropped, a tab is a blank, and what follows a `#` is a comment.
    """
    cleaned = "".join(_clean(character) for character in line.partition("#")[0])
    words = cleaned.split()
    if not words:
        return None
    number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
    return Command(number, words[0] if words else "", words[1:])


def _clean(character: str) -> str:
    if character in "\t\n":
        return " "
    return "" if ord(character) < 32 or ord(character) == 127 else character


def success(command_id: str, text: str) -> str:
    """Return the reply to a command that went well."""
    return f"={command_id} {_body(text)}\n\n"


def failure(command_id: str, message: str) -> str:
    """Return the reply to a command that failed."""
    return f"?{command_id} {_body(message)}\n\n"


def _body(text: str) -> str:
    """A blank line would end the reply, so there is none inside; pictures begin on a new line."""
    lines = "\n".join(line for line in text.splitlines() if line.strip())
    return f"\n{lines}" if lines and text.startswith("\n") else lines
