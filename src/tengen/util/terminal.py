"""Terminal output without the control characters of file names and records.

`clean_streams` covers everything that is printed, `tengen.util.console` what Rich formats.
"""

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and line feed, and those that reverse the text direction."""


def printable(text: str) -> str:
    """Return a text without control characters."""
    return CONTROL_CHARACTERS.sub("", text)


class CleanStream:
    """A text stream that drops control characters and wraps another stream."""

    def __init__(self, stream: TextIO):
        """Wrap a stream."""
        self.rich_proxied_file = stream
        """The wrapped stream; Rich writes to it, since its output contains escape sequences."""

    def write(self, text: str) -> int:
        """Write a text without its control characters; return the length of the text."""
        self.rich_proxied_file.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def raw_stream(stream: TextIO) -> TextIO:
    """Return the stream for text with escape sequences that Tengen writes."""
    return stream.rich_proxied_file if isinstance(stream, CleanStream) else stream


def clean_streams() -> None:
    """Make standard output and standard error drop control characters."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, CleanStream):
            setattr(sys, name, CleanStream(stream))
