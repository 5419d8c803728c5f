"""Tables on disk: what was proved of a board size, for good.

Only proved bounds are kept: they hold whatever was searched, to whatever depth.
"""

import errno
import json
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.whole_file import whole_file
from tengen.solver.geometry import Words
from tengen.solver.kernels import memory
from tengen.solver.kernels.table import keep_proved, put_entries, take_proved
from tengen.solver.searcher import Searcher

FORMAT = 1


def _signature(searcher: Searcher) -> dict[str, int]:
    """Return what a table's bounds are about."""
    shape = searcher.geometry
    return {
        "format": FORMAT,
        "rows": shape.rows,
        "columns": shape.columns,
        "power": searcher.settings.power,
    }


def proved_entries(searcher: Searcher) -> Words:
    """Return the entries that hold something proved, a row each, without the rest."""
    entries = searcher.entries.reshape(-1, int(memory.ENTRY_WORDS))
    used = entries[entries[:, int(memory.DATA)] != 0].copy()
    keep_proved(used.reshape(-1), searcher.limit)
    kept: Words = used[used[:, int(memory.DATA)] != 0]
    return kept


def check_writable(path: Path) -> None:
    """Raise TengenError, before hours of work, if no table can be written there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name):
            pass
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise TengenError(f"cannot write a table to {path}: {error.strerror}") from None


def save_table(searcher: Searcher, path: Path) -> int:
    """Write what is proved, beside what the file has already; return how many positions.

    A killed process leaves the old file.
    """
    entries = proved_entries(searcher)
    if path.exists():
        entries = _with_others(entries, _read(searcher, path))
    about = np.frombuffer(json.dumps(_signature(searcher)).encode(), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        np.savez(file, about=about, entries=entries)
    return len(entries)


def _with_others(entries: Words, others: Words) -> Words:
    """Return the entries with what others have beside: positions, and bounds of the same ones.

    The table in memory may be smaller than the file, and forgets what finds no room in it.
    """
    key = int(memory.KEY)
    _, ours, theirs = np.intersect1d(entries[:, key], others[:, key], return_indices=True)
    both = entries[ours]
    take_proved(both.reshape(-1), others[theirs].reshape(-1))
    entries[ours] = both
    return np.concatenate([entries, np.delete(others, theirs, axis=0)])


def load_table(searcher: Searcher, path: Path) -> int:
    """Read a table into the searcher's; return how many positions found room; raise TengenError."""
    put_entries(searcher.numbers, searcher.entries, _read(searcher, path).reshape(-1))
    return len(proved_entries(searcher))


def _read(searcher: Searcher, path: Path) -> Words:
    """Return the entries of a file, a row each; raise TengenError if they are of another kind."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(bytes(file["about"]))
            entries = np.ascontiguousarray(file["entries"], dtype=np.uint64)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        why = (
            error.strerror
            if isinstance(error, OSError) and error.strerror
            else "another kind of file"
        )
        raise TengenError(f"{path} is not a solver's table: {why}") from None
    if about != _signature(searcher):
        raise TengenError(f"{path} is a table of other settings: {about}")
    if entries.ndim != 2 or entries.shape[1] != int(memory.ENTRY_WORDS):
        raise TengenError(f"{path} is damaged")
    return entries
