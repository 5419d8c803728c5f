"""Tables of the proof-number search on disk.

A table belongs to one board size and one target score; both sides of the board may be the prover.
Proofs and unfinished numbers are stored, so that a search resumes where it was stopped.
"""

import json
import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.solver.kernels import proof_memory
from tengen.solver.kernels.proof_table import insert_states
from tengen.solver.question import ProofSearcher, Question
from tengen.util import TengenError, atomic_write

FORMAT = 1
_WORDS = proof_memory.PROOF_ENTRY.itemsize // 8


def _signature(searcher: ProofSearcher, question: Question) -> dict[str, object]:
    """Return the properties that must match between a table and a search."""
    rows, columns = searcher.shape
    about = {"format": FORMAT, "rows": rows, "columns": columns, "target": question.target}
    return {**about, "kind": "proof numbers", "symmetry": searcher.settings.symmetry}


def save_states(searcher: ProofSearcher, path: Path) -> int:
    """Write the table to a file atomically; return the number of states in it."""
    assert searcher.question is not None
    table = searcher.state.table
    used = table["data"] != 0
    count = int(np.count_nonzero(used))
    entries = table if 2 * count > len(table) else table[used]  # no copy of a large table
    about = json.dumps(_signature(searcher, searcher.question)).encode()
    with atomic_write(path) as file:
        np.savez(
            file,
            about=np.frombuffer(about, dtype=np.uint8),
            entries=entries.view(np.uint64).reshape(-1, _WORDS),
        )
    return count


def load_states(searcher: ProofSearcher, question: Question, path: Path) -> int:
    """Load a table for a question; return the number of states read; raise TengenError."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(bytes(file["about"]))
            words: npt.NDArray[np.uint64] = np.ascontiguousarray(file["entries"], dtype=np.uint64)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or "unknown file format"
        raise TengenError(f"{path} is not a table of the proof search: {reason}") from None
    if about != _signature(searcher, question):
        raise TengenError(
            f"{path} is a table for another board or question: {about}: use another file"
        )
    if words.ndim != 2 or words.shape[1] != _WORDS:
        raise TengenError(f"{path} is damaged: delete it")
    entries = words.view(proof_memory.PROOF_ENTRY).reshape(-1)
    entries = entries[entries["data"] != 0]
    searcher.set_question(question)
    insert_states(searcher.state.table, searcher.settings.table_bits, entries)
    return len(entries)
