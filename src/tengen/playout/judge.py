"""Judging a finished game: which chains are alive, dead or in seki, who owns what, who won.

One `Judgement` answers all of it, so the dead list, the ownership and the score cannot
disagree. Status comes from unconditional life where that decides, else from many playouts.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.kernels import layout
from tengen.board.kernels.area import area_owners
from tengen.board.kernels.life import unconditional_life
from tengen.board.points import AROUND
from tengen.board.position import Position
from tengen.board.rules import Scoring
from tengen.core.errors import TengenError
from tengen.playout.ownership import playout_owners
from tengen.playout.policy import Policy

JUDGE_POLICY = Policy(avoid_self_atari=1.0)
"""Stones in seki must never be thrown away by a random move."""
PLAYOUTS = 1000
SEED = 20260101
DEAD_BELOW = 0.0
"""A chain is dead if, even when its owner moves first, the enemy holds its every point more often
than not. Thresholds from -0.5 to 0.1 were tried on boards of real games; this one errs least."""
_FIELD = int(layout.POINTS)


class Status(IntEnum):
    """What becomes of a chain."""

    ALIVE = 0
    DEAD = 1
    SEKI = 2


@dataclass(frozen=True)
class Judgement:
    """The end of a game."""

    chains: dict[int, tuple[int, ...]]
    """All chains, by their first stone in board order."""
    status: dict[int, Status]
    """The status of each chain, by its first stone."""
    owner: npt.NDArray[np.uint8]
    """Rows by columns: 0 nobody's, 1 Black's, 2 White's, as counted in the score."""
    points: dict[Colour, int]
    """What each side counts: its area, or its territory and prisoners."""
    score: float
    """Black's points minus White's, komi and compensation included."""

    def stones(self, status: Status) -> list[tuple[int, ...]]:
        """Return the chains of that status."""
        return [self.chains[first] for first, found in self.status.items() if found is status]

    @property
    def result(self) -> str:
        """The score as GTP and SGF write it: `B+3.5`, `W+2` or `0`."""
        return score_text(self.score)


def score_text(score: float) -> str:
    """Return `B+3.5`, `W+2` or `0` for a score from Black's side."""
    if score == 0:
        return "0"
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}"


def judge(position: Position, playouts: int = PLAYOUTS, seed: int = SEED) -> Judgement:
    """Judge a position as if both sides had passed, by its rules.

    The same position gives the same answer. Raise TengenError for fewer than two playouts.
    """
    if position.rules.as_it_stands:
        chains = _chains(position)
        return _count(position, chains, dict.fromkeys(chains, Status.ALIVE))
    return judge_by_playouts(position, playouts, seed)


def judge_by_playouts(position: Position, playouts: int = PLAYOUTS, seed: int = SEED) -> Judgement:
    """Judge what is alive and dead, also where the rules want dead stones to be captured.

    Half of the playouts begin with either side; raise TengenError if there are fewer than two.
    """
    if playouts < 2:
        raise TengenError(f"a judge needs two playouts or more, not {playouts}")
    chains = _chains(position)
    status = _status(position, chains, playouts, seed)
    return _count(position, chains, status)


def judge_with_dead(
    position: Position, dead: Collection[int], seki: Collection[int] = ()
) -> Judgement:
    """Count a position in which the players agree that the chains at `dead` are dead.

    Those at `seki` live without territory where the rules have it so.
    """
    chains = _chains(position)
    status = {first: _agreed(stones, set(dead), set(seki)) for first, stones in chains.items()}
    return _count(position, chains, status)


def _agreed(stones: Collection[int], dead: set[int], seki: set[int]) -> Status:
    if dead.intersection(stones):
        return Status.DEAD
    return Status.SEKI if seki.intersection(stones) else Status.ALIVE


def _chains(position: Position) -> dict[int, tuple[int, ...]]:
    chains: dict[int, tuple[int, ...]] = {}
    seen: set[int] = set()
    for point in position.points():
        if position.colour(point) and point not in seen:
            stones = position.chain(point)
            chains[point] = tuple(stones)
            seen.update(stones)
    return chains


def _status(
    position: Position, chains: dict[int, tuple[int, ...]], playouts: int, seed: int
) -> dict[int, Status]:
    """Return the status of each chain."""
    safe = safe_points(position)
    tried = {colour: ownership(position, colour, playouts // 2, seed) for colour in Colour}
    vacant = (tried[BLACK][1] + tried[WHITE][1]) / 2
    status: dict[int, Status] = {}
    for first, stones in chains.items():
        colour = Colour(position.colour(first))
        if safe[first]:
            status[first] = Status.ALIVE if safe[first] == colour else Status.DEAD
            continue
        owned = tried[colour][0] if colour == BLACK else -tried[colour][0]
        # Where the chain is held best: elsewhere its point may be lost and taken back.
        if max(owned[stone] for stone in stones) < DEAD_BELOW:
            status[first] = Status.DEAD
        elif _touches(stones, vacant):
            status[first] = Status.SEKI
        else:
            status[first] = Status.ALIVE
    return status


def _touches(stones: Collection[int], vacant: npt.NDArray[np.float64]) -> bool:
    """Tell whether a liberty of the chain mostly stays empty without being anyone's eye."""
    return any(vacant[stone + offset] > 0.5 for stone in stones for offset in AROUND)


def safe_points(position: Position) -> npt.NDArray[np.uint8]:
    """Return for each padded point who holds it unconditionally, or 0."""
    safe = np.zeros(_FIELD, dtype=np.uint8)
    for colour in (BLACK, WHITE):
        owned = np.zeros(_FIELD, dtype=np.uint8)
        unconditional_life(position.block, np.uintp(colour), owned)
        safe[owned > 0] = colour
    return safe


def ownership(
    position: Position, first: Colour, playouts: int = PLAYOUTS, seed: int = SEED
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return for each padded point its owner, -1 White's to 1 Black's, and how often nobody's.

    Over playouts in which `first` moves first.
    """
    return playout_owners(position.block, first, playouts, seed, JUDGE_POLICY)


def _count(
    position: Position, chains: dict[int, tuple[int, ...]], status: dict[int, Status]
) -> Judgement:
    """Take the dead stones off and count under the position's rules."""
    dead = [stone for first in chains if status[first] is Status.DEAD for stone in chains[first]]
    board = Position(position.rows, position.columns)
    board.setup([(p, position.colour(p)) for p in set(position.points()).difference(dead)], BLACK)
    owners = np.zeros(_FIELD, dtype=np.uint8)
    area_owners(board.block, owners)
    rules = position.rules
    bonus = rules.white_bonus(position.handicap)
    if rules.scoring is Scoring.TERRITORY:
        _drop_seki_eyes(board, owners, chains, status)
        points = _territory(position, board, owners, dead)
    else:
        points = {colour: int((owners == colour).sum()) for colour in Colour}
    score = points[BLACK] - points[WHITE] - bonus
    return Judgement(chains, status, position.on_grid(owners).copy(), points, score)


def _drop_seki_eyes(
    board: Position,
    owners: npt.NDArray[np.uint8],
    chains: dict[int, tuple[int, ...]],
    status: dict[int, Status],
) -> None:
    """Take empty points next to chains in seki from their owner: no territory under these rules."""
    for first, stones in chains.items():
        if status[first] is not Status.SEKI:
            continue
        for stone in stones:
            for offset in AROUND:
                if board.on_board(stone + offset) and board.colour(stone + offset) == 0:
                    owners[stone + offset] = 0


def _territory(
    position: Position, board: Position, owners: npt.NDArray[np.uint8], dead: list[int]
) -> dict[Colour, int]:
    """Return the territory and prisoners of each side; dead stones are prisoners too."""
    points = {colour: position.prisoners(colour.opponent) for colour in Colour}
    for point in board.points():
        if board.colour(point) == 0 and owners[point]:
            points[Colour(int(owners[point]))] += 1
    for stone in dead:
        points[Colour(position.colour(stone)).opponent] += 1
    return points
