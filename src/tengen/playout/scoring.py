"""Scoring of finished positions: status of chains, ownership and result.

Chains that are unconditionally alive, or dead inside such territory, are known exactly. The status
of all others is estimated with playouts.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, NEIGHBOR_OFFSETS, WHITE, Block, Color, Position, Scoring
from tengen.board.kernels import layout
from tengen.board.kernels.area import area_owners, unconditional_life_under
from tengen.playout.kernels.heavy import NO_ODDS, new_playout_memory, sum_ownership
from tengen.playout.policy import PlayoutPolicy
from tengen.util import TengenError

Field = npt.NDArray[np.float64]
"""One value per padded point, float64 [POINTS]."""
Chains = dict[int, tuple[int, ...]]
"""Stones of chains, keyed by the first stone in board order."""

SCORING_POLICY = PlayoutPolicy(avoid_self_atari=1.0)
"""Playouts that never break a seki by self-atari."""
PLAYOUTS = 1000
SEED = 20260101
DEAD_BELOW = 0.0
"""A chain is dead if the mean ownership of all its points is below this for its owner, even when
the owner moves first."""
_POINTS = int(layout.POINTS)


class ChainStatus(IntEnum):
    """Life and death of a chain."""

    ALIVE = 0
    DEAD = 1
    SEKI = 2


@dataclass(frozen=True)
class FinalScore:
    """A scored position: dead chains, ownership and score.

    Examples
    --------
    >>> from tengen.board.position import Position
    >>> final = score_position(Position.from_diagram(".XO./XXO./.XOO/XXO."))
    >>> len(final.stones(ChainStatus.DEAD)), final.owner[0].tolist(), final.score
    (0, [1, 1, 2, 2], -7.5)
    """

    chains: Chains
    status: dict[int, ChainStatus]
    """The status of each chain, keyed like `chains`."""
    owner: npt.NDArray[np.uint8]
    """Owner of each point as counted, uint8 [rows, columns]: 0 neutral, 1 Black, 2 White."""
    points: dict[Color, int]
    """The area of each side, or its territory and prisoners."""
    score: float
    """Black's points minus White's, with komi and handicap compensation."""

    def stones(self, status: ChainStatus) -> list[tuple[int, ...]]:
        """Return the chains with that status."""
        return [self.chains[first] for first, found in self.status.items() if found is status]

    @property
    def result(self) -> str:
        """The score in GTP and SGF notation: `B+3.5`, `W+2` or `0`."""
        return format_score(self.score)


def format_score(score: float) -> str:
    """Return a score from Black's view as `B+3.5`, `W+2` or `0`."""
    if score == 0:
        return "0"
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}"


def score_position(position: Position, playouts: int = PLAYOUTS, seed: int = SEED) -> FinalScore:
    """Score a finished position under its rules.

    Parameters
    ----------
    position
        The position, as if both sides had passed.
    playouts
        Number of playouts, half of them for each side to move first.
    seed
        Seed of the playouts; equal arguments give equal results.

    Returns
    -------
    FinalScore
        Status of all chains, ownership of all points, and the score.

    Raises
    ------
    TengenError
        If `playouts` is less than 2.

    Examples
    --------
    >>> from tengen.api import Position, score_position
    >>> final = score_position(Position.from_diagram(".XO./XXO./.XOO/XXO."))
    >>> final.points[1], final.points[2], final.result
    (8, 8, 'W+7.5')
    """
    if position.rules.requires_capture:
        chains = _find_chains(position)
        return _count(position, chains, dict.fromkeys(chains, ChainStatus.ALIVE))
    return score_by_playouts(position, playouts, seed)


def score_by_playouts(position: Position, playouts: int = PLAYOUTS, seed: int = SEED) -> FinalScore:
    """Score a position with dead stones removed, even under rules that require their capture.

    Raise TengenError for fewer than two playouts.
    """
    if playouts < 2:
        raise TengenError(f"scoring needs at least 2 playouts, got {playouts}")
    chains = _find_chains(position)
    return _count(position, chains, _estimate_status(position, chains, playouts, seed))


def score_with_dead_stones(
    position: Position, dead: Collection[int], seki: Collection[int] = ()
) -> FinalScore:
    """Score a position whose dead chains, and chains in seki, are given by stones of them."""
    chains = _find_chains(position)
    dead, seki = set(dead), set(seki)
    status = dict.fromkeys(chains, ChainStatus.ALIVE)
    for first, stones in chains.items():
        if dead.intersection(stones):
            status[first] = ChainStatus.DEAD
        elif seki.intersection(stones):
            status[first] = ChainStatus.SEKI
    return _count(position, chains, status)


# Ownership and status


def ownership(
    position: Position, first: Color, playouts: int = PLAYOUTS, seed: int = SEED
) -> tuple[Field, Field]:
    """Return mean ownership and vacancy by playouts with the scoring policy."""
    return playout_ownership(position.block, first, playouts, seed, SCORING_POLICY)


def playout_ownership(
    block: Block,
    first: int,
    playouts: int,
    seed: int,
    policy: PlayoutPolicy,
    odds: npt.NDArray[np.uint32] = NO_ODDS,
) -> tuple[Field, Field]:
    """Return the mean ownership of each padded point, -1 (White) to 1 (Black), and its vacancy.

    Vacancy is the share of playouts in which a point belongs to neither side. The color `first`
    moves first, regardless of the side to move. `seed` must not be 0; equal arguments give equal
    results. `odds` is the table for the rule SHAPE. Thread-safe.
    """
    owned = np.zeros(_POINTS, dtype=np.int64)
    vacant = np.zeros(_POINTS, dtype=np.int64)
    memory = new_playout_memory(seed, odds)
    thresholds = policy.thresholds()
    sum_ownership(block, np.uintp(first), thresholds, memory, np.uintp(playouts), owned, vacant)
    return owned / playouts, vacant / playouts


def safe_points(position: Position) -> npt.NDArray[np.uint8]:
    """Return the color that owns each padded point unconditionally, or 0; uint8 [POINTS]."""
    safe = np.zeros(_POINTS, dtype=np.uint8)
    for color in (BLACK, WHITE):
        owned = np.zeros(_POINTS, dtype=np.uint8)
        suicide = position.rules.suicide
        unconditional_life_under(position.block, np.uintp(color), suicide, owned)
        safe[owned > 0] = color
    return safe


def _find_chains(position: Position) -> Chains:
    chains: Chains = {}
    visited: set[int] = set()
    for point in position.points():
        if position.color(point) and point not in visited:
            stones = position.chain(point)
            chains[point] = tuple(stones)
            visited.update(stones)
    return chains


def _estimate_status(
    position: Position, chains: Chains, playouts: int, seed: int
) -> dict[int, ChainStatus]:
    safe = safe_points(position)
    estimates = {color: ownership(position, color, playouts // 2, seed) for color in Color}
    vacant = (estimates[BLACK][1] + estimates[WHITE][1]) / 2
    status: dict[int, ChainStatus] = {}
    for first, stones in chains.items():
        color = Color(position.color(first))
        owned = color.sign * estimates[color][0]
        if safe[first]:
            status[first] = ChainStatus.ALIVE if safe[first] == color else ChainStatus.DEAD
        # The best owned stone counts: others may be captured and retaken.
        elif max(owned[stone] for stone in stones) < DEAD_BELOW:
            status[first] = ChainStatus.DEAD
        elif _has_vacant_liberty(stones, vacant):
            status[first] = ChainStatus.SEKI
        else:
            status[first] = ChainStatus.ALIVE
    return status


def _has_vacant_liberty(stones: Collection[int], vacant: Field) -> bool:
    """Return whether an adjacent point usually stays neutral, as in a seki."""
    return any(vacant[stone + offset] > 0.5 for stone in stones for offset in NEIGHBOR_OFFSETS)


# Counting


def _count(position: Position, chains: Chains, status: dict[int, ChainStatus]) -> FinalScore:
    """Remove dead stones and count under the position's rules."""
    dead = [
        stone for first in chains if status[first] is ChainStatus.DEAD for stone in chains[first]
    ]
    board = Position(position.rows, position.columns)
    board.setup([(p, position.color(p)) for p in set(position.points()).difference(dead)], BLACK)
    owners = np.zeros(_POINTS, dtype=np.uint8)
    area_owners(board.block, owners)
    if position.rules.scoring is Scoring.TERRITORY:
        _remove_seki_eyes(board, owners, chains, status)
        points = _count_territory(position, board, owners, dead)
    else:
        points = {color: int((owners == color).sum()) for color in Color}
    score = points[BLACK] - points[WHITE] - position.rules.white_bonus(position.handicap)
    return FinalScore(chains, status, position.on_grid(owners).copy(), points, score)


def _remove_seki_eyes(
    board: Position, owners: npt.NDArray[np.uint8], chains: Chains, status: dict[int, ChainStatus]
) -> None:
    """Make empty points adjacent to chains in seki neutral."""
    for first, stones in chains.items():
        if status[first] is not ChainStatus.SEKI:
            continue
        for stone in stones:
            for offset in NEIGHBOR_OFFSETS:
                if board.on_board(stone + offset) and board.color(stone + offset) == 0:
                    owners[stone + offset] = 0


def _count_territory(
    position: Position, board: Position, owners: npt.NDArray[np.uint8], dead: list[int]
) -> dict[Color, int]:
    """Return territory plus prisoners of each side; dead stones are prisoners."""
    points = {color: position.prisoners(color.opponent) for color in Color}
    for point in board.points():
        if board.color(point) == 0 and owners[point]:
            points[Color(int(owners[point]))] += 1
    for stone in dead:
        points[Color(position.color(stone)).opponent] += 1
    return points
