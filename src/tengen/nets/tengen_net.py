"""Tengen's own networks: features from the board alone, and evaluation of boards for the search.

The features depend only on the board block, so the search can evaluate leaves without creating
positions. Optionally they include a search-based feature (paper 001, section 2.2.4): a plane with
the average ownership at the end of a few playouts.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, STRIDE, Block, Position
from tengen.board.kernels import layout
from tengen.board.kernels.block import stones_hash
from tengen.nets.evaluation import Floats
from tengen.nets.kernels.features import (
    NUMBERS,
    PLANES,
    new_feature_boards,
    write_batch,
    write_features,
    write_policy,
)
from tengen.nets.net import Net, NetSettings
from tengen.nets.onnx_model import OnnxModel, make_features
from tengen.playout import HEAVY_POLICY, playout_ownership
from tengen.util import TengenError

DEFAULT_NET = Path(__file__).parent / "bundled" / "default.onnx"
MAX_PLAYOUTS = 1000
"""Maximum number of playouts for the playout plane."""
FULL_SHARE = 127
"""Share of a point that the side to move owns in all playouts; -127 for the opponent."""

Blocks = npt.NDArray[np.uint32]
Shares = npt.NDArray[np.int8]


def playout_shares(blocks: Sequence[Block], playouts: int) -> Shares:
    """Return the ownership in playouts for boards of one size: int8 (n, rows * columns).

    Values are from -127 to 127 for the side to move. The playouts are seeded by the board, so equal
    blocks give equal results. With 0 playouts the shape is (n, 0).
    """
    area = int(blocks[0][layout.ROWS]) * int(blocks[0][layout.COLUMNS])
    shares = np.empty((len(blocks), area if playouts else 0), dtype=np.int8)
    for index, block in enumerate(blocks if playouts else ()):
        shares[index] = _shares(block, playouts).reshape(-1)
    return shares


def to_plane(shares: Shares, rows: int, columns: int) -> Floats:
    """Convert shares to a feature plane: (n, rows, columns), from -1 to 1."""
    return shares.reshape(-1, rows, columns).astype(np.float32) / np.float32(FULL_SHARE)


def _shares(block: Block, playouts: int) -> Shares:
    to_play = int(block[layout.TO_PLAY])
    owned, _ = playout_ownership(block, to_play, playouts, _seed(block), HEAVY_POLICY)
    rows, columns = int(block[layout.ROWS]), int(block[layout.COLUMNS])
    grid = owned[STRIDE : (rows + 1) * STRIDE].reshape(rows, STRIDE)[:, 1 : columns + 1]
    side = FULL_SHARE if to_play == BLACK else -FULL_SHARE
    shares: Shares = np.rint(side * grid).astype(np.int8)
    return shares


def _seed(block: Block) -> int:
    """Return a nonzero seed from the stones and the side to move."""
    return int(stones_hash(block)) & ~3 | int(block[layout.TO_PLAY])


class _Scratch(threading.local):
    """Scratch memory for ladder reading, one per thread."""

    def __init__(self) -> None:
        self.boards = new_feature_boards()


def plane_count(playouts: int) -> int:
    """Return the number of planes with or without a playout plane."""
    return PLANES + (playouts > 0)


class TengenFeatures:
    """Features of Tengen's networks; safe to share between threads.

    With playouts there is one more plane, their ownership, as the last one.
    """

    numbers = NUMBERS

    def __init__(self, playouts: int = 0) -> None:
        """Set the number of playouts; raise ValueError if it is out of range."""
        if not 0 <= playouts <= MAX_PLAYOUTS:
            raise ValueError(f"0 to {MAX_PLAYOUTS} playouts, not {playouts}")
        self.playouts = playouts
        self.planes = plane_count(playouts)
        self._scratch = _Scratch()

    @property
    def kind(self) -> str:
        """Name of these features in the metadata of a network."""
        return f"own-playouts:{self.playouts}" if self.playouts else "own-1"

    def encode(self, position: Position, planes: Floats, numbers: Floats) -> None:
        """Write a position into `planes` (planes, rows, columns) and `numbers`."""
        komi = float(position.area_komi)
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


class TengenNet(Net):
    """A network that also evaluates boards directly from the search."""

    def __init__(self, model: OnnxModel, settings: NetSettings | None = None) -> None:
        """Wrap a model; raise TengenError if it has other features."""
        features = make_features(model)
        if not isinstance(features, TengenFeatures):
            raise TengenError(
                f"{model.path}: not one of Tengen's own networks (its features are"
                f" {model.features!r}); create one with `tengen net train`"
            )
        super().__init__(model.name, features, model, settings)
        self._board_features = features

    def evaluate_blocks(
        self, blocks: Blocks, komi_for_white: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return policy (n, POINTS), win and lead (n,) of boards of one size, for the side to move.

        The policy is indexed by padded point with the pass at 0; suicide and ko recaptures get 0.
        The cache is not used. Safe to call from several threads.
        """
        planes, numbers = self._board_features.encode_blocks(blocks, komi_for_white)
        outputs = self.compute(planes, numbers, blocks[:, int(layout.HASH_LOW)])
        policy = np.empty((len(blocks), int(layout.POINTS)), dtype=np.float32)
        write_policy(outputs.policy, planes, policy)
        return policy, outputs.win, outputs.lead


def load_tengen_net(path: Path = DEFAULT_NET, settings: NetSettings | None = None) -> TengenNet:
    """Load one of Tengen's own networks (default: the bundled one); raise TengenError."""
    settings = settings or NetSettings()
    return TengenNet(OnnxModel(path, settings.threads), settings)
