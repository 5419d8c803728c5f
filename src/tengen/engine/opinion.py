"""What the engine's net says of one position, outside of a search."""

import functools
from pathlib import Path

from tengen.board.position import Position
from tengen.engine.net import NONE, net_path
from tengen.network.evaluation import Evaluation
from tengen.network.net import SMALLEST_BOARD, Net
from tengen.network.onnx import load_net


def named_net(name: str) -> Net:
    """Return the net of that name or file, kept open; raise TengenError if there is none."""
    path = net_path(name)
    return _loaded(path, path.stat().st_mtime_ns if path.is_file() else 0)


def net_opinion(name: str, position: Position) -> Evaluation | None:
    """Return what the net of that name says of a position.

    None without a net, and on boards too small for one; raise TengenError if it cannot be read.
    """
    if name == NONE or min(position.rows, position.columns) < SMALLEST_BOARD:
        return None
    return named_net(name).evaluate([position])[0]


@functools.lru_cache(maxsize=4)
def _loaded(path: Path, changed_ns: int) -> Net:
    """Return a net, kept open; `changed_ns` makes another of a file that was written anew."""
    return load_net(path)
