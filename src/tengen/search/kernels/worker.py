"""Per-thread state of the search, and the parameters of simulations."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import CELLS, POINTS
from tengen.playout.kernels.heavy import NO_ODDS, PlayoutMemory, new_playout_memory
from tengen.search.kernels.tree import MAX_DEPTH

MAX_QUEUED_LEAVES = 64
"""Largest batch of leaves for a network."""
MAX_PLANNED_SIMULATIONS = 4096
"""Longest plan of sequential halving."""
MAX_QUEUED_NODES = 16
"""Nodes queued for Python sources before the kernel returns to evaluate them."""
OWNERSHIP_INTERVAL = np.int64(8)
"""Ownership is recorded in one of this many playouts."""

COUNTERS = np.dtype(
    [
        ("simulations", np.int64),
        ("playout_moves", np.int64),
        ("refused", np.int64),  # expansions refused for lack of memory
        ("ownerships", np.int64),  # playouts whose ownership was recorded
        ("depth_sum", np.int64),  # sum of path lengths
        ("queued_nodes", np.int64),  # nodes that wait for Python sources
    ]
)
NODE_RANGE = np.dtype([("next", np.uint32), ("end", np.uint32)])
"""The part of the tree in which a thread allocates: next free node and end."""


class SimulationParameters(NamedTuple):
    """How simulations are played and rewarded; `SearchSettings` has the descriptions."""

    expansion_visits: float
    komi: float  # points for White
    score_weight: float  # share of the score margin in the reward
    mercy: int  # prisoner lead that ends a playout
    max_playout_moves: int
    margin_unit: float  # score that scales to a margin of 0.75
    lead_center: float  # Black's score that scales to a margin of 0.5
    python_max_depth: int  # new nodes down to this depth are queued for Python sources
    python_before_move: int  # only before this move number


class NetWeights(NamedTuple):
    """How network outputs are weighted; `EvaluatorWeights` has the descriptions."""

    has_net: bool
    playout_share: float  # lambda: share of the playout in the value of a leaf
    is_puct: bool  # priors act through the policy only, not through equivalent visits
    equivalent_visits: float  # of a move with policy 1; unused for PUCT
    lead_weight: float  # share of the score margin in the utility of PUCT


NO_NET = NetWeights(False, 1.0, False, 0.0, 0.0)


ROOT_PLAN = np.dtype(
    [
        ("simulations", np.int64),  # length of the plan
        ("value_visits", np.float64),
        ("value_scale", np.float64),
    ]
)


class RootPlan(NamedTuple):
    """Sequential halving at the root (Danihelka et al. 2022, algorithm 2).

    At simulation `i`, one of the moves with `targets[i]` new visits is chosen.
    """

    header: np.ndarray  # ROOT_PLAN [1]
    targets: np.ndarray  # int32 [MAX_PLANNED_SIMULATIONS]
    scores: np.ndarray  # float32 [POINTS]: log policy plus noise of each child
    old_visits: np.ndarray  # float32 [POINTS]: visits of each child before the plan


class LeafQueue(NamedTuple):
    """Leaves that wait for a network evaluation."""

    count: np.ndarray  # int64 [1]
    blocks: np.ndarray  # uint32 [MAX_QUEUED_LEAVES, CELLS]: their positions
    paths: np.ndarray  # uint32 [MAX_QUEUED_LEAVES, MAX_DEPTH + 1]: nodes from root to leaf
    lengths: np.ndarray  # int64 [MAX_QUEUED_LEAVES]: lengths of the paths


class ExpansionScratch(NamedTuple):
    """Scratch arrays for expanding a leaf."""

    wins: np.ndarray  # float32 [POINTS]: prior value times equivalent visits
    visits: np.ndarray  # float32 [POINTS]: equivalent visits of the prior
    allowed: np.ndarray  # uint8 [POINTS]: moves allowed at the root
    memory: np.ndarray  # float64: memory of the compiled sources


class Worker(NamedTuple):
    """State of one search thread."""

    block: np.ndarray  # uint32 [CELLS]: the position of the current simulation
    node_range: np.ndarray  # NODE_RANGE [1]
    path: np.ndarray  # uint32 [MAX_DEPTH + 1]: nodes of the current simulation
    playout: PlayoutMemory
    expansion: ExpansionScratch
    ownership: np.ndarray  # int64 [POINTS]: sum of final owners, 1 for Black and -1 for White
    counters: np.ndarray  # COUNTERS [1]
    leaves: LeafQueue
    root_plan: RootPlan
    queued_nodes: np.ndarray  # uint32 [MAX_QUEUED_NODES]: nodes that wait for Python sources
    queued_blocks: np.ndarray  # uint32 [MAX_QUEUED_NODES, CELLS]: their positions


def new_leaf_queue() -> LeafQueue:
    """Return an empty leaf queue."""
    return LeafQueue(
        np.zeros(1, dtype=np.int64),
        np.zeros((MAX_QUEUED_LEAVES, int(CELLS)), dtype=np.uint32),
        np.zeros((MAX_QUEUED_LEAVES, MAX_DEPTH + 1), dtype=np.uint32),
        np.zeros(MAX_QUEUED_LEAVES, dtype=np.int64),
    )


def new_root_plan() -> RootPlan:
    """Return an empty plan."""
    return RootPlan(
        np.zeros(1, dtype=ROOT_PLAN),
        np.zeros(MAX_PLANNED_SIMULATIONS, dtype=np.int32),
        np.zeros(int(POINTS), dtype=np.float32),
        np.zeros(int(POINTS), dtype=np.float32),
    )


def new_expansion_scratch(memory_cells: int) -> ExpansionScratch:
    """Return scratch arrays with `memory_cells` numbers for the compiled sources."""
    points = int(POINTS)
    return ExpansionScratch(
        np.zeros(points, dtype=np.float32),
        np.zeros(points, dtype=np.float32),
        np.ones(points, dtype=np.uint8),
        np.zeros(memory_cells),
    )


def new_worker(seed: int, memory_cells: int, odds: np.ndarray = NO_ODDS) -> Worker:
    """Return a worker without nodes; `odds` are the pattern odds of its playouts."""
    return Worker(
        block=np.zeros(CELLS, dtype=np.uint32),
        node_range=np.zeros(1, dtype=NODE_RANGE),
        path=np.zeros(MAX_DEPTH + 1, dtype=np.uint32),
        playout=new_playout_memory(seed, odds),
        expansion=new_expansion_scratch(memory_cells),
        ownership=np.zeros(int(POINTS), dtype=np.int64),
        counters=np.zeros(1, dtype=COUNTERS),
        leaves=new_leaf_queue(),
        root_plan=new_root_plan(),
        queued_nodes=np.zeros(MAX_QUEUED_NODES, dtype=np.uint32),
        queued_blocks=np.zeros((MAX_QUEUED_NODES, CELLS), dtype=np.uint32),
    )
