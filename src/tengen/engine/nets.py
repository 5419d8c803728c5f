"""Networks of the engine: opening them by name, and evaluating leaves and positions."""

import contextlib
import functools
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, Compensation, Ko, Position
from tengen.board.kernels.layout import POINTS
from tengen.engine.settings import PlaySettings
from tengen.nets import (
    DEFAULT_NET,
    HUMAN,
    MIN_BOARD_SIZE,
    Evaluation,
    Net,
    NetSettings,
    NonFiniteOutputsError,
    OnnxModel,
    TengenFeatures,
    TengenNet,
    find_net,
    load_net,
    make_features,
    split_profile,
)
from tengen.search import NetEvaluator, NetOutputs
from tengen.util import TengenError

DEFAULT, NONE = "default", "none"
"""Names of the bundled network and of no network."""

Blocks = npt.NDArray[np.uint32]


def net_path(name: str) -> Path:
    """Return the file of a network, given its name in `tengen net list` or its path.

    A player profile after `@` is ignored. Raise TengenError if it does not exist.
    """
    return DEFAULT_NET if name == DEFAULT else find_net(os.path.expanduser(name))


def load_named_net(name: str) -> Net:
    """Return a network by name or path, cached; raise TengenError if it does not exist.

    A human-like network is named with a player profile, `NAME@rank_5k`.
    """
    path, (_, profile) = net_path(name), split_profile(name)
    return _load_cached(path, path.stat().st_mtime_ns if path.is_file() else 0, profile)


@functools.lru_cache(maxsize=4)
def _load_cached(path: Path, modified_ns: int, profile: str) -> Net:
    """Load a network; `modified_ns` makes the cache miss after the file changed."""
    return load_net(path, NetSettings(profile=profile))


def evaluate_with_net(name: str, position: Position) -> Evaluation | None:
    """Return a network's evaluation of a position; None for `none` and on too small boards.

    Return None as well if its outputs are not finite, which the search reports. Raise TengenError
    if the network cannot be read.
    """
    if name == NONE or min(position.rows, position.columns) < MIN_BOARD_SIZE:
        return None
    with contextlib.suppress(NonFiniteOutputsError):
        return load_named_net(name).evaluate([position])[0]
    return None


def human_net_name(name: str, profile: str) -> str:
    """Return the name of a human-like network with a player profile.

    Return `none` without a network or without a profile, if the network needs one.
    """
    if name == NONE or split_profile(name)[1]:
        return name
    if not profile:
        return NONE if is_human_like(name) else name
    return f"{name}@{profile}"


def is_human_like(name: str) -> bool:
    """Return whether a network needs a player profile; raise TengenError if it does not exist."""
    path = net_path(name)
    return _features_of(path, path.stat().st_mtime_ns if path.is_file() else 0) == HUMAN


@functools.lru_cache(maxsize=16)
def _features_of(path: Path, modified_ns: int) -> str:
    return OnnxModel(path).features


def evaluate_like_humans(play: PlaySettings, position: Position) -> Evaluation | None:
    """Return the evaluation of the human-like network of the settings; None without one.

    Without `human_net`, this is the first network if it has a profile.
    """
    name = human_net_name(play.human_net, play.human_profile)
    if name == NONE and split_profile(play.net)[1]:
        name = play.net
    return evaluate_with_net(name, position)


def profile_overrides(play: PlaySettings, profile: str) -> list[str]:
    """Return the overrides that set the player profile, of the first network too if it has one."""
    net, old = split_profile(play.net)
    first = [f"play.net={net}@{profile}"] if old and profile else []
    return [f"play.human_profile={profile}", *first]


# Evaluators for the search


def open_nets(name: str, below: str, depth: int, symmetry: str) -> NetEvaluator | None:
    """Return the evaluator of one network, or of two: `below` for nodes deeper than `depth`."""
    net, fast = open_net(name, symmetry), open_net(below, symmetry)
    if net is None and fast is not None:
        raise TengenError(f"net_below={below} requires a first network: set net=... as well")
    return net if net is None or fast is None else DepthEvaluator(net, fast, depth)


def open_net(name: str, symmetry: str = "none") -> NetEvaluator | None:
    """Return the evaluator of a network by name or path; None for `none`.

    `symmetry` is that of `NetSettings`. Raise TengenError if the network does not exist.
    """
    if name == NONE:
        return None
    path, (_, profile) = net_path(name), split_profile(name)
    return _open_cached(path, path.stat().st_mtime_ns if path.is_file() else 0, symmetry, profile)


@functools.lru_cache(maxsize=4)
def _open_cached(path: Path, modified_ns: int, symmetry: str, profile: str) -> NetEvaluator:
    """Open an evaluator; engines of one process share it, with its cache of evaluations."""
    settings = NetSettings(symmetry=symmetry, profile=profile)
    model = OnnxModel(path, settings.threads)
    features = make_features(model, profile)
    if isinstance(features, TengenFeatures):
        return BoardEvaluator(TengenNet(model, settings))
    return GameEvaluator(Net(model.name, features, model, settings))


class DepthEvaluator:
    """Two networks: an accurate one near the root, a fast one below (paper 001, sec. 2.2.4)."""

    smallest_board = MIN_BOARD_SIZE

    def __init__(self, accurate: NetEvaluator, fast: NetEvaluator, depth: int):
        self._accurate = accurate
        self._fast = fast
        self._depth = depth

    def evaluate(
        self, root: Position, lines: Sequence[list[int]], blocks: Blocks, komi: float
    ) -> NetOutputs:
        """Evaluate each position with the network for its depth."""
        is_deep = np.array([len(line) > self._depth for line in lines])
        outputs = _empty_outputs(len(lines))
        for net, rows in ((self._accurate, ~is_deep), (self._fast, is_deep)):
            if rows.any():
                own_lines = [line for line, is_own in zip(lines, rows, strict=True) if is_own]
                own_outputs = net.evaluate(root, own_lines, blocks[rows], komi)
                for array, values in zip(outputs, own_outputs, strict=True):
                    array[rows] = values
        return outputs


class BoardEvaluator:
    """A network with Tengen's features, which are computed from the board alone."""

    smallest_board = MIN_BOARD_SIZE

    def __init__(self, net: TengenNet):
        self._net = net

    def evaluate(
        self, root: Position, lines: Sequence[list[int]], blocks: Blocks, komi: float
    ) -> NetOutputs:
        """Evaluate each board."""
        return NetOutputs(*self._net.evaluate_blocks(blocks, komi))


class GameEvaluator:
    """A network whose features may depend on earlier moves."""

    smallest_board = MIN_BOARD_SIZE

    def __init__(self, net: Net):
        self._net = net

    def evaluate(
        self, root: Position, lines: Sequence[list[int]], blocks: Blocks, komi: float
    ) -> NetOutputs:
        """Evaluate the position after each line."""
        positions = [_position_after(root, line, komi) for line in lines]
        outputs = _empty_outputs(len(lines))
        for index, evaluation in enumerate(self._net.evaluate(positions)):
            positions[index].on_grid(outputs.policy[index])[:] = evaluation.policy
            outputs.policy[index, PASS] = evaluation.pass_probability
            outputs.win[index] = evaluation.win_to_play
            outputs.lead[index] = evaluation.lead_to_play
        return outputs


def _empty_outputs(count: int) -> NetOutputs:
    policy = np.zeros((count, int(POINTS)), dtype=np.float32)
    return NetOutputs(policy, *np.zeros((2, count), dtype=np.float32))


def _position_after(root: Position, line: list[int], komi: float) -> Position:
    """Return the position after a line, with simple ko as in the tree and `komi` for White.

    The tree counts area; networks correct for other rules themselves.
    """
    position = root.copy()
    none, komi = Compensation.NONE, komi - root.territory_adjustment
    position.rules = replace(root.rules, ko=Ko.SIMPLE, komi=komi, compensation=none)
    for move in line:
        position.play(move)
    return position
