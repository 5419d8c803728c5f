"""Solver tables on disk.

Only proved bounds are stored: they hold for every search and depth.
"""

import errno
import json
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.solver.kernels import memory
from tengen.solver.kernels.table import add_proved, insert_entries, keep_proved
from tengen.solver.searcher import AlphaBetaSearcher
from tengen.util import TengenError, atomic_write

FORMAT = 2
ENTRY_WORDS = memory.ENTRY.itemsize // 8

Entries = npt.NDArray[np.void]
"""Array of `memory.ENTRY`."""


def _signature(searcher: AlphaBetaSearcher) -> dict[str, int | str]:
    """Return the properties that must match between a table and a searcher."""
    geometry = searcher.geometry
    return {
        "format": FORMAT,
        "rows": geometry.rows,
        "columns": geometry.columns,
        "power": searcher.settings.power,
        "repetition": searcher.settings.repetition,
    }


def proved_entries(searcher: AlphaBetaSearcher) -> Entries:
    """Return the entries with proved bounds, without their unproved bounds."""
    table = searcher.state.table
    used = table[table["data"] != 0]
    keep_proved(used, searcher.limit)
    proved: Entries = used[used["data"] != 0]
    return proved


def check_writable(path: Path) -> None:
    """Raise TengenError if a table cannot be written to a path; call it before a long search."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name):
            pass
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise TengenError(f"cannot write a table to {path}: {error.strerror}") from None


def save_table(searcher: AlphaBetaSearcher, path: Path) -> int:
    """Merge the proved bounds into a file atomically; return the number of positions in it."""
    entries = proved_entries(searcher)
    if path.exists():
        entries = _merged(entries, _read(searcher, path))
    about = np.frombuffer(json.dumps(_signature(searcher)).encode(), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        np.savez(file, about=about, entries=entries.view(np.uint64).reshape(-1, ENTRY_WORDS))
    return len(entries)


def _merged(entries: Entries, others: Entries) -> Entries:
    """Return entries with the positions and bounds that only others have.

    The table in memory may be smaller than the file and drop entries.
    """
    _, ours, theirs = np.intersect1d(entries["key"], others["key"], return_indices=True)
    both = entries[ours]
    add_proved(both, others[theirs])
    entries[ours] = both
    return np.concatenate([entries, np.delete(others, theirs)])


def load_table(searcher: AlphaBetaSearcher, path: Path) -> int:
    """Load a table; return the number of proved positions now in memory; raise TengenError."""
    insert_entries(searcher.state.table, searcher.settings.table_bits, _read(searcher, path))
    return len(proved_entries(searcher))


def _read(searcher: AlphaBetaSearcher, path: Path) -> Entries:
    """Return the entries of a file; raise TengenError if they do not fit the searcher."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(bytes(file["about"]))
            words = np.ascontiguousarray(file["entries"], dtype=np.uint64)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or "unknown file format"
        raise TengenError(f"{path} is not a solver table: {reason}") from None
    if about != _signature(searcher):
        raise TengenError(f"{path} is a table for other settings: {about}")
    if words.ndim != 2 or words.shape[1] != ENTRY_WORDS:
        raise TengenError(f"{path} is damaged: delete it")
    return words.view(memory.ENTRY).reshape(-1)
