"""Artificial networks, and searches with them."""

import numpy as np
import pytest

from tengen.board import Position
from tengen.board.kernels import layout
from tengen.playout.policy import LIGHT_POLICY
from tengen.search import EvaluatorSet, EvaluatorWeights, Searcher, SearchLimit, SearchSettings
from tengen.sources import source_table

pytestmark = pytest.mark.kernels

C, REDUCTION = 1.3, 0.1


class HashNet:
    """Evaluates every position pseudo-randomly but reproducibly, so that there are no ties."""

    smallest_board = 1

    def __init__(self):
        self.sizes = []

    def evaluate(self, root, lines, blocks, komi):
        self.sizes.append(len(blocks))
        seeds = [int(b[layout.HASH_LOW]) + 3 * int(b[layout.TO_PLAY]) for b in blocks]
        numbers = [np.random.default_rng(seed) for seed in seeds]
        policy = np.array([rng.random(int(layout.POINTS)) ** 3 for rng in numbers], np.float32)
        wins = np.array([rng.random() for rng in numbers], np.float32)
        leads = np.array([rng.normal(0, 5) for rng in numbers], np.float32)
        return policy, wins, leads


class Opinion:
    """Prefers one move at the root; Black wins positions in which Black owns a point."""

    smallest_board = 1

    def __init__(self, preferred=None, good=None):
        self.preferred, self.good = preferred, good

    def evaluate(self, root, lines, blocks, komi):
        policy = np.ones((len(blocks), int(layout.POINTS)), np.float32)
        for row, line in zip(policy, lines, strict=True):
            if self.preferred is not None and not line:
                row[self.preferred] = 1000
        wins = np.full(len(blocks), 0.5, np.float32)
        if self.good is not None:
            black = blocks[:, int(layout.COLOR) + self.good] == int(layout.BLACK)
            to_play = blocks[:, int(layout.TO_PLAY)] == int(layout.BLACK)
            wins = np.where(black, np.where(to_play, 0.9, 0.1), 0.5).astype(np.float32)
        return policy, wins, np.zeros_like(wins)


class Broken:
    smallest_board = 1

    def evaluate(self, root, lines, blocks, komi):
        raise RuntimeError("out of neurons")


def searcher(
    net, threads=1, sources=(), python=(), beside=None, search=None, **settings
) -> Searcher:
    usual = {"puct_exploration": C, "fpu_reduction": REDUCTION, "memory_mib": 16}
    table = source_table(list(sources))
    evaluators = EvaluatorSet(table, python, net, EvaluatorWeights(**settings), beside)
    return Searcher(
        SearchSettings(threads=threads, **{**usual, **(search or {})}), LIGHT_POLICY, evaluators
    )


def searched(net, simulations, position=None, **settings):
    engine = searcher(net, **settings)
    engine.set_position(position or Position(5))
    engine.run(SearchLimit(simulations=simulations))
    return engine.report()
