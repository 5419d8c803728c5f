"""Nets for the search: from a name to something that evaluates leaves."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.board.rules import Compensation, Ko
from tengen.core.errors import TengenError
from tengen.network.folder import find_net
from tengen.network.net import SMALLEST_BOARD, Net, NetSettings
from tengen.network.onnx import OnnxModel, make_features
from tengen.network.own import DEFAULT_NET, OwnFeatures, OwnNet
from tengen.search.net import Evaluator, Opinion

DEFAULT, NONE = "default", "none"

Blocks = npt.NDArray[np.uint32]


def open_net(name: str, symmetry: str = "none") -> Evaluator | None:
    """Return a net by its name in `tengen net list` or its file; None for `none`.

    `symmetry` is that of `NetSettings`. Raise TengenError if there is no such net.
    """
    if name == NONE:
        return None
    settings = NetSettings(symmetry=symmetry)
    model = OnnxModel(net_path(name), settings.threads)
    features = make_features(model)
    if isinstance(features, OwnFeatures):
        return BoardEvaluator(OwnNet(model, settings))
    return GameEvaluator(Net(model.name, features, model, settings))


def net_path(name: str) -> Path:
    """Return the file of a net, by its name in `tengen net list` or the file itself.

    Raise TengenError if there is none of that name.
    """
    return DEFAULT_NET if name == DEFAULT else find_net(os.path.expanduser(name))


def open_nets(name: str, below: str, depth: int, symmetry: str) -> Evaluator | None:
    """Return the net of that name, or two: the second for positions deeper than `depth`."""
    net, fast = open_net(name, symmetry), open_net(below, symmetry)
    if net is None and fast is not None:
        raise TengenError(f"net_below={below} needs a first net: give net=... too")
    return net if net is None or fast is None else DepthEvaluator(net, fast, depth)


class DepthEvaluator:
    """Two nets: slow and exact near the root, fast below (paper 001, section 2.2.4)."""

    smallest_board = SMALLEST_BOARD

    def __init__(self, slow: Evaluator, fast: Evaluator, depth: int):
        self._slow = slow
        self._fast = fast
        self._depth = depth

    def evaluate(
        self, root: Position, lines: Sequence[list[int]], blocks: Blocks, komi: float
    ) -> Opinion:
        """Return what the net of its depth says of each position."""
        is_deep = np.array([len(line) > self._depth for line in lines])
        said = _empty(len(lines))
        for net, rows in ((self._slow, ~is_deep), (self._fast, is_deep)):
            if rows.any():
                chosen = [line for line, is_mine in zip(lines, rows, strict=True) if is_mine]
                for part, found in zip(
                    said, net.evaluate(root, chosen, blocks[rows], komi), strict=True
                ):
                    part[rows] = found
        return said


class BoardEvaluator:
    """An own net, which sees no more than the board."""

    smallest_board = SMALLEST_BOARD

    def __init__(self, net: OwnNet):
        self._net = net

    def evaluate(
        self, root: Position, lines: Sequence[list[int]], blocks: Blocks, komi: float
    ) -> Opinion:
        """Return what the net says of each board."""
        return Opinion(*self._net.evaluate_blocks(blocks, komi))


class GameEvaluator:
    """Any net: it may look at the moves before, so positions are made for it."""

    smallest_board = SMALLEST_BOARD

    def __init__(self, net: Net):
        self._net = net

    def evaluate(
        self, root: Position, lines: Sequence[list[int]], blocks: Blocks, komi: float
    ) -> Opinion:
        """Return what the net says after each line."""
        positions = [_after(root, line, komi) for line in lines]
        opinion = _empty(len(lines))
        for index, said in enumerate(self._net.evaluate(positions)):
            positions[index].on_grid(opinion.policy[index])[:] = said.policy
            opinion.policy[index, PASS] = said.pass_probability
            opinion.win[index] = said.win_to_play
            opinion.lead[index] = said.lead_to_play
        return opinion


def _empty(count: int) -> Opinion:
    policy = np.zeros((count, int(POINTS)), dtype=np.float32)
    return Opinion(policy, *np.zeros((2, count), dtype=np.float32))


def _after(root: Position, line: list[int], komi: float) -> Position:
    """Return the position after some moves, White getting `komi` and nothing else.

    In the tree, as here, only simple ko holds. The tree counts areas; where the rules do not, such
    nets make up for it themselves.
    """
    position = root.copy()
    none, komi = Compensation.NONE, komi - root.stones_beyond
    position.rules = replace(root.rules, ko=Ko.SIMPLE, komi=komi, compensation=none)
    for move in line:
        position.play(move)
    return position
