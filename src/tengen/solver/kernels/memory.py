"""Memory layout of the solver kernels.

A set of points is a 64-bit word; point `row * columns + column` is the bit of that number. A
*board* is one word too: Black's stones in the low 32 bits, White's in the high 32 bits. A board
therefore has at most 30 points, and it is its own exact hash key.

A search lives entirely in the arrays of `SolverState`, so it can stop at any node and resume.
"""

from typing import NamedTuple

import numpy as np

from tengen.util.compiler import inline_kernel

HALF_BITS = 32
HALF = np.uint64(HALF_BITS)
LOW_HALF = np.uint64(0xFFFFFFFF)
ZERO, ONE = np.uint64(0), np.uint64(1)
ALL_STONES = np.uint64(0xFFFFFFFFFFFFFFFF)
"""A set that no board contains: every point both black and white."""

POINT_LIMIT = 30
MOVE_LIMIT = 32
PASS = 31
"""A move is a point or PASS."""
NO_MOVE = -1
SYMMETRIES = 8
PLY_LIMIT = 512
"""Boards on the current path: the game so far and the search."""
DEEPEST = 254
PROVED = 255
"""Depth of a bound that does not depend on the horizon."""
NO_PLY = 1 << 30
"""Value of `Bound.depends` for a bound that holds after any history."""

EVALUATE, BLACK_PROVES, WHITE_PROVES = 0, 1, 2
"""Value at the horizon: the evaluation, or the worst value for the side that proves a bound."""
POSITIONAL, SITUATIONAL, DRAW = 0, 1, 2
"""Rule for repetitions: positional superko, situational superko, or simple ko and a draw when a
position repeats with the same side to move and the same ban by ko."""
NO_REPETITION = -1

NULL_UNTRIED, NULL_RUNNING, NULL_DONE = 0, 1, 2
"""State of the null move at a node."""

GEOMETRY = np.dtype(
    [
        ("full", "u8"),  # all points
        ("not_first", "u8"),  # points outside the first column
        ("not_last", "u8"),  # points outside the last column
        ("columns", "u8"),
        ("has_width", "i8"),  # whether the board has at least two rows and two columns
        ("symmetry_count", "u8"),
        ("inverse", "u8", SYMMETRIES),  # the symmetry that undoes each symmetry
        ("images", "u8", (64, SYMMETRIES)),  # the image of each bit of a board, as a word
        ("priority", "i8", MOVE_LIMIT),  # move ordering: center high, corners low
        ("chains", "u8", 32),  # scratch memory of `evaluation.alive_chains`
        ("reaches", "u8", 32),
        ("regions", "u8", 64),
    ],
    align=True,
)
"""A board size, with scratch memory for life analysis."""

CONTROL = np.dtype(
    [
        ("power", "i8"),  # exponent of the evaluation
        ("limit", "i8"),  # largest absolute value: points ** power
        ("horizon", "i8"),
        ("repetition", "i8"),
        ("table_bits", "i8"),
        ("use_table", "i8"),
        ("use_history", "i8"),
        ("use_null_move", "i8"),
        ("use_life", "i8"),
        ("use_symmetry", "i8"),
        ("root", "i8"),  # ply of the root; earlier boards are the game so far
        ("ply", "i8"),
        ("is_running", "i8"),
        ("nodes", "i8"),
        ("history", "i8", (2, MOVE_LIMIT)),  # history heuristic by side and move
    ],
    align=True,
)
"""Settings and registers of a search."""

BOUND = np.dtype(
    [
        ("depends", "i8"),  # lowest ply whose board the proof needs
        ("is_proved", "i8"),  # whether the proof is independent of the horizon
        ("shared", "u8"),  # stones on every board that the owner makes in the proof
    ],
    align=True,
)
"""Justification of a lower or upper bound."""

FRAME = np.dtype(
    [
        ("alpha", "i8"),
        ("beta", "i8"),
        ("depth", "i8"),
        ("value", "i8"),  # best value so far, for the side to move
        ("best_move", "i8"),
        ("low", BOUND),
        ("up", BOUND),
        ("side", "i8"),  # to move: 0 Black, 1 White
        ("passes", "i8"),
        ("count", "i8"),  # moves in the list
        ("next", "i8"),  # list position of the next move; NO_MOVE before the node is entered
        ("current", "i8"),  # move being searched
        ("captured", "i8"),  # ply of the first board after the last capture
        ("lost", "i8", 2),  # the same for captures of Black's and of White's stones
        ("nodes_before", "i8"),
        ("symmetry", "u8"),  # orientation of the table entry
        ("repeats", "i8"),  # ply that this node repeats, which is a draw, or NO_REPETITION
        ("null_move", "i8"),
        ("moves", "i8", MOVE_LIMIT),
        ("scores", "i8", MOVE_LIMIT),
        ("children", "u8", MOVE_LIMIT),  # board after each move
        ("repetitions", "i8", MOVE_LIMIT),  # `repeats` of each child
    ],
    align=True,
)
"""One node of the search stack."""

ENTRY = np.dtype([("key", "u8"), ("low_shared", "u8"), ("up_shared", "u8"), ("data", "u8")])
"""One entry of the transposition table; `data` is 0 in an empty entry."""


class SolverState(NamedTuple):
    """Memory of one search."""

    geometry: np.ndarray  # GEOMETRY [1]
    control: np.ndarray  # CONTROL [1]
    path: np.ndarray  # uint64 [PLY_LIMIT, SYMMETRIES]: board of each ply in each orientation
    frames: np.ndarray  # FRAME [PLY_LIMIT]
    table: np.ndarray  # ENTRY [2 ** table_bits]


def new_state(table_bits: int) -> SolverState:
    """Allocate cleared memory with a table of 2 ** table_bits entries."""
    state = SolverState(
        geometry=np.zeros(1, dtype=GEOMETRY),
        control=np.zeros(1, dtype=CONTROL),
        path=np.zeros((PLY_LIMIT, SYMMETRIES), dtype=np.uint64),
        frames=np.zeros(PLY_LIMIT, dtype=FRAME),
        table=np.zeros(1 << table_bits, dtype=ENTRY),
    )
    state.control[0]["table_bits"] = table_bits
    return state


@inline_kernel
def frame_at(state, ply):
    """Return the frame of a ply."""
    return state.frames[np.uintp(ply)]


@inline_kernel
def board_at(state, ply):
    """Return the board of a ply."""
    return state.path[np.uintp(ply), ZERO]
