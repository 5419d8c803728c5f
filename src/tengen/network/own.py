"""Tengen's own nets: features from the board alone, and a short way for the search.

An own net sees no more than the board block, so that the search can have its leaves evaluated
without making positions of them. Some see the end of a few playouts from it as well.
"""

import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.network.evaluation import Floats
from tengen.network.kernels.features import (
    NUMBERS,
    PLANES,
    new_feature_boards,
    write_batch,
    write_features,
    write_policy,
)
from tengen.network.net import Net, NetSettings
from tengen.network.onnx import OnnxModel, make_features
from tengen.network.playout_plane import MOST_PLAYOUTS, playout_shares, to_plane

DEFAULT_NET = Path(__file__).parent / "nets" / "default.onnx"
"""The net that comes with the package; docs/nets.md tells how it was made."""

Blocks = npt.NDArray[np.uint32]


class _Scratch(threading.local):
    """Memory for the reading of ladders, one for each thread."""

    def __init__(self) -> None:
        self.boards = new_feature_boards()


def plane_count(playouts: int) -> int:
    """Return how many planes a net sees that sees the end of so many playouts."""
    return PLANES + (playouts > 0)


class OwnFeatures:
    """Features of Tengen's own nets; several threads may use one object.

    With playouts there is one plane more, their ownership, as the last.
    """

    numbers = NUMBERS

    def __init__(self, playouts: int = 0) -> None:
        """Take the number of playouts; raise ValueError if they are too many."""
        if not 0 <= playouts <= MOST_PLAYOUTS:
            raise ValueError(f"0 to {MOST_PLAYOUTS} playouts, not {playouts}")
        self.playouts = playouts
        self.planes = plane_count(playouts)
        self._scratch = _Scratch()

    @property
    def kind(self) -> str:
        """The name of these features in the metadata of a net."""
        return f"own-playouts:{self.playouts}" if self.playouts else "own-1"

    def encode(self, position: Position, planes: Floats, numbers: Floats) -> None:
        """Write a position into `planes` (planes, rows, columns) and `numbers`."""
        komi = float(position.area_bonus)
        write_features(position.block, komi, self._scratch.boards, planes[:PLANES], numbers)
        if self.playouts:
            planes[PLANES:] = self._playout_plane(position.block[None])

    def encode_blocks(self, blocks: Blocks, komi_for_white: float) -> tuple[Floats, Floats]:
        """Return planes and numbers of boards of one size."""
        rows, columns = int(blocks[0, layout.ROWS]), int(blocks[0, layout.COLUMNS])
        planes = np.empty((len(blocks), PLANES, rows, columns), dtype=np.float32)
        numbers = np.empty((len(blocks), NUMBERS), dtype=np.float32)
        write_batch(blocks, float(komi_for_white), self._scratch.boards, planes, numbers)
        if self.playouts:
            planes = np.concatenate([planes, self._playout_plane(blocks)[:, None]], axis=1)
        return planes, numbers

    def _playout_plane(self, blocks: Blocks) -> Floats:
        rows, columns = int(blocks[0, layout.ROWS]), int(blocks[0, layout.COLUMNS])
        return to_plane(playout_shares(list(blocks), self.playouts), rows, columns)


class OwnNet(Net):
    """An own net: all that a net does, and boards straight from the search."""

    def __init__(self, model: OnnxModel, settings: NetSettings | None = None) -> None:
        """Take a model; raise TengenError if it wants other features than these."""
        features = make_features(model)
        if not isinstance(features, OwnFeatures):
            raise TengenError(
                f"{model.path}: not one of Tengen's own nets (it wants features"
                f" {model.features!r}); make one with `tengen net train`"
            )
        super().__init__(model.name, features, model, settings)
        self._own_features = features

    def evaluate_blocks(
        self, blocks: Blocks, komi_for_white: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return policy (n, POINTS), win and lead (n,) of boards of one size, to play.

        The policy is over padded points, the pass at 0; it is 0 where a move is suicide or
        takes back a ko. No cache is asked. Several threads may call.
        """
        planes, numbers = self._own_features.encode_blocks(blocks, komi_for_white)
        outputs = self.see(planes, numbers, blocks[:, int(layout.HASH_LOW)])
        policy = np.empty((len(blocks), int(layout.POINTS)), dtype=np.float32)
        write_policy(outputs.policy, planes, policy)
        return policy, outputs.win, outputs.lead


def load_own_net(path: Path = DEFAULT_NET, settings: NetSettings | None = None) -> OwnNet:
    """Return an own net, by default the one that comes with the package; raise TengenError."""
    settings = settings or NetSettings()
    return OwnNet(OnnxModel(path, settings.threads), settings)
