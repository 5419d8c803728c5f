"""Which games calibrate the levels.

Each round has one game of every kind, so that a calibration can be stopped after any round.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tengen.engine import RANKS, rank_name, rank_number
from tengen.lab.levels.games import LevelGame
from tengen.lab.study import CsvTable

SKILL_STEP = 4
START_SKILL = 12
"""First opponent of an anchor."""
HANDICAP_SIZE = 19
"""Board size of handicap games."""
STONES = 4
CHECK_RANKS = 4
"""Difference of ranks in the check with `STONES` handicap stones."""


@dataclass(frozen=True)
class SizePlan:
    """The calibration on one board size."""

    size: int
    rounds: int
    """Games of each pairing."""
    max_skill: int
    """Skill of the strongest player that takes part."""


def calibration_games(
    plans: Sequence[SizePlan], anchors: Iterable[str]
) -> Callable[[CsvTable], Iterator[LevelGame]]:
    """Return the games of a calibration; they may depend on the results so far."""
    named = list(anchors)

    def games(table: CsvTable) -> Iterator[LevelGame]:
        for number in range(max(plan.rounds for plan in plans)):
            for plan in plans:
                if number < plan.rounds:
                    yield from _round(plan, named, number, table)

    return games


def _round(
    plan: SizePlan, anchors: Sequence[str], number: int, table: CsvTable
) -> Iterator[LevelGame]:
    """Yield the games of a round.

    Each player meets the next one and each anchor meets one player. In odd rounds on 19x19, each
    player also gives `STONES` handicap stones to the one below.
    """
    size = plan.size
    players = [str(skill) for skill in range(0, plan.max_skill + 1, SKILL_STEP)]
    for one, other in itertools.pairwise(players):
        yield _even(size, one, other, number)
        if size == HANDICAP_SIZE and number % 2 == 1:
            yield LevelGame(size, one, other, STONES, number // 2)
    for anchor in anchors:
        rows = [row for row in table.rows if int(row["size"]) == size]
        yield _anchor_game(size, anchor, players, number, rows)


def _even(size: int, one: str, other: str, number: int) -> LevelGame:
    """Return a game without handicap; the colors alternate with the number."""
    black, white = (one, other) if number % 2 == 0 else (other, one)
    return LevelGame(size, black, white, 0, number)


def _anchor_game(
    size: int, anchor: str, players: Sequence[str], number: int, rows: Iterable[Mapping[str, str]]
) -> LevelGame:
    """Return the next game of an anchor: against a stronger player after a win, else a weaker."""
    place = players.index(str(START_SKILL))
    games = [row for row in rows if anchor in (row["black"], row["white"])]
    for row in games[:number]:
        has_won = (float(row["score"]) > 0.5) == (row["black"] == anchor)
        place = min(max(place + (1 if has_won else -1), 0), len(players) - 1)
    return _even(size, anchor, players[place], number)


def check_games(size: int, number: int, ranks: Sequence[str]) -> Iterator[LevelGame]:
    """Yield one game of each pairing: neighboring ranks, and on 19x19 ranks with handicap."""
    for one, other in itertools.pairwise(ranks):
        yield _even(size, one, other, number)
    if size == HANDICAP_SIZE:
        for weaker in ranks:
            stronger = rank_name(min(rank_number(weaker) + CHECK_RANKS, rank_number(RANKS[-1])))
            if rank_number(weaker) % CHECK_RANKS == 0 and stronger in ranks:
                yield LevelGame(size, weaker, stronger, STONES, number)
