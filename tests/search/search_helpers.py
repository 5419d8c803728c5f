"""Artificial trees, small searchers and diagrams for the tests of the search."""

import numpy as np

from tengen.board import BLACK, Position, Rules, parse_vertex
from tengen.engine import EngineSettings, PriorSettings
from tengen.playout import PlayoutPolicy
from tengen.search import EvaluatorSet, Searcher, SearchLimit, SearchSettings
from tengen.search.kernels import selection
from tengen.search.kernels.selection import SelectionParameters
from tengen.search.kernels.tree import TreeArrays, new_tree
from tengen.sources import compiled_source, source_table

ROOT = 1
SEEDS = (1, 2, 3)
PRIORS = PriorSettings(even=10, tactics=14, patterns=7, distance=14, lines=7, shape=0)
"""Fixed, so that tests do not depend on tuned defaults."""
SEARCH = {
    "algorithm": "rave",
    "uct_exploration": 0.1,
    "rave_equivalence": 3500.0,
    "fpu_value": 1.0,
    "expansion_visits": 4,
    "score_weight": 0.02,
    "final_choice": "visits",
    "memory_mib": 64,
}
NO_SOURCES = source_table([])
POLICY = PlayoutPolicy(
    reply=0, atari=0.9, nakade=0.5, two_liberties=0.3, pattern=0.9, avoid_self_atari=0.95
)


def cleared_tree(nodes: int) -> TreeArrays:
    """Return a tree of zeros; the searcher clears its own nodes when it creates them."""
    return TreeArrays(*(np.zeros_like(field) for field in new_tree(nodes)))


def formula(kind=selection.UCT, **numbers) -> SelectionParameters:
    """Return a formula; parameters that are not given are 0."""
    usual = {"exploration": 0.0, "rave_equivalence": 100.0, "fpu": 0.0}
    return SelectionParameters(
        **{"algorithm": int(kind), "prior_in_rave": False, **usual, **numbers}
    )


def family(parent_visits: float, children: list[dict[str, float]], **root: float) -> TreeArrays:
    """Return a tree with a root and its children, given by field name.

    All visits are finished unless `results` are given.
    """
    tree = cleared_tree(ROOT + 1 + len(children))
    for name, value in {"visits": parent_visits, "results": parent_visits, **root}.items():
        getattr(tree, name)[ROOT] = value
    tree.first_child[ROOT] = ROOT + 1
    tree.child_count[ROOT] = len(children)
    for index, cells in enumerate(children):
        finished = {"results": cells.get("visits", 0.0)}
        for name, value in {**finished, **cells}.items():
            getattr(tree, name)[ROOT + 1 + index] = value
    return tree


def chosen(
    tree: TreeArrays, by: SelectionParameters, start: int = 0, random=None, is_root: bool = True
) -> int:
    """Return the index, from 0, of the selected child of the root."""
    random = np.ones(1, dtype=np.uint64) if random is None else random
    node, first = np.uintp(ROOT), np.uintp(start)
    child = selection.select_child(tree, node, by, first, random, is_root)
    return int(child) - ROOT - 1


def searcher(seed: int = 1, threads: int = 1, sources=None, policy=POLICY, **settings) -> Searcher:
    """Return a searcher with fixed settings; `sources` are names of built-in sources."""
    search = SearchSettings(**{"threads": threads, **SEARCH, **settings})
    named = PRIORS.sources() if sources is None else [compiled_source(n, 10.0) for n in sources]
    return Searcher(search, policy, EvaluatorSet(source_table(named)), seed)


def board(text: str, to_play=BLACK, komi: float = 0.5) -> Position:
    """Return the position of a diagram under area scoring."""
    return Position.from_diagram(text, to_play, Rules(komi=komi))


def point(position: Position, vertex: str) -> int:
    return parse_vertex(vertex, position.rows, position.columns)


def search(position: Position, simulations: int, seed: int = 1, **settings):
    """Search a position; return the report."""
    engine = searcher(seed, **settings)
    engine.set_position(position)
    engine.run(SearchLimit(simulations=simulations))
    return engine.report()


def best_moves(position: Position, simulations: int, **settings) -> list[str]:
    """Return the move that the search chooses, by seed."""
    reports = [search(position, simulations, seed, **settings) for seed in SEEDS]
    return [position.vertex(report.candidates[0].move) for report in reports]


def engine_settings(*words: str) -> EngineSettings:
    return EngineSettings(priors=PRIORS, policy=POLICY).with_overrides(
        ["threads=1", "seed=1", *words]
    )
