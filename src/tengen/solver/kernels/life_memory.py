"""Memory layout of the life-and-death search.

The search plays on a *region* of at most 64 points of a board of any size. A set of points of the
region is a 64-bit word. Chains with a liberty outside of the region cannot be captured inside; they
are represented by the points that touch them: a stone of the same color on such a point is safe.
"""

from typing import NamedTuple

import numpy as np

from tengen.solver.kernels.proof_memory import PROOF_ENTRY
from tengen.util.compiler import inline_kernel

REGION_LIMIT = 64
MOVES_LIMIT = 66
DEEPEST_PLY = 180
NOT_LISTED = -1
"""Value of `count` in a frame before its moves are listed."""
UNLIMITED = 7
"""Number of ko threats of a side that may ignore bans by ko."""
PASS_INDEX = 64
"""A move is the index of a point of the region or a pass."""

ATTACKER, DEFENDER = 0, 1

LIFE_REGION = np.dtype(
    [
        ("full", "u8"),  # all points of the region
        ("around", "u8", 64),  # neighbors of each point
        ("near", "u8", 64),  # the eight points around each point
        ("keys", "u8", (3, 64)),  # hash keys: stones of the attacker, of the defender, ban by ko
        ("safe", "u8", 2),  # points next to safe stones of the attacker, of the defender
        ("border", "u8"),  # points with a neighbor outside that is no safe stone of the defender
        ("chains", "u8", 32),  # scratch memory of `living`
        ("reaches", "u8", 32),
        ("spaces", "u8", 64),
    ],
    align=True,
)
"""A region, with scratch memory."""

LIFE_QUESTION = np.dtype(
    [
        ("prover", "i8"),  # ATTACKER or DEFENDER
        ("target", "u8"),  # points of the stones at stake
        ("needs_all", "i8"),  # whether the attacker must capture all of them
        ("needs_eyes", "i8"),  # whether the defender must reach unconditional life
        ("opponent_threats", "i8"),  # 0 or UNLIMITED
        ("salt", "u8"),  # part of all keys: the question
        ("table_bits", "i8"),
        ("slack", "i8"),  # percentage by which a child may exceed its best sibling (1 + epsilon)
        ("weights", "i8", 8),  # of the first numbers of a state, see `estimate_life`
        ("ply", "i8"),
        ("deepest", "i8"),  # largest ply so far
        ("is_running", "i8"),
        ("nodes", "i8"),
    ],
    align=True,
)
"""The question, settings and registers of a search."""

LIFE_FRAME = np.dtype(
    [
        ("stones", "u8", 2),  # of the attacker, of the defender
        ("ko", "u8"),  # point that ko forbids to the side to move, or 0
        ("hash", "u8"),  # of the stones
        ("key", "u8"),  # of the state
        ("mover", "i8"),
        ("threats", "i8"),  # ko threats of the prover that are left
        ("count", "i8"),  # moves in the list, or NOT_LISTED
        ("current", "i8"),  # list position of the move being searched
        ("last", "i8"),  # the move before, PASS_INDEX for a pass or none
        ("pn_limit", "i8"),
        ("dn_limit", "i8"),
        ("pn", "i8"),
        ("dn", "i8"),
        ("rest", "i8"),  # part of the combined number that is not due to the current child
        ("nodes_before", "i8"),
        ("moves", "i8", MOVES_LIMIT),
        ("child_stones", "u8", (MOVES_LIMIT, 2)),
        ("child_kos", "u8", MOVES_LIMIT),
        ("child_hashes", "u8", MOVES_LIMIT),
        ("child_threats", "i8", MOVES_LIMIT),
        ("keys", "u8", MOVES_LIMIT),  # 0 if the result of a child is final on this path
        ("pns", "i8", MOVES_LIMIT),
        ("dns", "i8", MOVES_LIMIT),
    ],
    align=True,
)
"""One node of the search stack with the numbers of its children."""


class LifeState(NamedTuple):
    """Memory of one search."""

    region: np.ndarray  # LIFE_REGION [1]
    question: np.ndarray  # LIFE_QUESTION [1]
    frames: np.ndarray  # LIFE_FRAME [DEEPEST_PLY + 2]
    table: np.ndarray  # PROOF_ENTRY [2 ** table_bits]


def new_life_state(table_bits: int) -> LifeState:
    """Allocate cleared memory with a table of 2 ** table_bits entries."""
    state = LifeState(
        region=np.zeros(1, dtype=LIFE_REGION),
        question=np.zeros(1, dtype=LIFE_QUESTION),
        frames=np.zeros(DEEPEST_PLY + 2, dtype=LIFE_FRAME),
        table=np.zeros(1 << table_bits, dtype=PROOF_ENTRY),
    )
    state.question[0]["table_bits"] = table_bits
    random = np.random.Generator(np.random.PCG64(1907))
    state.region[0]["keys"] = random.integers(1, 2**63, size=(3, 64), dtype=np.uint64)
    return state


@inline_kernel
def life_frame_at(state, ply):
    """Return the frame of a ply."""
    return state.frames[np.uintp(ply)]
