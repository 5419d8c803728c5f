"""Work that was interrupted, and goes on with the same command."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def telling_how_to_go_on(kept: Path) -> Iterator[None]:
    """Tell on stderr, when Ctrl-C ends what is done inside, what is kept; raise it again."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"tengen: stopped; {kept} is kept, the same command goes on", file=sys.stderr)
        raise
