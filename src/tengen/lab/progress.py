"""How far long work is: shown on stderr, since stdout is for what came out of it."""

from collections.abc import Iterable
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress
from rich.progress import track as rich_track

Item = TypeVar("Item")


def track(items: Iterable[Item], what: str, total: int | None = None) -> Iterable[Item]:
    """Yield the items, and show how many are done."""
    return rich_track(items, what, total, console=Console(stderr=True))


def progress() -> Progress:
    """Return what shows several pieces of work."""
    return Progress(console=Console(stderr=True))
