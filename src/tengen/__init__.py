"""Tengen: a Go engine and laboratory in Python.

Start reading at `tengen.board.position` (the game), then `tengen.board.kernels.layout` (how a
board lies in memory). `docs/architecture.md` has the map.
"""

__version__ = "0.1.0"
