"""Memory layout of the proof-number search.

A board is one word as in `memory`, but with the stones of the *prover* in the low half and those of
its opponent in the high half. A point banned by simple ko is marked in both halves of a key, which
no stone can be, so a key describes a state exactly.
"""

from typing import NamedTuple

import numpy as np

from tengen.solver.kernels.memory import GEOMETRY, MOVE_LIMIT, SYMMETRIES
from tengen.util.compiler import inline_kernel

PROVER, OPPONENT = 0, 1
"""Side to move."""
INFINITE = (1 << 24) - 1
"""Proof number of a disproved state and disproof number of a proved one."""
LAST_PLY = 250
UNOPENED = -1
"""Value of `count` in a frame before its moves are listed."""

QUESTION = np.dtype(
    [
        ("target", "i8"),  # least score of the prover that answers the question with yes
        ("points", "i8"),
        ("table_bits", "i8"),
        ("slack", "i8"),  # percentage by which a child may exceed its best sibling (1 + epsilon)
        ("use_weak", "i8"),
        ("use_ordering", "i8"),
        ("use_life", "i8"),
        ("use_interior", "i8"),
        ("use_symmetry", "i8"),
        ("use_refresh", "i8"),
        ("use_replacement", "i8"),
        ("ply", "i8"),
        ("deepest", "i8"),  # largest ply so far
        ("is_running", "i8"),
        ("nodes", "i8"),
    ],
    align=True,
)
"""The question, settings and registers of a search."""

PROOF_FRAME = np.dtype(
    [
        ("board", "u8"),
        ("ko", "u8"),  # point banned by simple ko, or 0
        ("key", "u8"),
        ("side", "i8"),
        ("passes", "i8"),
        ("count", "i8"),  # moves in the list, or UNOPENED
        ("current", "i8"),  # list position of the move being searched
        ("pn_limit", "i8"),
        ("dn_limit", "i8"),
        ("pn", "i8"),
        ("dn", "i8"),
        ("rest", "i8"),  # part of the combined number that is not due to the current child
        ("nodes_before", "i8"),
        ("moves", "i8", MOVE_LIMIT),
        ("boards", "u8", MOVE_LIMIT),
        ("kos", "u8", MOVE_LIMIT),
        ("keys", "u8", MOVE_LIMIT),  # 0 if the value of a child is final on this path
        ("pns", "i8", MOVE_LIMIT),
        ("dns", "i8", MOVE_LIMIT),
    ],
    align=True,
)
"""One node of the search stack with the numbers of its children."""

PROOF_ENTRY = np.dtype([("key", "u8"), ("data", "u8")])
"""One entry of the table; `data` is 0 in an empty entry."""


class ProofState(NamedTuple):
    """Memory of one search."""

    geometry: np.ndarray  # GEOMETRY [1]
    question: np.ndarray  # QUESTION [1]
    images: np.ndarray  # uint64 [LAST_PLY + 2, SYMMETRIES]: board of each ply in each orientation
    frames: np.ndarray  # PROOF_FRAME [LAST_PLY + 2]
    table: np.ndarray  # PROOF_ENTRY [2 ** table_bits]


def new_proof_state(table_bits: int) -> ProofState:
    """Allocate cleared memory with a table of 2 ** table_bits entries."""
    state = ProofState(
        geometry=np.zeros(1, dtype=GEOMETRY),
        question=np.zeros(1, dtype=QUESTION),
        images=np.zeros((LAST_PLY + 2, SYMMETRIES), dtype=np.uint64),
        frames=np.zeros(LAST_PLY + 2, dtype=PROOF_FRAME),
        table=np.zeros(1 << table_bits, dtype=PROOF_ENTRY),
    )
    state.question[0]["table_bits"] = table_bits
    return state


@inline_kernel
def proof_frame_at(state, ply):
    """Return the frame of a ply."""
    return state.frames[np.uintp(ply)]
